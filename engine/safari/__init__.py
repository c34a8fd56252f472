"""The rules of Carcassonne Safari."""

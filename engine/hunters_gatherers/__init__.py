"""The rules of Carcassonne Hunters and Gatherers (2020)."""

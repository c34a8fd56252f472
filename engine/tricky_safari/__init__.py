"""The rules of Tricky Safari."""

"""One live table whose game is played on squares."""

"""Commands of the command line, most of them a module each (`replay` and `play` have their own folders)."""

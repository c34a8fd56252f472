"""Commands of the command line, one module each (`replay`, `play` and `bench` are in their own folders)."""

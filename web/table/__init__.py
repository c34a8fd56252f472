"""A table as `tilesight` and the pages share it: the values that are shown, the commands, the protocols."""

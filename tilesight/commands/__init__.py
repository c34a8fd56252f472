"""The commands of the command line, a module each; `tilesight.app` imports one when it is asked for."""

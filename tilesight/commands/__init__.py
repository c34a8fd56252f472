"""Commands of the command line, a module each; `tilesight.app` imports one when it is called."""

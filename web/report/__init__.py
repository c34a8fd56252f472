"""Report of a game, as an HTML page to share and as a PDF."""

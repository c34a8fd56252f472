"""Reports: a game as one page to share, as HTML and as PDF."""

"""Print-and-play sheets as PDF: tiles with backs, pieces to fold, marker sheets."""

"""Print-and-play sheets: what goes where, pieces to fold, and the PDF."""

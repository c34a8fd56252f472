"""Print-and-play sheets: plan of the pages, pieces to fold, the PDF, the decks' artwork."""

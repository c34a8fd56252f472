"""`tilesight learn`: gathers labels from games that people agreed to, and improves this home's readings."""

"""Artwork of our own decks: `python -m samples.artwork` rewrites their pack.json and pictures.

Here is `savanna`, in `tricky` the quarters of Tricky Safari, in `taiga` the deck for Hunters and Gatherers,
in `bastide` the deck for Carcassonne.

The drawing is seeded by the names of tiles and designs, so that it comes out the same every time.
"""

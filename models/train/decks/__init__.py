"""Random decks to train on: square faces in many art styles, and the house deck's own faces."""

from models.train.decks.deck import HOUSE_ART, Deck, house_faces, house_files, make_deck, random_deck

__all__ = ["HOUSE_ART", "Deck", "house_faces", "house_files", "make_deck", "random_deck"]

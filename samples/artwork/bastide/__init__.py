"""House deck `bastide` for Carcassonne and The River: fortified towns of the south and their farmland.

What meets which edge, pennants and counts are read from the pack `carcassonne` (`plans`); walls, courses and
places are ours.
"""

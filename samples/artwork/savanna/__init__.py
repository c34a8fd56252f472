"""House deck `savanna`: straw-coloured ground, trails, bushes, baobabs, animals."""

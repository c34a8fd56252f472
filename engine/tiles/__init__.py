"""Games whose tiles are laid edge to edge: the board, features, turns, records and notation they share."""

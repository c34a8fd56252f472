"""What the games share whose tiles are laid edge to edge: board, features, turns, records, notation."""

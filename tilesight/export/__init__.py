"""Export: games and photographs written in the formats of other programs."""

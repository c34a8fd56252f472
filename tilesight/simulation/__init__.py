"""Games that nobody played: random and greedy players for every game of the engine."""

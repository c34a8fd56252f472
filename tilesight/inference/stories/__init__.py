"""Stories: whole histories of a game, searched for those that all looks at the table make likeliest."""

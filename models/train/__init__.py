"""Training recipes: the only place that imports torch; nothing at run time imports this package."""

"""Objects on a synthetic table: flat prints, pieces as solids, clutter and hands."""

"""Evidence: what the pictures of a table have shown of its cells and pieces, in closed form over time."""

"""Token classifier: recipe, network and training pictures of animal tiles."""

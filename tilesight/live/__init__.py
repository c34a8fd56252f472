"""One live table: the camera, the people at it, and what they are shown."""

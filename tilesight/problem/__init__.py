"""Report of a failed game: an archive to send, with pictures of the board alone."""

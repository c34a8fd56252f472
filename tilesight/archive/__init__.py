"""Archive: recorded sessions scored again by many processes, each piece of work once."""

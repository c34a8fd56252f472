"""Archive: rescores recorded sessions in many processes, each piece of work once."""

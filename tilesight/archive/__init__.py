"""Archive: scores recorded sessions again in many processes, each stage of a session once per version."""

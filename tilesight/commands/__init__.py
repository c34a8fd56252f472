"""Commands of the command line, a module each; `tilesight.app` imports one when it is called."""

# Modules only: `tilesight.app` imports a command when it is called.
__all__ = [
    "bench",
    "calibrate",
    "check",
    "demo",
    "doctor",
    "enrol",
    "export",
    "live",
    "live_games",
    "photo",
    "print_sheets",
    "repair",
]

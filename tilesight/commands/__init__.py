"""Commands of the command line, most of them a module each (`replay` and `play` have their own folders)."""

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

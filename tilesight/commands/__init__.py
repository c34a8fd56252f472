"""Commands of the command line, one module each (`replay`, `play` and `bench` are in their own folders)."""

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

"""The assistant: the command line, turn inference, live tables, recordings, print sheets, benchmarks."""

from typing import TYPE_CHECKING

__all__ = ["__version__"]

if TYPE_CHECKING:
    __version__: str
    """Version of the installed distribution; ``0+unknown`` for a checkout that was never installed."""
else:

    def __getattr__(name):
        """The version, looked up when it is asked for: the look-up would delay the start of every command."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import metadata

        try:
            return metadata.version("tilesight")
        except metadata.PackageNotFoundError:
            return "0+unknown"

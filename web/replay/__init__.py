"""A game as one file that replays it anywhere, without a network."""

from web.replay.page import replay_html

__all__ = ["replay_html"]

"""Replay of a game: one HTML file that works without a network."""

from web.replay.page import replay_html, sandboxed_replay

__all__ = ["replay_html", "sandboxed_replay"]

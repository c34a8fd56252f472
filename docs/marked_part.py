"""Parts of a page that a program writes, between two markers; the rest is written by hand."""

from __future__ import annotations


def with_part(text: str, page: str, part: str, begin: str, end: str) -> str:
    """The text of ``page`` with ``part``, its markers included, in place of what stands from ``begin`` to
    ``end``. ValueError where it has no markers."""
    before, _, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not closed:
        raise ValueError(f"{page} has no {begin} … {end}")
    return before + part + after

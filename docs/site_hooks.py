"""Hooks for mkdocs: pages that are also read as plain Markdown become pages of the site.

Links that leave docs/ (``../vision/pipeline.py``) work in a clone and on a code host; on the site, where
those files do not exist, the path is shown instead. Fences with a second word (``turns safari``), which tests
read, become plain text blocks.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+[^)\s]*)\)")
FENCE = re.compile(r"^```(?!python$|json$|bash$)\w+(?: .*)?$", re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page's text as the site shows it. ``page`` is a mkdocs Page, of which only the path is used."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(found: re.Match[str]) -> str:
        text, target = found.groups()
        path = posixpath.normpath(posixpath.join(folder, target.partition("#")[0]))
        if not path.startswith("../"):
            return found.group()
        name = path.removeprefix("../")
        return f"`{name}`" if text in (name, posixpath.basename(name)) else f"{text} (`{name}`)"

    return FENCE.sub("```text", LINK.sub(shown, markdown))

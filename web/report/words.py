"""Words of the reports, from the dashboard's own catalogues `static/js/words/<language>.json`.

The engine gives its reasons in English; ``phrases`` put them into another language, as far as they are known
there. They are regular expressions that JavaScript and Python read alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from engine.pack import Pack
from web.table.view import GameSpan

Language = Literal["en", "de", "fr"]
"""Language with a catalogue (ISO 639-1)."""
LANGUAGES: tuple[Language, ...] = get_args(Language)
"""All languages."""
FOLDER = Path(__file__).parents[1] / "static" / "js" / "words"
"""Folder of the catalogues."""


@dataclass(frozen=True)
class Words:
    """The words of one language: names of ``kinds`` of score, ``animals``, ``pieces`` and ``colors``,
    titles of ``packs``, sentences of the ``report``, and ``phrases``: patterns of English sentences with
    their translations."""

    code: Language
    conjunction: str
    kinds: Mapping[str, str]
    animals: Mapping[str, str]
    pieces: Mapping[str, str]
    colors: Mapping[str, str]
    packs: Mapping[str, str]
    report: Mapping[str, str | Sequence[str]]
    phrases: Sequence[tuple[re.Pattern[str], str]]

    def say(self, key: str, n: int = 0, **values: object) -> str:
        """Return the report's sentence ``key`` with the values filled in. A sentence with singular and
        plural is chosen by ``n``."""
        said = self.report[key]
        if not isinstance(said, str):
            said = said[0 if n == 1 or (n == 0 and self.code == "fr") else 1]
        return said.format(n=n, **values)

    def phrase(self, text: str) -> str:
        """Translate an English sentence of the engine into this language, with a capital first letter."""
        for pattern, into in self.phrases:
            text = pattern.sub(into, text)
        return text[:1].upper() + text[1:]

    def kind(self, kind: str) -> str:
        """Return the name of a kind of score."""
        return self.kinds.get(kind, kind.replace("_", " ").capitalize())

    def color(self, color: str) -> str:
        """Return the name of a colour, with a capital first letter."""
        said = self.colors.get(color, color)
        return said[:1].upper() + said[1:]

    def title(self, pack: Pack) -> str:
        """Return the title of a pack; the pack's own if the catalogue has none."""
        return self.packs.get(pack.id, pack.title)

    def span(self, span: GameSpan) -> str:
        """Return a sentence with a game's date (local time) and duration."""
        began, months = datetime.fromtimestamp(span.began_s), self.report["months"]
        date = self.say(
            "date", day=began.day, month=months[began.month - 1], year=began.year,
            hour=f"{began:%H}", minute=f"{began:%M}",
        )  # fmt: skip
        hours, minutes = divmod(max(1, round(span.played_s / 60)), 60)
        lasted = f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
        return self.say("shown" if span.recorded else "began", date=date, lasted=lasted)

    def unsure(self, confidence: float) -> str:
        """Return the text for an uncertain turn with its confidence, rounded down so that it never reads
        as certain."""
        share = f"{int(100 * confidence + 1e-6) / 100:.2f}"
        return self.say("unsure", share=share if self.code == "en" else share.replace(".", ","))

    def list(self, parts: Sequence[str]) -> str:
        """Join parts as in "Ana, Bo and Cy"."""
        *most, last = parts
        return f"{', '.join(most)} {self.conjunction} {last}" if most else last


@lru_cache
def words_in(language: Language) -> Words:
    """Return the words of a language."""
    known = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    phrases = [(re.compile(p, re.ASCII), re.sub(r"\$(\d)", r"\\g<\1>", into)) for p, into in known["phrases"]]
    names = {name: known[name] for name in ("kinds", "animals", "pieces", "colors", "packs", "report")}
    return Words(language, known["and"], **names, phrases=phrases)


def language_of(asked: Language | None, accepted: str | None) -> Language:
    """Return the requested language, else the first known language of an ``Accept-Language`` header, else
    English."""
    if asked is not None:
        return asked
    weighed = []
    for part in (accepted or "").split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            weighed.append((float(weight or 1), tag[:2].lower()))
        except ValueError:
            continue
    liked = [code for _, code in sorted(weighed, key=lambda one: -one[0])]
    return next((known for code in liked for known in LANGUAGES if known == code), "en")

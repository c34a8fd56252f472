"""Words of the reports, from the dashboard's own catalogues `static/js/words/<language>.json`.

The engine gives its reasons as messages (`engine.message`). The catalogue translates their templates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from engine.message import Argument, Message
from engine.pack import Pack
from web.table.seats import Seat
from web.table.view import GameSpan

Language = Literal["en", "de", "fr"]
"""Language with a catalogue (ISO 639-1)."""
LANGUAGES: tuple[Language, ...] = get_args(Language)
"""All languages."""
FOLDER = Path(__file__).parents[1] / "static" / "js" / "words"
"""Folder of the catalogues."""


@dataclass(frozen=True)
class Words:
    """The words of one language.

    It has the names of ``kinds`` of score, ``animals``, ``pieces`` and ``colors``, the titles of ``packs``,
    and the texts of the ``report``. ``sentences`` translates the templates of messages; a template may have
    two translations, singular and plural.
    """

    code: Language
    conjunction: str
    kinds: Mapping[str, str]
    animals: Mapping[str, str]
    pieces: Mapping[str, str]
    colors: Mapping[str, str]
    packs: Mapping[str, str]
    report: Mapping[str, str | Sequence[str]]
    sentences: Mapping[str, str | Sequence[str]]

    def say(self, key: str, n: int = 0, **values: object) -> str:
        """Return the report's sentence ``key`` with the values filled in.

        A sentence with singular and plural is chosen by ``n``.
        """
        said = self.report[key]
        return self._form(said, n).format(n=n, **values)

    def phrase(self, message: Message) -> str:
        """Return a message in this language, with a capital first letter."""
        text = self._filled(message)
        return text[:1].upper() + text[1:]

    def _form(self, forms: str | Sequence[str], number: object) -> str:
        """Return the singular or the plural if ``forms`` has both, else ``forms``."""
        if isinstance(forms, str):
            return forms
        return forms[0 if number == 1 or (number == 0 and self.code == "fr") else 1]

    def _filled(self, message: Message) -> str:
        """Return a message's template in this language, filled in with its arguments."""
        known = self.sentences.get(message.template, message.template)
        form = self._form(known, message.arguments.get("number"))
        return form.format_map(
            {name: self._argument(name, value) for name, value in message.arguments.items()}
        )

    def _argument(self, name: str, value: Argument) -> str:
        """Return an argument of a message in words, by the first part of its ``name``.

        Tiles and cells stay as they are, because a report draws them.
        """
        if isinstance(value, Message):
            return self._filled(value)
        sort = name.partition("_")[0]
        if isinstance(value, list | tuple):
            if sort == "cell":
                return str(list(value))
            return ("; " if name == "faults" else ", ").join(self._argument(name, one) for one in value)
        of_sort: Mapping[str, Mapping[str, str]] = {
            "animal": self.animals, "kind": self.kinds, "piece": self.pieces, "player": self.colors,
        }  # fmt: skip
        if sort not in of_sort:
            return str(value)
        word = of_sort[sort].get(str(value), str(value))
        first = word[:1].upper() if self.code == "de" else word[:1].lower()
        return first + word[1:]

    def kind(self, kind: str) -> str:
        """Return the name of a kind of score."""
        return self.kinds.get(kind, kind.replace("_", " ").capitalize())

    def color(self, color: str) -> str:
        """Return the name of a colour, with a capital first letter."""
        said = self.colors.get(color, color)
        return said[:1].upper() + said[1:]

    def name(self, color: str, name: str | None) -> str:
        """Return a player's name; the colour in this language for a player without one (`Seat`)."""
        return self.color(color) if name in (None, "", color) else name

    def names(self, seats: Sequence[Seat]) -> dict[str, str]:
        """Return the players' names by colour."""
        return {seat.color: self.name(seat.color, seat.name) for seat in seats}

    def heading(self, title: str, seats: Sequence[Seat]) -> str:
        """Return a table's title. One that consists of the players' names has them in this language."""
        made_of_names = title == ", ".join(seat.name for seat in seats)
        return ", ".join(self.names(seats).values()) if made_of_names else title

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
        """Return the text for an uncertain turn with its confidence.

        The confidence is rounded down, so that it never reads as certain.
        """
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
    names = ("kinds", "animals", "pieces", "colors", "packs", "report", "sentences")
    return Words(language, known["and"], **{name: known[name] for name in names})


def language_of(asked: Language | None, accepted: str | None) -> Language:
    """Return the language of a report.

    It is ``asked``, else the first known language of an ``Accept-Language`` header, else English.
    """
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

"""Speaker of a command: who gives it, so that the table's log can say who corrected what."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Speaker:
    """Giver of a command: the role of the key, the name that the phone gives itself ("" for none), and the
    address it came from."""

    role: str
    name: str
    address: str

    def to_json(self) -> dict[str, str]:
        """The speaker as an entry of the log says it."""
        return {"role": self.role, "name": self.name, "address": self.address}


SPEAKER: ContextVar[Speaker | None] = ContextVar("speaker", default=None)
"""Speaker of the command that runs in this context; None where nobody gives one, as when the camera sees
something."""

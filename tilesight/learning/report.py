"""Report of `tilesight learn` on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from tilesight.learning.learned import Learned, counts_of

NO_LABELS = (
    "No labels yet. The host of a table switches on that it keeps labels (Settings), or it is begun with: "
    "tilesight live --keep-labels"
)


def print_report(learned: Learned, out: Console, *, measure_only: bool) -> None:
    """Print what was gathered and learned."""
    if not learned.sets:
        out.print(NO_LABELS, soft_wrap=True)
        return
    counts = [counts_of(one) for one in learned.sets]
    total = {key: sum(one[key] for one in counts) for key in ("tiles", "pieces", "corrected")}
    out.print(
        f"Labels of {len(counts)} game{'s' if len(counts) > 1 else ''}: {total['tiles']} crops of tiles, "
        f"{total['pieces']} of pieces; {total['corrected']} of them named by people.",
        soft_wrap=True,
    )
    out.print("Each change is fitted to the first half, and measured on what appeared later:")
    for of in dict.fromkeys(one["of"] for one in learned.told):
        out.print(f"{of}:")
        for one in learned.told:
            if one["of"] == of:
                out.print(f"  {_line(one)}", soft_wrap=True)
    if not learned.files:
        out.print("Nothing is changed.")
    elif measure_only:
        out.print("Nothing is changed (--measure-only).")
    for path in () if measure_only else learned.files:
        out.print(f"{path}: improved; tilesight learn --undo takes it back", soft_wrap=True)


def _line(lesson: Mapping[str, Any]) -> str:
    """Return the line of a lesson."""
    if "passed_over" in lesson:
        return str(lesson["passed_over"])
    before, after = lesson["before"], lesson["after"]
    if after is None:
        return f"{lesson['lesson']:<21} no suitable label"
    wrong, sure = (f"{before[key]}->{after[key]}" for key in ("wrong", "wrong_and_sure"))
    loss = f"{before['log_loss']:.3f}->{after['log_loss']:.3f}"
    judged = "helps" if lesson["kept"] else "no help"
    of = f"of {before['readings']}"
    return f"{lesson['lesson']:<21} {wrong:>7} {of} wrong, {sure} surely, loss {loss}: {judged}"

"""The README's table of figures is the measured one (docs/figures.json), of one commit, without footnotes."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from docs import make_figures, make_readings
from tests.docs.pages import DOCS, ROOT

README = (ROOT / "README.md").read_text("utf-8")
KEPT: dict[str, Any] = json.loads((DOCS / "figures.json").read_text("utf-8"))

MOST_COMMITS = 60
"""Age of a figure, in commits, at most: some two days of work."""


def test_the_table_is_made_from_what_was_measured() -> None:
    assert make_figures.with_table(README, KEPT) == README, "run: python -m docs.make_figures --table"
    assert f"Measured at commit {KEPT['commit']} ({KEPT['date']})" in README


def git(*words: str) -> str:
    """What git says of this checkout; "" where it cannot."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@pytest.mark.skipif(
    git("rev-parse", "--is-shallow-repository") != "false", reason="no history, or one that is cut off"
)
def test_figures_and_readings_are_of_the_last_commits() -> None:
    commits = {KEPT["commit"]: "make figures"}
    for row in make_readings.ROW.finditer((make_readings.KEPT / "readings.md").read_text("utf-8")):
        name, commit = row[1], row[0].split(" | ")[2]
        if name != "set":
            commits[commit] = f"make readings ARGS='--only {name}'"
    since = {commit: git("rev-list", "--count", f"{commit}..HEAD") for commit in commits}
    old = [
        f"{told}: {since[commit] or 'unknown'} commits since {commit}"
        for commit, told in commits.items()
        if not since[commit] or int(since[commit]) > MOST_COMMITS
    ]
    assert old == []


def test_figures_need_no_footnotes() -> None:
    assert not set("§†‡¶") & set(README)


def test_every_figure_of_measuring_that_is_of_no_table_names_its_commit() -> None:
    section = (
        (DOCS / "measuring.md").read_text("utf-8").partition("## Other readings\n")[2].partition("\n## ")[0]
    )
    rows = [line for line in section.splitlines() if line.startswith("| ") and "| figure |" not in line]
    assert len(rows) > 5
    assert [row for row in rows if not re.search(r"\b[0-9a-f]{7}\b[^|]*\|$", row)] == []


def test_data_of_the_figures_ship() -> None:
    for one in make_figures.FIGURES:
        for word in one.command.split():
            assert not word.startswith("samples/") or (ROOT / word).is_dir(), word


def test_only_all_is_a_hundred_percent() -> None:
    shares = (0.0, 0.0001, 0.9872, 0.9998, 1.0)
    assert [make_figures.percent(share) for share in shares] == ["0 %", "0.1 %", "98.7 %", "99.9 %", "100 %"]


def test_ways_that_differ_are_told_one_by_one() -> None:
    exact = {"turns": 9, "turns_exact": 9, "final_exact": True, "asked": []}
    ways = [{**exact, "way": "plain"}, {**exact, "way": "doubled"}]
    assert make_figures.of_sessions({"sessions": ways}) == (
        "9 of 9 turns exact, final score exact, nothing asked, in all 2 ways"
    )
    ways[1] = {**ways[1], "turns_exact": 8, "final_exact": False, "asked": [3]}
    assert make_figures.of_sessions({"sessions": ways}).endswith(
        "(plain); 8 of 9 turns exact, final score wrong, 1 asked (doubled)"
    )


def test_a_busy_machine_tells_no_times() -> None:
    one = {"photo_ms_p50": 700.0, "live_ms_p50": 25.0, "rss_mb": 510.0, "boards_right": 0.95, "images": 40}
    shares = dict.fromkeys(("tiles_solved", "corner_p50", "corner_p95", "pieces_found", "pieces_false"), 0.5)
    document = {"vision": {**one, **shares, "kind_color": 1.0, "feature": 0.985}}
    kept = {"commit": "1234567", "date": "2026-01-01", "machine": "2 cores", "load": 0.1}
    told = make_figures.table({**kept, "documents": {make_figures.HOUSE: document}})
    assert "38 of 40 boards" in told and "feature 98.5 %" in told
    assert "median 0.7 s a photograph, 25 ms a still frame; 510 MB" in told
    busy = make_figures.table({**kept, "load": 9.0, "documents": {make_figures.HOUSE: document}})
    assert "median" not in busy.replace("(median)", "") and "Times are left out" in busy


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"README\.md has no"):
        make_figures.with_table("# Tilesight\n", KEPT)


def test_timed_figures_are_measured_alone() -> None:
    kept: dict[str, Any] = {"documents": {"bench engine": {}}}
    alone = make_figures.lacking(kept, timed=True)
    beside = make_figures.lacking(kept, timed=False)
    assert alone == [make_figures.HOUSE, make_figures.TRICKY]
    assert {*alone, *beside, "bench engine"} == {one.command for one in make_figures.FIGURES}


def test_figures_of_the_same_code_only_take_its_new_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, kept in (("KEPT", json.dumps(KEPT)), ("README", README)):
        (tmp_path / name).write_text(kept, "utf-8")
        monkeypatch.setattr(make_figures, name, tmp_path / name)
    monkeypatch.setattr(make_figures, "head", lambda: "89abcde")
    monkeypatch.setattr(make_figures, "same_code", lambda since: True)
    monkeypatch.setattr(make_figures, "lacking", lambda kept, *, timed: [])  # however far it came last
    make_figures.main([])
    assert json.loads((tmp_path / "KEPT").read_text("utf-8")) == {**KEPT, "commit": "89abcde"}
    assert "Measured at commit 89abcde" in (tmp_path / "README").read_text("utf-8")

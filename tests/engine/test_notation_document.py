"""Every example on docs/notation.md is run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.games import game_named, game_names
from engine.notation import NotationError, read_position, read_turn, write_position, write_turn
from engine.record import End, check, read_record

PAGE = (Path(__file__).parents[2] / "docs" / "notation.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[tuple[str, str]]:
    """(text after the kind, content) of every block of a kind."""
    found = [(rest, text) for name, rest, text in BLOCKS if name == kind]
    assert found, f"no {kind} block in docs/notation.md"
    return found


@pytest.mark.parametrize(("game", "text"), blocks("turns"), ids=game_names())
def test_turns_and_record_lines_of_the_page_say_the_same(game: str, text: str) -> None:
    lines = text.splitlines()
    records = game_named(game).records
    for word, line in zip(lines[::2], lines[1::2], strict=True):
        value = json.loads(line)
        event = End() if "end" in value else records.read_line(value)
        assert read_turn(game, word) == event
        assert write_turn(game, event) == word
        assert event.to_json() == value


def test_positions_of_the_page_read_back_and_are_those_of_its_records() -> None:
    lines = [text.strip() for _, text in blocks("position")]
    assert {line.split("/")[0] for line in lines} == set(game_names())
    for line in lines:
        assert write_position(line.split("/")[0], read_position(line)) == line
    for (_, text), line in zip(blocks("record"), lines, strict=False):
        record = read_record(text)
        pack = game_named(record.header.game).records.pack(record.header)
        result = check(record, pack)
        assert result.valid and result.state == read_position(line, pack)


def test_texts_that_the_page_calls_refused_give_its_error_messages() -> None:
    ((_, text),) = blocks("refused")
    lines = text.splitlines()
    for line, message in zip(lines[::2], lines[1::2], strict=True):
        kind, _, rest = line.partition(" ")
        with pytest.raises(NotationError) as error:
            read_position(rest) if kind == "position" else read_turn(kind, rest)
        assert str(error.value) == message


def test_the_python_of_the_page_runs() -> None:
    for _, text in blocks("python"):
        exec(compile(text, "docs/notation.md", "exec"), {})


def test_every_field_of_every_game_is_in_the_page() -> None:
    for game in game_names():
        for key in game_named(game).notation.fields:
            assert f"`{key}`" in PAGE, key

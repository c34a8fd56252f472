"""The messages of the program in every language: each template has a translation with its placeholders."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.message import Message, counted, plain
from web.report.words import FOLDER, words_in

ROOT = Path(__file__).parents[3]
PLACES = re.compile(r"\{(\w+)\}")
ENGLISH = r"\b(the|is|are|has|been|be|there|this|that|which|nothing|must|may|only|picture|game)\b"
"""Words that no German and no French sentence has."""
ENGLISH_ONLY = {"article"}
"""Placeholders that only English sentences have."""


def _templates(tree: ast.AST) -> Iterator[ast.expr]:
    """The templates of all messages that a module makes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == Message.__name__:
                yield node.args[0]
            elif node.func.id == counted.__name__:
                yield from node.args[1:3]


def _said() -> dict[str, str]:
    """Every template that the program has, and a module that says it."""
    found = {plain("").template: "engine/message.py"}
    for package in ("engine", "tilesight", "web"):
        for module in sorted((ROOT / package).rglob("*.py")):
            if module == ROOT / "engine" / "message.py":
                continue
            for template in _templates(ast.parse(module.read_text("utf-8"))):
                assert isinstance(template, ast.Constant), f"{module}:{template.lineno}: no literal template"
                found[str(template.value)] = str(module.relative_to(ROOT))
    return found


def _sentences(code: str) -> dict[str, list[str]]:
    """The translations by template; two where there is one for one and one for many."""
    known = json.loads((FOLDER / f"{code}.json").read_text("utf-8"))["sentences"]
    return {template: [form] if isinstance(form, str) else form for template, form in known.items()}


@pytest.mark.parametrize("code", ["de", "fr"])
def test_every_message_has_a_translation_and_every_translation_a_message(code: str) -> None:
    said, sentences = _said(), _sentences(code)
    assert len(said) > 300
    missing = {template: where for template, where in said.items() if template and template not in sentences}
    assert not missing
    assert not sentences.keys() - said.keys(), "nothing says these any more"


@pytest.mark.parametrize("code", ["de", "fr"])
def test_a_translation_has_the_placeholders_of_its_template(code: str) -> None:
    for template, forms in _sentences(code).items():
        for form in forms:
            assert set(PLACES.findall(form)) == set(PLACES.findall(template)) - ENGLISH_ONLY, template


@pytest.mark.parametrize("code", ["de", "fr"])
def test_no_english_is_left_of_what_players_are_told(code: str) -> None:
    english = re.compile(ENGLISH)
    for forms in _sentences(code).values():
        for form in forms:
            assert not english.search(PLACES.sub("", form).lower()), form


def test_the_camera_page_knows_templates_that_are_said() -> None:
    script = (FOLDER.parent / "words.js").read_text("utf-8")
    listed = script.partition("const NO_PICTURE = [")[2].partition("];")[0]
    named = set(re.findall(r'"(.+)",', listed))
    assert named and named <= _said().keys()


TAKEN = Message("there is a meeple of {player} on this {kind} already", player=["blue", "red"], kind="trail")
TOLD = [
    (
        Message("unfinished: {parts}", parts=[Message("{number} {animal}", number=2, animal="giraffes")]),
        "Unvollendet: 2 Giraffen", "Inachevé : 2 girafes",
    ),
    (Message("{number} fish", number=1), "1 Fisch", "1 poisson"),
    (Message("{number} fish", number=0), "0 Fische", "0 poisson"),
    (Message("{number} finished cities", number=2), "2 vollendete Städte", "2 villes achevées"),
    (
        Message("{player} has no meeple left", player="black"),
        "Schwarz hat keinen Meeple mehr", "Noir n’a plus de meeple",
    ),
    (
        Message("a watering hole dug with {article} {animal}", article="an", animal="elephant"),
        "Ein Wasserloch gegraben: Elefant", "Un point d’eau creusé : éléphant",
    ),
    (TAKEN, "Hier steht schon ein Meeple (Blau, Rot): Fährte", "Il y a déjà un meeple (bleu, rouge) : piste"),
    (plain("as it was said"), "As it was said", "As it was said"),
]  # fmt: skip
"""Messages in German and French, as reports have them."""


@pytest.mark.parametrize(("said", "german", "french"), TOLD)
def test_a_message_is_told_in_other_languages(said: Message, german: str, french: str) -> None:
    assert words_in("de").phrase(said) == german
    assert words_in("fr").phrase(said) == french
    assert words_in("en").phrase(said).lower() == str(said).lower()

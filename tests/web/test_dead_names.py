"""No script exports what no other imports, and no style is for a class or an id that no page has."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[2] / "web"
SCRIPTS = WEB / "static/js"
STYLES = sorted((WEB / "static/css").glob("*.css"))


def scripts() -> dict[str, str]:
    """The text of each script, by its path."""
    return {path.relative_to(SCRIPTS).as_posix(): path.read_text("utf-8") for path in SCRIPTS.rglob("*.js")}


def test_every_export_of_a_script_is_imported_by_another() -> None:
    imported: dict[str, set[str]] = defaultdict(set)
    for importer, text in scripts().items():
        for names, source in re.findall(r'^import \{([^}]*)\} from "([^"]+)"', text, re.M):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(importer), source))
            # A replay has modules of its own in the place of those that talk to a table (web.replay.bundle).
            for place in (module, f"offline/{module}"):
                imported[place] |= {name.split(" as ")[0].strip() for name in names.split(",")}
    unused = [
        f"{path}: {name}"
        for path, text in scripts().items()
        for name in re.findall(r"^export (?:async )?(?:function\*?|const|let|class) (\w+)", text, re.M)
        if name not in imported[path]
    ]
    assert unused == []


def test_every_import_and_declaration_of_a_script_is_used() -> None:
    unused = []
    for path, text in scripts().items():
        code = re.sub(r"^\s*(?://|\*|/\*).*", "", text, flags=re.M)
        lists = re.findall(r"^import \{([^}]*)\} from", code, re.M)
        names = {name.split(" as ")[-1].strip() for names in lists for name in names.split(",")}
        names |= set(re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", code, re.M))
        unused += [
            f"{path}: {name}"
            for name in names
            if name and len(re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", code)) < 2
        ]
    assert unused == []


@pytest.fixture(scope="module")
def marks() -> tuple[set[str], re.Pattern[str]]:
    """The words in quotes of scripts and pages, and a pattern of the names that scripts put together
    (`ink-${color}`, what + "-way")."""
    words: set[str] = set()
    parts: set[str] = set()
    kinds = (".js", ".html", ".svg", ".py")
    for path in (path for path in WEB.rglob("*") if path.suffix in kinds and path.parent.name != "words"):
        text = re.sub(r"^\s*(?://|\*|/\*).*", "", path.read_text("utf-8"), flags=re.M)
        for quoted in re.findall(r'"[^"\n]*"|\'[^\'\n]*\'|`[^`]*`', text):
            words |= set(re.findall(r"[A-Za-z_][\w-]*", quoted))
            parts |= {f"{start}.*" for start in re.findall(r"([A-Za-z_][\w-]*-)\$\{", quoted)}
            parts |= {f".*{end}" for end in re.findall(r"^\"(-[a-z]+)\"$", quoted)}
    return words, re.compile("|".join(sorted(parts)))


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_style_is_for_what_a_page_has(path: Path, marks: tuple[set[str], re.Pattern[str]]) -> None:
    words, composed = marks
    text = re.sub(r'/\*.*?\*/|"[^"]*"', "", path.read_text("utf-8"), flags=re.S)
    selectors = (one for one in re.findall(r"([^{}]+)\{", text) if not one.strip().startswith("@"))
    names = {name for one in selectors for name in re.findall(r"[.#]([A-Za-z_][\w-]*)", one)}
    assert sorted(name for name in names if name not in words and not composed.fullmatch(name)) == []


def test_a_style_reads_each_value_that_one_declares() -> None:
    text = "".join(path.read_text("utf-8") for path in STYLES)
    pages = "".join(path.read_text("utf-8") for path in WEB.rglob("*.html"))
    read = set(re.findall(r"var\((--[\w-]+)", text + pages + "".join(scripts().values())))
    assert set(re.findall(r"(--[\w-]+)\s*:", text)) - read == set()

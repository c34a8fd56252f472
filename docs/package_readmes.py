"""Tables of modules and folders in the READMEs of packages, written by `make readmes` from first lines.

The table of modules stands between two markers; of a table of folders only the descriptions are written.
Everything else is written by hand.
"""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

from docs.marked_part import with_part

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "vision", "calibration", "models", "web", "tilesight")
BEGIN, END = "<!-- modules: make readmes -->", "<!-- end of modules -->"
LEFT_OUT = ("models/train",)
"""Folders of recipes, which do not ship; docs/training.md describes them."""
FOLDER_ROW = re.compile(r"^(\| \[\w+\]\((\w+)/README\.md\) \|) [^|\n]* \|", re.MULTILINE)
"""Row of a table of folders: its linked name, the folder, its description."""


def folders() -> list[Path]:
    """The folders of the shipped packages that hold modules, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = {Path(name).parent for name in listed.stdout.split() if name.endswith(".py")}
    return sorted(folder for folder in found if not folder.as_posix().startswith(LEFT_OUT))


def modules(folder: Path) -> list[Path]:
    """The modules of a folder, without its ``__init__``."""
    return sorted(path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py")


def first_line(path: Path) -> str:
    """The first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]


def table(folder: Path) -> str:
    """The table of a folder's modules, in Markdown, between its markers."""
    rows = [
        f"| [{path.stem}]({path.name}) | {first_line(path).replace('|', '/')} |" for path in modules(folder)
    ]
    return "\n".join([BEGIN, "", "| module | what it is for |", "|---|---|", *rows, "", END])


def with_table(text: str, folder: Path) -> str:
    """Return a README's text with its tables updated. Raises ValueError if the markers are missing."""

    def described(row: re.Match[str]) -> str:
        path = ROOT / folder / row[2] / "__init__.py"
        line = first_line(path).replace("|", "/") if path.exists() else ""
        return f"{row[1]} {line} |" if line else row[0]

    text = FOLDER_ROW.sub(described, text)
    return with_part(text, f"{folder}/README.md", table(folder), BEGIN, END)


def main() -> None:
    """Write all tables."""
    for folder in folders():
        page = ROOT / folder / "README.md"
        page.write_text(with_table(page.read_text("utf-8"), folder), "utf-8")


if __name__ == "__main__":
    main()

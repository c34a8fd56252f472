"""Attacks on a table of this machine, each told in one line: `python -m tests.attacks [NAME...]`.

    python -m tests.attacks               all of them
    python -m tests.attacks streams 07    those whose file has one of these words in its name
    python -m tests.attacks --short       without the long ones

Exit status 0 if all held. `python -m tests.attacks.kills` kills programs a hundred times.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


class OneLine:
    """A pytest plugin that prints one line for each attack: whether it held, and what."""

    def __init__(self) -> None:
        self._what: dict[str, str] = {}
        self._outcomes: dict[str, list[pytest.TestReport]] = {}

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Note what a test shows: the first line of its docstring, or else its name."""
        function = getattr(item, "function", None)
        said = (getattr(function, "__doc__", "") or "").strip().partition("\n")[0]
        name = getattr(item, "originalname", item.name)
        self._what[_test(item.nodeid)] = said or name.removeprefix("test_").replace("_", " ")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of each part of a test."""
        self._outcomes.setdefault(_test(report.nodeid), []).append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the lines."""
        for test, reports in self._outcomes.items():
            name = Path(test.partition("::")[0]).stem.removeprefix("test_").replace("_", " ")
            words = [("FAILED", "failed"), ("skipped", "skipped"), ("held  ", "passed")]
            word = next(word for word, outcome in words if any(one.outcome == outcome for one in reports))
            terminalreporter.write_line(f"{word} {name}: {self._what[test]}")


def _test(nodeid: str) -> str:
    """The test function of a node, without its parameters."""
    return nodeid.partition("[")[0]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--short", action="store_true", help="only the attacks that `make test` runs")
    args = parser.parse_args()
    files = [
        str(path)
        for path in sorted(FOLDER.glob("test_*.py"))
        if not args.names or any(name in path.stem for name in args.names)
    ]
    if not files:
        print(f"no attack is named {' '.join(args.names)}", file=sys.stderr)
        return 2
    words = ["--quiet", "--no-header", "--tb=short", "-rN"]
    return int(pytest.main([*words, *(["-m", "not long"] if args.short else []), *files], [OneLine()]))


if __name__ == "__main__":
    raise SystemExit(main())

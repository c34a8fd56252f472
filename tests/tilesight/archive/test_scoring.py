"""Scoring through an executor: workers die, sessions fail, everything else is finished once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tilesight.archive.scoring import TRIES, Scored, Workers, cluster, scored
from tilesight.archive.store import ArchiveError
from tilesight.archive.task import Task


class Mortal(Executor):
    """Workers that finish a session by its name at once, fail the bad one and die of the deadly one, which
    breaks whatever comes after it."""

    def __init__(self, done: list[str], deaths: dict[str, int]) -> None:
        self._done, self._deaths, self._broken = done, deaths, False

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        name, future = args[0].session.name, Future[Any]()
        if self._deaths.get(name, 0):
            self._deaths[name] -= 1
            self._broken = True
        if self._broken:
            future.set_exception(BrokenProcessPool())
        elif name == "bad":
            future.set_exception(ValueError("bad: is no session\nat all"))
        else:
            self._done.append(name)
            future.set_result({"name": name})
        return future


def run(
    names: list[str], deaths: dict[str, int], at_once: int | None = 3
) -> tuple[dict[str, Scored], list[str]]:
    done: list[str] = []

    @contextmanager
    def new() -> Iterator[Executor]:
        yield Mortal(done, deaths)

    tasks = [Task(Path(name), None, Path("store")) for name in names]
    return {end.session.name: end for end in scored(tasks, Workers(new, at_once))}, done


def test_every_session_is_done_once_and_a_bad_one_says_why() -> None:
    ends, done = run(["a", "bad", "b"], {})
    assert done == ["a", "b"]
    assert ends["bad"].failed == "bad: is no session"
    assert ends["a"].result == {"name": "a"}


def test_the_sessions_of_a_dead_worker_go_to_another() -> None:
    ends, done = run(["a", "heavy", "b"], {"heavy": TRIES - 1})
    assert sorted(done) == ["a", "b", "heavy"]
    assert all(end.failed is None for end in ends.values())


def test_a_session_that_takes_every_worker_down_fails_alone() -> None:
    ends, done = run(["a", "deadly"], {"deadly": 99})
    assert done == ["a"]
    assert "worker died" in (ends["deadly"].failed or "")


def test_those_who_were_beside_it_are_done() -> None:
    names = [f"s{n}" for n in range(9)]
    ends, done = run([*names[:4], "deadly", *names[4:]], {"deadly": 99})
    assert sorted(done) == names
    assert [name for name, end in ends.items() if end.failed] == ["deadly"]


def test_workers_that_are_killed_for_nothing_fail_no_session() -> None:
    names = [f"s{n}" for n in range(30)]
    ends, done = run(names, dict.fromkeys(names[::4], 1))
    assert sorted(done) == sorted(names)
    assert all(end.failed is None for end in ends.values())


class Endless(Executor):
    """Workers that finish nothing. As Dask's executor, it cannot cancel when it is shut down."""

    def __init__(self) -> None:
        self.given: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given.append(Future())
        return self.given[-1]

    def shutdown(self, wait: bool = True) -> None:  # type: ignore[override]
        assert wait is False


def test_an_interrupted_run_cancels_its_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Endless()

    @contextmanager
    def new() -> Iterator[Executor]:
        yield executor

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tilesight.archive.scoring.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(scored([Task(Path(name), None, Path("store")) for name in "ab"], Workers(new)))
    assert [future.cancelled() for future in executor.given] == [True, True]


def test_a_cluster_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        @staticmethod
        def Client(address: str, **options: Any) -> None:
            raise OSError("Timed out trying to connect\nafter 15 s")

    monkeypatch.setattr("tilesight.archive.scoring.import_module", lambda name: Library)
    with (
        pytest.raises(
            ArchiveError, match=r"^--cluster tcp://none:1: no scheduler answers there \(Timed out[^\n]*\)$"
        ),
        cluster("tcp://none:1").new(),
    ):
        pass

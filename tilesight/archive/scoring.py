"""Scoring of many sessions through an executor: processes of this machine, or a Dask cluster's workers.

Nothing is kept here: what a worker finished lies in the store, and a run that was broken off goes on there.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tilesight.archive.store import ArchiveError
from tilesight.archive.task import Task, score

TRIES = 3
"""Number of workers that one session may take down before it counts as failed."""
CONNECT_WITHIN_S = 15.0
"""Seconds within which a cluster's scheduler must answer."""

NewExecutor = Callable[[], AbstractContextManager[Executor]]
"""Gives an executor, anew after one has lost a worker."""


@dataclass(frozen=True, slots=True)
class Scored:
    """End of one session's work: its ``result`` (`tilesight.archive.task.score`), or why there is none."""

    session: Path
    result: dict[str, Any] | None
    failed: str | None = None


def scored(tasks: Sequence[Task], new_executor: NewExecutor) -> Iterator[Scored]:
    """Each session's end, as they come. A session whose worker died is given to another, and fails once it
    was at work in ``TRIES`` that died; what others finished meanwhile is in the store and not done again."""
    left, died = list(tasks), Counter[Path]()
    while left:
        with new_executor() as executor:
            running = {executor.submit(score, task): task for task in left}
            left = []
            try:
                for future, task in _as_they_come(running):
                    end = _end_of(future, task)
                    if end is not None:
                        yield end
                        continue
                    died[task.session] += 1
                    if died[task.session] < TRIES:
                        left.append(task)
                    else:
                        yield Scored(task.session, None, f"its worker died, {TRIES} times")
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise


def _as_they_come(running: dict[Future[Any], Task]) -> Iterator[tuple[Future[Any], Task]]:
    open_now = set(running)
    while open_now:
        done, open_now = wait(open_now, timeout=0.5, return_when="FIRST_COMPLETED")
        for future in done:
            yield future, running[future]


def _end_of(future: Future[Any], task: Task) -> Scored | None:
    """The end of a session's work; None where its worker died under it."""
    try:
        return Scored(task.session, future.result())
    except (BrokenProcessPool, CancelledError):
        return None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's own word for the same
            return Scored(task.session, None, "its worker died, again and again")
        line = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Scored(task.session, None, line)


def processes(workers: int) -> NewExecutor:
    """Executors of ``workers`` processes on this machine."""

    @contextmanager
    def new() -> Iterator[Executor]:
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool

    return new


def cluster(address: str) -> NewExecutor:
    """Executors of a Dask cluster whose scheduler is at ``address``. ArchiveError where it does not answer,
    or Dask is not installed."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise ArchiveError("--cluster needs Dask: pip install 'tilesight[club]'") from None

    @contextmanager
    def new() -> Iterator[Executor]:
        try:
            client = distributed.Client(address, timeout=CONNECT_WITHIN_S, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            line = (str(error) or type(error).__name__).splitlines()[0]
            raise ArchiveError(f"--cluster {address}: no scheduler answers there ({line})") from None
        with client:
            yield client.get_executor(pure=False)

    return new

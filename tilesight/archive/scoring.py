"""Scoring of many sessions through an executor: processes of this machine, or a Dask cluster's workers.

Nothing is kept here: what a worker finished lies in the store, and a run that was broken off goes on there.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
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


@dataclass(frozen=True, slots=True)
class Workers:
    """Place of work: ``new`` gives an executor, anew after one has lost a worker, and ``at_once`` is how many
    sessions it is given at a time, None where it finds out itself which of them took a worker down."""

    new: Callable[[], AbstractContextManager[Executor]]
    at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """End of one session's work: its ``result`` (`tilesight.archive.task.score`), or why there is none."""

    session: Path
    result: dict[str, Any] | None
    failed: str | None = None


def scored(tasks: Sequence[Task], workers: Workers) -> Iterator[Scored]:
    """Each session's end, as they come. Sessions that were under way when a worker died are tried again after
    all others, one at a time, so that who takes workers down is known: it fails after ``TRIES`` of them. What
    others finished meanwhile is in the store and not done again."""
    left, suspects, died = deque(tasks), deque[Task](), Counter[Path]()
    while left or suspects:
        with workers.new() as executor:
            running: dict[Future[Any], Task] = {}
            whole = True
            try:
                while running or (whole and (left or suspects)):
                    if whole:
                        whole = _give(executor, running, left, suspects, workers.at_once)
                    for future in wait(running, timeout=0.5, return_when="FIRST_COMPLETED").done:
                        task = running.pop(future)
                        end = _end_of(future, task)
                        if end is not None:
                            yield end
                            continue
                        whole = False
                        died[task.session] += 1
                        if died[task.session] < TRIES:
                            (left if future.cancelled() else suspects).append(task)
                        else:
                            yield Scored(task.session, None, f"its worker died, {TRIES} times")
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise


def _give(
    executor: Executor,
    running: dict[Future[Any], Task],
    left: deque[Task],
    suspects: deque[Task],
    at_once: int | None,
) -> bool:
    """Give an executor what it may have now; False where it is found to have lost a worker."""
    while (left and (at_once is None or len(running) < at_once)) or (suspects and not running):
        source = left or suspects
        try:
            running[executor.submit(score, source[0])] = source[0]
        except BrokenProcessPool:
            return False
        source.popleft()
    return True


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


def processes(number: int) -> Workers:
    """Processes of this machine. One more session than those waits at hand, so that none of them does."""

    @contextmanager
    def new() -> Iterator[Executor]:
        with ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool

    return Workers(new, number + 1)


def cluster(address: str) -> Workers:
    """The workers of a Dask cluster whose scheduler is at ``address``. ArchiveError where it does not answer,
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

    return Workers(new)

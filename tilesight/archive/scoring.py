"""Scoring of many sessions through an executor: local processes, or the workers of a Dask cluster.

It keeps no state. Finished results are in the store, and an interrupted run continues from there.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
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
"""Number of workers that may die while scoring one session before the session counts as failed."""
CONNECT_WITHIN_S = 15.0
"""Seconds within which a cluster's scheduler must answer."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Source of executors.

    ``new`` creates an executor, also after one has lost a worker. ``at_once`` is the number of sessions
    submitted at a time; None if the executor itself finds out which session killed a worker.
    """

    new: Callable[[], AbstractContextManager[Executor]]
    at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """Outcome of one session: its ``result`` (`tilesight.archive.task.score`), or why it has none."""

    session: Path
    result: dict[str, Any] | None
    failed: str | None = None


def scored(tasks: Sequence[Task], workers: Workers) -> Iterator[Scored]:
    """Yield each session's outcome, as they complete.

    If a worker dies, the sessions that were running are retried after all others, one at a time. This finds
    the session that kills workers; it fails after ``TRIES`` workers. Results finished before are in the store
    and not computed again.
    """
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
                for future in running:
                    future.cancel()  # Dask's executor does not cancel futures when it is shut down
                executor.shutdown(wait=False)
                raise


def _give(
    executor: Executor,
    running: dict[Future[Any], Task],
    left: deque[Task],
    suspects: deque[Task],
    at_once: int | None,
) -> bool:
    """Submit tasks to an executor, up to its limit. Return False if it has lost a worker."""
    while (left and (at_once is None or len(running) < at_once)) or (suspects and not running):
        source = left or suspects
        try:
            running[executor.submit(score, source[0])] = source[0]
        except BrokenProcessPool:
            return False
        source.popleft()
    return True


def _end_of(future: Future[Any], task: Task) -> Scored | None:
    """Return the outcome of a session's future; None if its worker died."""
    try:
        return Scored(task.session, future.result())
    except (BrokenProcessPool, CancelledError):
        return None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's error for a dead worker
            return Scored(task.session, None, "its worker died, again and again")
        line = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Scored(task.session, None, line)


def processes(number: int) -> Workers:
    """Return local processes as workers. They end with this process, even if it is killed.

    One extra session is queued, so that no worker idles.
    """

    @contextmanager
    def new() -> Iterator[Executor]:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(number, mp_context=context, initializer=_end_with_parent) as pool:
            yield pool

    return Workers(new, number + 1)


def _end_with_parent() -> None:
    """End this worker as soon as its parent process has ended.

    The queue of tasks does not show that, because the workers hold both of its ends.
    """

    def wait() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, name="archive: parent", daemon=True).start()


def cluster(address: str) -> Workers:
    """Return the workers of the Dask cluster whose scheduler is at ``address``.

    Raises ArchiveError if the scheduler does not answer, or if Dask is not installed.
    """
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

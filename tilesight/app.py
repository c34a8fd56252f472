"""Command line: the typer app, and the conversion of errors to one line and an exit code.

Exit codes (docs/formats.md, 'Command line'): 0 success; 1 the command ran and its answer is no; 2 wrong usage
or input, reported in one line; 130 interrupted.

A command's module is imported when the command is run, so that `--help` and `check` start without the
networks and the web server.
"""

from __future__ import annotations

import _thread
import atexit
import codecs
import gc
import os
import signal
import sys
import threading
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tilesight.logs import log_to_stderr

WRONG, INTERRUPTED = 2, 130
INTERRUPT_AGAIN_S = 0.1
"""Seconds after which an interrupt that Python ignored is sent again."""

EXTRAS: dict[str, tuple[str, ...]] = {
    "club": (
        "alembic", "argon2", "distributed", "httpx", "itsdangerous", "msgspec", "networkx",
        "psycopg", "pwdlib", "sqlalchemy",
    ),
    "art": ("resvg_py",),
    "train": ("onnx", "onnxscript", "torch"),
}  # fmt: skip
"""Modules that come with an extra of the distribution: ``pip install 'tilesight[club]'``."""

COMMANDS: dict[str, tuple[str, str]] = {
    "lobby": (
        "tilesight.commands.lobby:lobby_command",
        "Start, watch and resume tables on a page; the default without a command.",
    ),
    "demo": (
        "tilesight.commands.demo:demo_command",
        "Replay a sample session on the dashboard, without a camera: the first thing to try.",
    ),
    "live": (
        "tilesight.commands.live:live_command",
        "Watch a camera, record the game, and serve it to every phone at the table.",
    ),
    "record": (
        "tilesight.recordings.record:record_command",
        "Store a camera's pictures as a session without recognising them, for a later replay.",
    ),
    "replay": (
        "tilesight.recordings.command:replay_command",
        "Replay a recorded session: print turns and scores with their reasons; compare them with its record.",
    ),
    "photo": (
        "tilesight.commands.photo:photo_command",
        "Read photographs of one table: the tiles, the pieces, and the points if the game ended now.",
    ),
    "check": (
        "tilesight.commands.check:check_command",
        "Validate and score game records. Exit code 0: all valid; 1: some invalid; 2: some unreadable.",
    ),
    "play": ("tilesight.simulation.tile_games:play_command", "Print a random legal game as a game record."),
    "print": (
        "tilesight.commands.print_sheets:print_command",
        "Write print-and-play sheets at true size: tiles with backs, animals, pieces to fold; or a mat.",
    ),
    "enrol": (
        "tilesight.commands.enrol:enrol_command",
        "Learn a printed edition from pictures of its designs or photos of its tiles; correct what is known.",
    ),
    "calibrate": (
        "tilesight.commands.calibrate:calibrate_command",
        "Calibrate a camera's lens with the printed board, or the colours of your pieces. Both are optional.",
    ),
    "export": (
        "tilesight.export.command:export_command",
        "Write a game or photographs for other programs, or a table's game as a session.",
    ),
    "learn": (
        "tilesight.learning.command:learn_command",
        "Read later games better, by the labels of games whose tables agreed; keep what is measured to help.",
    ),
    "report-problem": (
        "tilesight.problem.command:report_problem_command",
        "Make one archive of a game that went wrong, to send: log, versions, pictures cut to the board.",
    ),
    "table": ("tilesight.commands.repair:table_app", "Back up, repair or thin out tables' logs."),
    "archive": ("tilesight.archive.command:archive_app", "Score recorded sessions again."),
    "hub": (
        "tilesight.club.hub_command:hub_command",
        "Run the hub of a club: all its tables on one page, live.",
    ),
    "worker": (
        "tilesight.club.worker.command:worker_command",
        "See for tables of a club that have only a phone.",
    ),
    "keys": (
        "tilesight.club.keys_command:keys_app",
        "Invite tables and workers to a club, and end their rights.",
    ),
    "accounts": (
        "tilesight.club.accounts_command:accounts_app",
        "Give hosts and referees accounts at the hub, and take them away.",
    ),
    "club": (
        "tilesight.club.forget_command:club_app",
        "List the games that a club's hub keeps, and remove a game or a person.",
    ),
    "bench": ("tilesight.commands.bench:bench_app", "Measure speed, memory and accuracy."),
    "preview": (
        "tilesight.lobby.preview:preview_command",
        "Tell a camera's pictures with what is recognised in them, and whether they can be read well.",
    ),
    "doctor": (
        "tilesight.commands.doctor:doctor_command",
        "Check this computer: libraries, models, folders, camera, port, clock, browser address.",
    ),
}
"""Every command by name: ``module:name`` of its function or typer app, and its line of help."""


class LateCommand(TyperCommand):
    """A command that is listed with its help line and imported only when it is invoked."""

    def __init__(self, name: str, where: str, line: str) -> None:
        super().__init__(name, help=line)
        self._where = where

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the arguments with the real command; return its context, which then runs it."""
        return self.loaded().make_context(info_name, args, parent, **extra)

    def loaded(self) -> Any:
        """Import the command's module and return the command."""
        module, _, name = self._where.partition(":")
        gc.disable()  # collecting during imports costs time and frees nothing
        try:
            found = getattr(import_module(module), name)
        finally:
            gc.enable()
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False)
            found.command(self.name)(function)
        return get_command(found)


class LateCommands(TyperGroup):
    """Group of all `COMMANDS`, each imported only when it is invoked."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (where, line) in COMMANDS.items():
            self.add_command(LateCommand(name, where, line))


def _version(asked: bool) -> None:
    if asked:
        print(f"tilesight {import_module('tilesight').__version__}")
        raise typer.Exit


app = typer.Typer(
    name="tilesight",
    cls=LateCommands,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def tilesight(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version and exit")
    ] = False,
) -> None:
    """Point a camera at a tile game on a real table: Tilesight reads the board and keeps the score.

    Without a command, it opens the lobby: a page on which tables are started.
    """
    if context.invoked_subcommand is None:
        import_module("tilesight.commands.lobby").lobby_command()


def main() -> None:
    """Run the command line; exit with code 2 and one line on stderr after wrong usage or input."""
    _speak_utf8()
    # Before numpy is imported: matrix products are small here, and their threads would compete for cores
    # with the networks and OpenCV (photographs are read in a quarter less time with one thread).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # escape characters that the terminal cannot encode
            stream.reconfigure(errors="backslashreplace")
    log_to_stderr()
    atexit.register(gc.freeze)  # spares the final collection at exit
    if threading.current_thread() is threading.main_thread():
        heed_signals()
    try:
        code = app(prog_name="tilesight", standalone_mode=False)
        sys.stdout.flush()
    except Exception as error:
        code = _told(error)
    if code == INTERRUPTED:
        _say("interrupted")
    sys.exit(code)


def _speak_utf8() -> None:
    """Run this program again in Python's UTF-8 mode, in the same process, if names of files are ASCII:
    ``LC_ALL=C PYTHONUTF8=0``, or a locale that is not installed. Neither a file nor a player could be called
    Jürg otherwise. Programs that this one starts inherit the mode."""
    if codecs.lookup(sys.getfilesystemencoding()).name == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def heed_signals() -> None:
    """Let SIGTERM act like Ctrl-C, as services are stopped by it; neither is lost, whatever it interrupts.

    Python ignores what is raised in a finaliser or in a weak reference's callback, such as those of imports.
    An interrupt that it ignores is sent again.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    sys.unraisablehook = _unraisable


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _unraisable(ignored: sys.UnraisableHookArgs) -> None:
    if isinstance(ignored.exc_value, KeyboardInterrupt):
        # From a thread, and later: what is raised in here would be ignored as well.
        again = threading.Timer(INTERRUPT_AGAIN_S, _interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(ignored)


def _interrupt_main() -> None:
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        os.kill(os.getpid(), signal.SIGTERM)  # unlike `interrupt_main`, it wakes a thread that sleeps


_OUR_PACKAGES = frozenset({"engine", "vision", "calibration", "models", "tilesight", "web"})


def _told(error: Exception) -> int:
    """Print an error in one line and return the exit code; raise a bug again, with its traceback."""
    if isinstance(error, BrokenPipeError):  # the reading end of the pipe was closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, OSError):  # e.g. a full disk or missing permissions
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}")
        return WRONG
    if hasattr(error, "format_message"):  # click's usage errors, whose base class is not public
        usage: Any = error
        message = usage.format_message()
        if not message or usage.ctx is None:  # a command without arguments shows its help
            usage.show()
        else:
            _say(f"{message.rstrip('.')} (see {usage.ctx.command_path} --help)")
        return WRONG
    if isinstance(error, ModuleNotFoundError) and (extra := _extra_of(error.name)) is not None:
        command = sys.argv[1] if sys.argv[1:] and sys.argv[1] in COMMANDS else "this"
        _say(f"{command} needs more of Tilesight ({error.name}): pip install 'tilesight[{extra}]'")
        return WRONG
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        _say(f"this text is not UTF-8: {error.object}")
        return WRONG
    # Our own ValueErrors (picture, pack, record, session, model, …) have messages for users. Any other one
    # is a bug.
    if isinstance(error, ValueError) and type(error).__module__.partition(".")[0] in _OUR_PACKAGES:
        _say(str(error))
        return WRONG
    raise error


def _extra_of(module: str | None) -> str | None:
    """Return the extra that installs a module; None for a required module."""
    top = (module or "").partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if top in modules), None)


def _say(message: str) -> None:
    print(f"tilesight: {' '.join(message.split())}", file=sys.stderr)


if __name__ == "__main__":
    main()

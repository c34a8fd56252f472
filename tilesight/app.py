"""The command line: one typer app, one place where errors become a line and an exit code.

Exit codes (FORMATS, 'Command line'): 0 done; 1 it ran, and the answer is no; 2 wrong use or wrong
input, said in one clear line; 130 interrupted.
"""

from __future__ import annotations

import sys

import typer

from tilesight.bench import bench_app
from tilesight.check import check_command
from tilesight.demo import demo_command
from tilesight.enrol import enrol_command
from tilesight.photo import photo_command
from tilesight.play import play_command
from tilesight.replay import replay_command
from tilesight.sheets import print_command

app = typer.Typer(
    name="tilesight",
    help="Point a camera at a tile game on a real table: it reads the board and keeps the score.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo_command)
app.command("replay")(replay_command)
app.command("photo")(photo_command)
app.command("check")(check_command)
app.command("play")(play_command)
app.command("print")(print_command)
app.command("enrol")(enrol_command)
app.add_typer(bench_app, name="bench")


def main() -> None:
    """Run the command line; wrong input ends in one line on stderr and exit code 2."""
    try:
        app()
    except ValueError as error:
        # Our own errors (a picture, a pack, a record, a session, a model …) are ValueErrors whose
        # text is written for users. Any other ValueError is a bug and shows itself as one.
        if type(error).__module__.partition(".")[0] not in _OUR_ROOMS:
            raise
        print(f"tilesight: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("tilesight: interrupted", file=sys.stderr)
        sys.exit(130)


_OUR_ROOMS = frozenset({"engine", "vision", "calibration", "models", "tilesight", "web"})


if __name__ == "__main__":
    main()

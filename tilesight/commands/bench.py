"""`tilesight bench`: the options of the measurements in `tilesight/bench/`."""

from __future__ import annotations

import typer

from tilesight.bench.delay import bench_delay_command
from tilesight.bench.engine import bench_engine_command
from tilesight.bench.gaps import bench_gaps_command
from tilesight.bench.inference.command import bench_inference_command
from tilesight.bench.inference.ranges import bench_ranges_command
from tilesight.bench.live import bench_live_command
from tilesight.bench.params import bench_params_command
from tilesight.bench.sessions import bench_sessions_command
from tilesight.bench.tiles import bench_tiles_command
from tilesight.bench.vision import bench_vision_command

bench_app = typer.Typer(
    help="Measure speed, memory and accuracy.", no_args_is_help=True, add_completion=False
)

bench_app.command("engine")(bench_engine_command)
bench_app.command("vision")(bench_vision_command)
bench_app.command("tiles")(bench_tiles_command)
bench_app.command("live")(bench_live_command)
bench_app.command("sessions")(bench_sessions_command)
bench_app.command("gaps")(bench_gaps_command)
bench_app.command("inference")(bench_inference_command)
bench_app.command("ranges")(bench_ranges_command)
bench_app.command("delay")(bench_delay_command)
bench_app.command("params")(bench_params_command)

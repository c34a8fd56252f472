"""Command-line options that recipes share, and the set-up of torch that they ask for."""

from __future__ import annotations

import argparse

import cv2
import torch


def recipe_parser(description: str | None, *, threads: int = 1) -> argparse.ArgumentParser:
    """Parser with the options of every run by the clock; ``threads`` is the default of torch's."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=threads)
    parser.add_argument("--no-publish", action="store_true")
    return parser


def add_scene_shares(parser: argparse.ArgumentParser) -> None:
    """Add the shares of difficult tables among those drawn."""
    parser.add_argument("--hard-share", type=float, default=0.35, help="share of tables in bad light")
    parser.add_argument(
        "--checked-share", type=float, default=0.1, help="share of tables with a checked cloth"
    )


def set_up_torch(seed: int, threads: int) -> torch.device:
    """Seed torch, bound its threads and OpenCV's; the device to train on."""
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")

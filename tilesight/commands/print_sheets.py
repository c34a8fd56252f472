"""`tilesight print`: print-and-play sheets of a pack as a PDF at true size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from engine.pack import load_pack
from tilesight.output import check_output
from tilesight.printing.deck import pieces_of, plan_deck
from tilesight.printing.draw import write_pdf
from tilesight.printing.plan import Paper, tiles_called


def print_command(
    pack: Annotated[
        str, typer.Argument(help="id or folder of a pack, for example savanna; or mat, or board")
    ],
    out: Annotated[Path, typer.Argument(help="the PDF to write")],
    paper: Annotated[Paper, typer.Option(case_sensitive=False, help="size of the paper")] = Paper.A4,
    backs: Annotated[
        bool, typer.Option("--backs/--no-backs", help="print backs on the page after each page of tiles")
    ] = True,
    standees: Annotated[
        bool,
        typer.Option("--standees/--no-standees", help="print meeples and other pieces of the game to fold"),
    ] = True,
    sheets: Annotated[str, typer.Option(help="size of a mat in sheets, columns x rows")] = "2x2",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Write print-and-play sheets at true size: tiles with backs, animals, pieces to fold; or a mat."""
    check_output(out, "PDF", [Path(pack, "pack.json"), *Path(pack).glob("**/")])
    if pack in EXTRAS:
        from tilesight.printing.marker_sheets import print_extra  # late: OpenCV draws the markers

        print_extra(pack, out, paper, sheets, as_json=as_json)
        return
    opened = load_pack(pack)
    pieces = pieces_of(opened) if standees else ()
    planned = plan_deck(opened, paper, backs=backs, standees=standees)
    write_pdf(opened, planned, paper, out)
    laid = [design for design in opened.designs.values() if design.tile.start_cell is None]
    tiles = sum(design.count for design in laid)
    said = {
        "tilesight": 1,
        "pack": opened.id,
        "file": str(out),
        "paper": paper.value,
        "pages": len(planned),
        "tile_mm": opened.tile_mm,
        "tiles": tiles,
        "start_cells": len(opened.start),
        "tokens": sum(opened.tokens.values()) + len(opened.animals),
        "backs": sum(len(block.pictures) for sheet in planned if sheet.is_back for block in sheet.blocks),
        "pieces": sum(one.count for one in pieces),
    }
    if as_json:
        typer.echo(json.dumps(said))
        return
    pages = f"{len(planned)} pages {paper.value.upper()}"
    folded = f", {said['pieces']} pieces to fold" if pieces else ""
    typer.echo(f"{out}: {pages}, {tiles} {tiles_called(opened)} of {opened.tile_mm:g} mm{folded}")
    typer.echo("Print at 100 % (no 'fit to page') and measure the ruler before you cut.")
    if said["backs"]:
        typer.echo("Backs lie behind their tiles when printed on both sides, flipped on the long edge.")


EXTRAS = ("mat", "board")
"""Names accepted instead of a pack: the marker mat, and the board for `tilesight calibrate`."""

"""Vantage point of a film: the place from which the camera sees every new piece, animal tiles above all.

    cd <repository>; <python with bpy 4.5> -m samples.render.vantage water-and-baobab

Nothing is rendered: rays count how much of each piece is seen in the first picture that shows it at rest. One
line per place, the best last; the choice is written into `session.FILMS` by hand.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

from engine.pack import Pack

from .fitting import one_piece
from .plays import pack_played
from .session import FILMS, HERE, Film, art_in, camera_of, game_of
from .stage import Stage, fresh

AZIMUTHS_DEG = tuple(range(-180, 180, 15))
ELEVATIONS_DEG = (57.0, 62.0)


@dataclass(frozen=True, order=True)
class View:
    """What a camera sees of the new pieces: smallest shares of animal tiles and of the others, and how near
    it comes."""

    least_token: float
    least_other: float
    distance_mm: float
    azimuth: float
    elevation: float
    worst: tuple[str, ...]


def view_of(film: Film, pack: Pack) -> View:
    """Lay the film's game out before its camera, and count."""
    game = game_of(film, pack)
    fresh(1, 1)
    camera = camera_of(film, game)
    stage = Stage(camera, lambda design: art_in(film, pack, design), one_piece(pack))
    seen: list[tuple[bool, float, str]] = []
    for before, state in zip(game.states, game.states[1:], strict=False):
        new = [piece for piece in state.pieces if piece not in before.pieces]
        stage.show(state.tiles, game.poses, state.pieces)
        for piece in new:
            share = stage.truth_piece(piece, stage.pieces[piece])["visible"]
            seen.append((piece.kind == "token", share, f"{state.turn} {piece.animal or piece.kind} {share}"))
    tokens = sorted(s for s in seen if s[0])
    return View(
        tokens[0][1] if tokens else 1.0,
        min(share for token, share, _ in seen if not token),
        float(camera.eye_mm[2]),
        film.azimuth,
        film.elevation,
        tuple(what for _, _, what in tokens[:4]),
    )


def main() -> int:
    """Try the places all round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(FILMS))
    film = FILMS[parser.parse_args().name]
    pack = pack_played(HERE / "games" / f"{film.name}.game.jsonl")
    views = []
    for elevation in ELEVATIONS_DEG:
        for azimuth in AZIMUTHS_DEG:
            views.append(view_of(replace(film, azimuth=float(azimuth), elevation=elevation), pack))
            print(views[-1], flush=True)
    print("best:", max(views))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

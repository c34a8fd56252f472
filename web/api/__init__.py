"""HTTP interface of one table: routes, bodies, shapes of answers, events, and the phone camera's socket."""

from web.api.boards import SQUARES, TILES, BoardKind
from web.api.phone import PhoneSink, phone_camera
from web.api.served import ServedTable, serve

__all__ = ["SQUARES", "TILES", "BoardKind", "PhoneSink", "ServedTable", "phone_camera", "serve"]

"""Requests and answers: routes, shapes, events, the phone camera's socket."""

from web.api.boards import SQUARES, TILES, BoardKind
from web.api.phone import PhoneSink, phone_camera
from web.api.served import Served, serve

__all__ = ["SQUARES", "TILES", "BoardKind", "PhoneSink", "Served", "phone_camera", "serve"]

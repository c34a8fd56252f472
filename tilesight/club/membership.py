"""Membership of a computer in a club: verifies and stores its lobby's invitation."""

from __future__ import annotations

import cv2

from engine.message import Message, message_of
from tilesight.club.credentials import CredentialError, Role
from tilesight.club.invitation import Invitation, invitation_of, server_answers
from tilesight.lobby.memory import LobbyMemory
from vision.image.decode import decode_image
from vision.image.decoder import FrameError
from web.lobby_club import JoinedClub
from web.table.refusal import Refusal

CODE_AREA_PX = 4_000_000
"""Maximum number of pixels in which a QR code is searched; a larger picture is halved."""


class ClubMembership:
    """The club of this computer's lobby (web.lobby_club.Membership), stored in the lobby's private file."""

    def __init__(self, memory: LobbyMemory) -> None:
        self._memory = memory

    def joined(self) -> JoinedClub | None:
        """Return the club, None if there is none."""
        try:
            invited = _invited(self._memory.hub) if self._memory.hub else None
        except Refusal:  # of a later version, or written by hand
            return None
        return None if invited is None else JoinedClub(invited.hub, invited.name)

    def join(self, invitation: str) -> bool:
        """Join the club of an invitation. Return True if its hub answers now. Raises Refusal if the
        invitation is invalid."""
        invited = _invited(invitation)
        self._memory.join(invited.url)
        return server_answers(invited.server)

    def leave(self) -> None:
        """Leave the club."""
        self._memory.join(None)

    def read_code(self, jpeg: bytes) -> str:
        """Return the text of the QR code in a picture. Raises Refusal if none is found."""
        try:
            picture = cv2.cvtColor(decode_image(jpeg, fit_px=CODE_AREA_PX), cv2.COLOR_BGR2GRAY)
            text = cv2.QRCodeDetectorAruco().detectAndDecode(picture)[0]
        except (FrameError, cv2.error):
            text = ""
        if not text:
            raise Refusal("no_code", Message("no QR code is seen in the picture"))
        return text


def _invited(text: str) -> Invitation:
    """Parse a table's invitation. Raises Refusal."""
    try:
        invited = invitation_of(text)
    except CredentialError as error:
        raise Refusal("no_invitation", message_of(error)) from None
    if invited.role is not Role.TABLE:
        message = Message("this is the invitation of a {role}, not of a table", role=str(invited.role))
        raise Refusal("other_role", message)
    return invited

"""Value of ``--camera``: read from the command line, a file or the environment, and shown without secrets.

The address of a camera in the network may hold a password. Other users of the computer read command lines,
and guests read the table's page: the address is passed in the environment, and shown by `shown_camera` alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

CAMERA = "TILESIGHT_CAMERA"
"""Variable of the environment that stands for ``--camera``."""
HIDDEN = "***"
"""Text in the place of a secret."""
LONGEST_BYTES = 4096
"""Maximum length of the file that ``--camera @FILE`` names."""


class CameraOptionError(ValueError):
    """The file of ``--camera @FILE`` cannot be used; the message is one line for the user."""


def told_camera(text: str) -> str:
    """Return the camera that ``--camera`` names; of ``@FILE`` the first line of the file.

    A value of the variable `CAMERA` names no file: it may come from a page. Raises CameraOptionError.
    """
    if not text.startswith("@") or text == os.environ.get(CAMERA):
        return text
    try:
        with Path(text[1:]).open(encoding="utf-8", errors="replace") as file:
            line = file.read(LONGEST_BYTES).partition("\n")[0].strip()
    except OSError as error:
        raise CameraOptionError(f"--camera {text}: cannot be read ({error.strerror})") from None
    if not line:
        raise CameraOptionError(f"--camera {text}: the file is empty")
    return line


def shown_camera(text: str) -> str:
    """Return a camera as people may read it.

    An address has `HIDDEN` in the place of user, password, query and of words that look like a password's;
    all else is returned as it is.
    """
    if "://" not in text:
        return text
    scheme, _, rest = text.partition("://")
    place, slash, path = rest.partition("/")
    address, _, query = (slash + path).partition("?")
    place, question, asked = place.partition("?")
    host = place.rpartition("@")[2]
    if "@" in address:  # a password with a slash in it
        host, slash, address = HIDDEN + "@" + address.rpartition("@")[2].partition("/")[0], "", ""
    elif "@" in place:
        host = f"{HIDDEN}@{host}"
    address = re.sub(r"(?i)(user(?:name)?|pass(?:word)?|pwd|token|key)=[^/]*", rf"\1={HIDDEN}", address)
    return f"{scheme}://{host}{address}{'?' + HIDDEN if query or question or asked else ''}"


def profile_name(text: str) -> str:
    """Return the name of a camera's calibration profile: of an address, scheme, host, port and path alone."""
    shown = shown_camera(text)
    return shown.replace(f"{HIDDEN}@", "").replace(f"?{HIDDEN}", "") if "://" in shown else shown

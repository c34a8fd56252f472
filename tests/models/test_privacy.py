"""Nothing that runs a network leaves a trace of the user: no identifier, no cache of reports to send."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_running_a_network_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    code = "import models; models.load('sides')"
    subprocess.run([sys.executable, "-c", code], env=kept | {"HOME": str(tmp_path)}, check=True)
    assert not list(tmp_path.rglob("*"))

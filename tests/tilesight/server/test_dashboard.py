"""A dashboard's server: what it asks of the process around it."""

from __future__ import annotations

import sys

from tests.web.fake_table import FakeTable
from tilesight.server.dashboard import SWITCH_WITHIN_S, Dashboard


def test_requests_do_not_hold_up_the_recogniser_while_it_serves() -> None:
    before_s = sys.getswitchinterval()
    with Dashboard(FakeTable(), host="127.0.0.1", port=0):
        assert abs(sys.getswitchinterval() - SWITCH_WITHIN_S) < 1e-6 < before_s - SWITCH_WITHIN_S
    assert sys.getswitchinterval() == before_s

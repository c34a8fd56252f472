"""The options about webhooks and MQTT, of command line, file and environment; secrets stay unseen."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.tilesight.outward.receiver import SECRET
from tilesight.outward.broker_address import broker_address
from tilesight.outward.options import (
    MQTT,
    MQTT_PASSWORD,
    NETWORK,
    WEBHOOK,
    NetworkOption,
    OutwardOptions,
    WantedWebhook,
    WebhookOption,
    environment_of,
    outward_options,
)
from tilesight.settings import SettingsError


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (MQTT, MQTT_PASSWORD, WEBHOOK, NETWORK):
        monkeypatch.delenv(name, raising=False)


def test_webhooks_of_the_command_line_and_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hooks"
    file.write_text(f"# lights\nhttps://one.example.org/a {SECRET}\n\nhttps://two.example.org/b\n", "utf-8")
    options = outward_options(["https://three.example.org/c", f"@{file}"], ["192.168.1.0/24"], None)
    assert options.webhooks == (
        WantedWebhook("https://three.example.org/c"),
        WantedWebhook("https://one.example.org/a", SECRET),
        WantedWebhook("https://two.example.org/b"),
    )
    assert str(options.networks[0]) == "192.168.1.0/24"
    assert options.broker is None


def test_a_command_that_is_started_gets_the_same_options(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[OutwardOptions] = []
    started = typer.Typer()

    @started.command()
    def command(webhook: WebhookOption = None, network: NetworkOption = None) -> None:
        got.append(outward_options(webhook, network, None))

    hooks, networks = ["https://one.example.org/a", "https://two.example.org/b"], ["10.0.0.0/8"]
    given = environment_of(hooks, networks, None)
    assert MQTT not in given
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert CliRunner().invoke(started, []).exit_code == 0
    assert got == [outward_options(hooks, networks, None)]
    with pytest.raises(SettingsError, match="with a space"):
        environment_of(["@/home/Ana Bo/hooks.txt"], None, None)


@pytest.mark.parametrize(
    ("webhook", "network"),
    [
        ("ftp://example.org/PATHSECRET", None),
        ("https://example.org/PATHSECRET whsec_PATHSECRET", None),
        ("@", None),
        (None, "home"),
    ],
)
def test_invalid_options_are_refused_in_one_line_without_their_secret(
    webhook: str | None, network: str | None
) -> None:
    with pytest.raises(SettingsError, match="--webhook") as refused:
        outward_options(webhook and [webhook], network and [network], None)
    assert "PATHSECRET" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_broker_s_password_is_of_a_file_or_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "broker"
    file.write_text("mqtts://table:P%40SS@broker.example.org/home/table\n", "utf-8")
    broker = outward_options(None, None, f"@{file}").broker
    assert broker is not None
    assert (broker.host, broker.port, broker.prefix, broker.encrypted) == (
        "broker.example.org",
        8883,
        "home/table",
        True,
    )
    assert (broker.user, broker.password) == ("table", "P@SS")
    for shown in (str(broker), repr(broker)):
        assert "P@SS" not in shown
        assert "P%40SS" not in shown
    assert str(broker) == "mqtts://***@broker.example.org:8883/home/table"

    with pytest.raises(SettingsError, match=MQTT_PASSWORD) as refused:
        outward_options(None, None, "mqtt://table:P@host")
    assert "table" not in str(refused.value)
    monkeypatch.setenv(MQTT, "mqtt://table:PASS@host")
    broker = outward_options(None, None, "mqtt://table:PASS@host").broker
    assert broker is not None
    assert broker.password == "PASS"
    monkeypatch.setenv(MQTT_PASSWORD, "OTHER")
    broker = outward_options(None, None, "mqtt://table@host").broker
    assert broker is not None
    assert (broker.password, broker.port, broker.prefix) == ("OTHER", 1883, "tilesight")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "host",
        "http://host",
        "mqtt://",
        "mqtt://host:0x",
        "mqtt://host/a/+/b",
        "mqtt://host/%23",
        "mqtt://host/?q",
        "mqtt://:p@host",
        "mqtt://[::1",
    ],
)
def test_an_address_of_no_broker_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"^(it|after|a) "):
        broker_address(address, "P" if address == "mqtt://:p@host" else None)

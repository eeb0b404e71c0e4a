"""``irtui serve-web``: the app in a browser, for whoever has the token."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys

import pytest

pytest.importorskip("textual_serve")
import aiohttp

URL = re.compile(rb"http://127\.0\.0\.1:\d+/\?token=\S+")


@pytest.fixture
def served(tmp_path):
    """A running server: its process, and the address that it printed."""
    environment = {**os.environ}
    for kind in ("DATA", "CONFIG", "CACHE"):
        environment[f"IR_{kind}_DIR"] = str(tmp_path / kind.lower())
    command = [sys.executable, "-m", "irtui", "serve-web", "--port", "0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        said = process.stderr.readline()
        yield process, URL.search(said)[0].decode()
        process.kill()


async def visit(url: str) -> bytes:
    """Open ``url`` as a browser does; return what the app painted until it named a mode."""
    origin = url.split("/?")[0]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        for refused in (
            await browser.get(origin + "/"),
            await browser.get(origin + "/static/js/textual.js"),
            await browser.get(origin + "/?token=guess"),
            await browser.get(url, headers={"Origin": "http://elsewhere"}),
        ):
            assert refused.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await browser.ws_connect(origin + "/ws")
        page = await browser.get(url)
        assert page.status == 200 and "token" not in str(page.url)
        assert "fonts.googleapis.com" not in page.headers["Content-Security-Policy"]
        painted = b""
        async with browser.ws_connect(origin + "/ws?width=100&height=30") as socket:
            while b"Maintenance" not in painted:
                message = await socket.receive(timeout=30)
                if message.type is aiohttp.WSMsgType.BINARY:
                    painted += message.data
                elif message.type is aiohttp.WSMsgType.TEXT:
                    painted += json.dumps(json.loads(message.data)).encode()
                else:
                    raise AssertionError(f"the app ended: {message}, {painted[-500:]!r}")
        return painted


@pytest.mark.slow
def test_the_app_runs_in_a_browser_that_has_the_token(served):
    process, url = served
    asyncio.run(visit(url))
    process.send_signal(signal.SIGINT)
    assert process.wait(20) in (0, 130)


def test_a_port_that_is_taken_is_said(served):
    _, url = served
    port = re.search(r":(\d+)/", url)[1]
    for taken in (port, "70000"):
        done = subprocess.run(
            [sys.executable, "-m", "irtui", "serve-web", "--port", taken],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert f"port {taken} cannot be opened" in done.stderr and "--port" in done.stderr

"""The app in a browser: served to this machine alone, to whoever has the token."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import socket
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from irtui.commands.serving import DFLT_PORT
from irtui.commands.spec import UsageError

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["DFLT_PORT", "WebApp"]

_HOST = "127.0.0.1"
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self' ws:; frame-ancestors 'none'"
)
"""The page asks a font of a server elsewhere; nothing of this app is to be told to others."""


class WebApp:
    """A server of the app, one process of it for each page that is open.

    It listens on the loopback address only. The first visit must bring the token, and is given a
    cookie for it; what comes without, or from a page of another origin, is refused.

    Args:
        words: the command line of the app, without ``irtui tui``.
        port: where to listen; 0 for any free port. :attr:`url` tells which.

    Raises:
        UsageError: when ``textual-serve`` is not installed, or the port is taken.
    """

    def __init__(self, words: Sequence[str] = (), *, port: int = DFLT_PORT) -> None:
        try:
            from textual_serve.server import Server
        except ImportError:
            raise UsageError(
                "serving the app to a browser needs textual-serve",
                hint="pip install 'irengine[web]'",
            ) from None
        try:
            self._socket = socket.create_server((_HOST, port))
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"port {port} cannot be opened: {getattr(error, 'strerror', None) or error}",
                hint="--port chooses another; 0 any free one",
            ) from None
        self._port = self._socket.getsockname()[1]
        self._token = secrets.token_urlsafe(24)
        self._cookie = f"irtui-{self._port}"  # a browser sends cookies to every port of a host
        command = shlex.join([sys.executable, "-m", "irtui", "tui", *words])
        self._server = Server(command, host=_HOST, port=self._port, title="irtui")
        self._stopping: Callable[[], Any] | None = None

    @property
    def origin(self) -> str:
        """Where it is served."""
        return f"http://{_HOST}:{self._port}"

    @property
    def url(self) -> str:
        """The address to open first: it holds the token."""
        return f"{self.origin}/?token={self._token}"

    def run(self) -> None:
        """Serve until :meth:`stop` is called."""
        asyncio.run(self._run())

    def stop(self) -> None:
        """End :meth:`run`; from any thread or signal handler."""
        if self._stopping is not None:
            self._stopping()

    async def _run(self) -> None:
        from aiohttp import web

        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        self._stopping = lambda: loop.call_soon_threadsafe(stopped.set)
        app = await self._server._make_app()
        app.on_startup.clear()  # it prints a banner
        app.middlewares.append(self._guard())
        runner = web.AppRunner(app, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.SockSite(runner, self._socket).start()
            await stopped.wait()
        finally:
            await runner.cleanup()

    def _guard(self) -> Any:
        from aiohttp import web

        @web.middleware
        async def guard(
            request: web.Request, handler: Callable[[web.Request], Any]
        ) -> web.StreamResponse:
            if request.headers.get("Origin", self.origin) != self.origin:
                raise web.HTTPForbidden(text="This page may not talk to irtui.")
            if self._is_token(request.query.get("token", "")):
                entry = web.HTTPSeeOther("/")
                entry.set_cookie(self._cookie, self._token, httponly=True, samesite="Strict")
                raise entry
            if not self._is_token(request.cookies.get(self._cookie, "")):
                raise web.HTTPForbidden(text="Open the address that irtui serve-web has printed.")
            response: web.StreamResponse = await handler(request)
            if not response.prepared:
                response.headers["Content-Security-Policy"] = _POLICY
                response.headers["Referrer-Policy"] = "no-referrer"
            return response

        return guard

    def _is_token(self, told: str) -> bool:
        return secrets.compare_digest(told.encode(), self._token.encode())

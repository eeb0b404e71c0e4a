"""``serve-web``: the app in a browser of this machine."""

from __future__ import annotations

from irtui.commands.context import Context
from irtui.commands.registry import command
from irtui.commands.shapes import SERVED
from irtui.commands.spec import Param, Result

__all__ = ["DFLT_PORT", "serve_web"]

DFLT_PORT = 8417


@command(
    "serve-web",
    "show the app in a browser of this machine, until it is stopped",
    Param(
        "port",
        "where to listen; 0 for any free port",
        "int",
        ("--port",),
        default=DFLT_PORT,
        least=0,
    ),
    Param(
        "corpora", "search this corpus; may be repeated", "corpus", ("-c", "--corpus"), many=True
    ),
    Param("read_only", "change nothing", "flag", ("--read-only",)),
    effect="write",
    details=(
        "Serves the loopback address only; to reach it from elsewhere, tunnel it (ssh -L). The "
        "address that is printed holds a token, without which nothing is shown. Each page has an "
        "app of its own. Ctrl-C ends it."
    ),
    output=SERVED,
    examples=("irtui serve-web", "irtui serve-web --port 0 --read-only"),
    cancellable=True,
)
def serve_web(context: Context, *, port: int, corpora: list[str], read_only: bool) -> Result:
    """Serve the app until it is cancelled."""
    from irtui.web import WebApp

    words = [word for name in corpora for word in ("--corpus", name)]
    served = WebApp([*words, *(["--read-only"] if read_only else [])], port=port)
    context.note(f"open {served.url}")
    context.on_cancel(served.stop)
    try:
        served.run()
    finally:
        context.on_cancel(None)
    return Result({"url": served.origin}, view="served")

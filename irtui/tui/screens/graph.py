"""The mode Graph: what an artifact is linked with, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from irtui.commands.ego import View, ego, facts_of
from irtui.commands.live import problem_data
from irtui.tui.documents import Laid
from irtui.tui.keys import bindings
from irtui.tui.lanes import Answered, Ticket
from irtui.tui.pages import page_of
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.graph_actions import GraphActions
from irtui.tui.screens.graph_topic import TOPIC
from irtui.tui.selection import LEVELS
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.painting import Span
from irtui.tui.widgets.panes import Notice, error_lines
from irtui.tui.widgets.preview import Preview
from irtui.tui.widgets.strips import PaneTitle
from irtui.tui.widgets.tree import GraphTree, Overview

__all__ = ["GraphScreen"]

_SETTLE = 0.08
_MOST_CHARS = 60_000


_WAYS = {"out": "outward", "in": "inward", "both": "both ways"}


class GraphScreen(GraphActions, ModeScreen):
    """A tree around a node, where one came from, a card of the node of the cursor."""

    MODE: ClassVar[str] = "graph"
    SCOPES: ClassVar[tuple[str, ...]] = ("graph",)
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("graph"))
    FIRST_FOCUS: ClassVar[str] = "#tree"
    TOPIC: ClassVar[str] = TOPIC
    DEFAULT_CSS = """
    GraphScreen #tree-pane { width: 3fr; height: 100%; }
    GraphScreen #tree { height: 1fr; }
    GraphScreen #card-pane { width: 2fr; height: 100%; background: $surface; display: none; }
    GraphScreen.-three #card-pane, GraphScreen.-wide #card-pane { display: block; }
    GraphScreen.-show-card #card-pane { display: block; }
    GraphScreen.-one.-show-card #tree-pane { display: none; }
    GraphScreen.-hide-card #card-pane { display: none; }
    GraphScreen #overview { height: 10; }
    GraphScreen.-short #overview, GraphScreen.-tiny #overview { display: none; }
    GraphScreen #card { height: 1fr; }
    GraphScreen #notice { display: none; }
    GraphScreen.-notice #notice { display: block; }
    GraphScreen.-notice #tree { display: none; }
    GraphScreen.-notice #card-pane { display: none; }
    GraphScreen.-short #card-title, GraphScreen.-tiny #card-title { display: none; }
    """

    place = -1

    def compose_body(self) -> ComposeResult:
        """Put the tree beside a drawing of it and a card."""
        with Horizontal():
            with Vertical(id="tree-pane"):
                yield PaneTitle("Graph", id="crumbs")
                yield PaneTitle("", id="controls")
                yield GraphTree(
                    id="tree",
                    on_move=self._moved,
                    on_open=self.action_enter,
                    on_fold=self.fold,
                    picked=lambda key: f"{self.corpus}\0{key}" in self.ir.tray,
                )
                yield Notice(id="notice")
            with Vertical(id="card-pane"):
                yield Overview(id="overview")
                yield PaneTitle("Node", id="card-title")
                yield Preview(id="card")

    def on_mount(self) -> None:
        """Begin nowhere."""
        super().on_mount()
        self.corpus = ""
        self.crumbs: list[str] = []
        self.view = View()
        self.titles: dict[str, str] = {}
        self._from: Any = None
        self._card_timer: Any = None
        self._problem: dict[str, str] | None = None
        self._tell_controls()

    def on_screen_resume(self) -> None:
        """Begin at what the cursor of Search is on, when that is another one than before."""
        hit = self.ir.current_hit
        wanted = None if hit is None else (hit["source"], hit["artifact_id"])
        if wanted is not None and wanted != self._from:
            self._from = wanted
            self.center(*wanted)
        elif not self.crumbs:
            self._show_empty()

    @property
    def node(self) -> str:
        """The node in the middle."""
        return self.crumbs[self.place] if self.crumbs else ""

    def center(self, corpus: str, node: str) -> None:
        """Put a node in the middle; the way to it is kept."""
        if corpus != self.corpus:
            self.crumbs, self.place = [], -1
            self.query_one(GraphTree).mark = None
        self.corpus = corpus
        if self.node != node:
            self.crumbs = [*self.crumbs[: self.place + 1], node]
            self.place = len(self.crumbs) - 1
        self.view = replace(self.view, opened=frozenset(), closed=frozenset())
        self.walk(keep=None)

    def walk(self, *, keep: str | None = "") -> None:
        """Walk again; the cursor stays on its row, or goes to the row of key ``keep``."""
        if not self.node:
            return
        live, corpus, node, view = self.ir.live, self.corpus, self.node, self.view
        tree = self.query_one(GraphTree)
        kept = (tree.row_key(tree.at) if tree.rows else None) if keep == "" else keep

        self.ask_once(
            "graph",
            lambda: live.call(ego, corpus, node, view),
            lambda answered: self._walked(answered, kept),
        )
        self._tell_controls()

    def _walked(self, answered: Answered, keep: str | None) -> None:
        if answered.error is not None:
            self._problem = problem_data(answered.error)
            lines = error_lines(self._problem, what="The graph could not be walked")
            self.query_one(Notice).show_lines(lines)
            self.add_class("-notice")
            return
        self._problem = None
        self.remove_class("-notice")
        told = answered.value
        rows = told["rows"]
        self.titles |= {row["key"]: str(row["title"]) for row in rows}
        tree = self.query_one(GraphTree)
        tree.show_tree(rows, keep=keep)
        self._tell_crumbs()
        self.refresh_bars()
        said: list[Span] = [("", "1 node" if told["nodes"] == 1 else f"{told['nodes']:,} nodes")]
        if told["late"]:
            said.append(("due", " · time was up: what was found in 2 s"))
        elif not told["complete"]:
            said.append(("due", f" · stopped at {self.view.budget:,} nodes; b raises"))
        if len(rows) == 1:
            said.append(("muted", " · nothing leads on from here: t adds types, / finds a node"))
        self.query_one(StatusLine).counts(said)

    # --- what is shown --------------------------------------------------------------------------

    def _show_empty(self) -> None:
        self.query_one(Notice).show_lines(
            [
                [("heading", "No document to begin with")],
                [],
                [("title", "1"), ("", " search, and press "), ("title", "e"), ("", " on a result")],
                [("title", "/"), ("", " type the name of a document, or of a package")],
                [("title", "s"), ("", " begin with one of the hits of the last search")],
            ]
        )
        self.add_class("-notice")

    def _tell_crumbs(self) -> None:
        names = [self.titles.get(node, node) for node in self.crumbs]
        room, first = max(20, self.size.width - 16), 0
        while first < self.place and sum(len(name) + 3 for name in names[first:]) > room:
            first += 1
        spans: list[Span] = [("muted", "… ")] if first else []
        for place in range(first, len(names)):
            role = "title" if place == self.place else "muted"
            spans += [("muted", " ▸ " if place > first else ""), (role, names[place])]
        self.query_one("#crumbs", PaneTitle).tell(spans)

    def _tell_controls(self) -> None:
        view = self.view
        kinds = ",".join(view.types).casefold() or "none"
        told: list[Span] = [
            ("title", "+-"),
            ("muted", f" depth {view.depth}  "),
            ("title", "r"),
            ("muted", f" {_WAYS.get(view.direction, view.direction)}  "),
            ("title", "b"),
            ("muted", f" ≤{view.budget:,} nodes  "),
            ("title", "m"),
            ("muted", f" weight ≥{view.least:g}  "),
            ("title", "t"),
            ("muted", f" {kinds}"),
        ]
        self.query_one("#controls", PaneTitle).tell(told)

    def _moved(self) -> None:
        tree = self.query_one(GraphTree)
        row = tree.row
        if row is None:
            return
        at = row["parent"] if row["what"] == "more" else row["key"]
        self.query_one(Overview).show_tree(tree.rows, at)
        if self._card_timer is not None:
            self._card_timer.stop()
        self._card_timer = self.set_timer(_SETTLE, self._ask_card)

    def _ask_card(self) -> None:
        self._card_timer = None
        tree, card = self.query_one(GraphTree), self.query_one("#card", Preview)
        row = tree.row
        if row is None or not card.region.width or row["what"] == "more":
            return
        live, corpus, node = self.ir.live, self.corpus, row["node"]
        if isinstance(node, list):
            corpus, node = node
        width = card.text_width

        def work(ticket: Ticket) -> Iterator[Any]:
            yield live.call(card_of, corpus, node, width=width)

        def told(answered: Answered) -> None:
            if answered.error is not None:
                card.show_document(Laid((), (), ()), of=None, number=None)
                self.query_one("#card-title", PaneTitle).tell([("failed", str(answered.error))])
                return
            facts, laid = answered.value
            card.show_document(laid, of=(corpus, node), number=None)
            self.query_one("#card-title", PaneTitle).tell([("title", str(facts["title"]))])

        self.ask("card", work, told)

    # --- from outside ---------------------------------------------------------------------------

    def corpora_changed(
        self, state: Mapping[str, Mapping[str, Any]], changed: tuple[str, ...]
    ) -> None:
        """Walk again when the corpus has a new generation."""
        if self.corpus in changed:
            self.walk()

    def on_resize(self, event: events.Resize) -> None:
        """Show as much of the way as there is room for."""
        del event
        self._tell_crumbs()

    @on(Preview.Resized)
    def _card_resized(self) -> None:
        self.call_after_refresh(self._moved)

    def error_text(self) -> str:
        """Return the error that is shown."""
        told = self._problem
        return "" if told is None else f"{told['code']}: {told['message']}\n{told['hint']}".strip()


def card_of(live: Any, corpus: str, node: str, *, width: int) -> tuple[dict[str, Any], Laid]:
    """Return the facts of a node, and them and its document as lines."""
    facts = facts_of(live, corpus, node)
    head: list[tuple[Span, ...]] = [(("muted", f"{corpus}/{node}"[:width]),)]
    for kind, (out, into) in facts["counts"].items():
        head.append((("heading", f"{kind.casefold()} "), ("", f"{out:,} out · {into:,} in")))
    if facts["dependents"]:
        most = max(steps for _, steps, _ in facts["dependents"])
        head.append(
            (
                ("heading", "dependents "),
                ("", f"{len(facts['dependents']):,} by {facts['by'].casefold()}"),
                ("muted", f", up to {most} steps away (d)"),
            )
        )
    if not facts["known"]:
        head.append((("due", "not in this corpus: only named by others"),))
        return facts, Laid(tuple(head), (), (1,) * len(head))
    row = {"source": corpus, "artifact_id": node, "title": facts["title"], "path": None}
    laid, _ = page_of(live, row, len(LEVELS) - 1, query="", width=width, max_chars=_MOST_CHARS)
    lines = (*head, (), *laid.lines)
    return facts, Laid(lines, (), (1,) * (len(head) + 1) + laid.numbers)

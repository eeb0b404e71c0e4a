"""What the keys of Graph do; a part of its screen."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from irtui.commands.ego import DIRECTIONS, IN, OUT, TYPES, View, facts_of, find_node, row_of, ways
from irtui.tui.keys import Key, register_keys
from irtui.tui.lanes import Answered
from irtui.tui.screens.asking import Choice, TextQuestion
from irtui.tui.screens.base import ModeScreen
from irtui.tui.selection import PASSAGE, Picked, tokens_in
from irtui.tui.widgets.tree import GraphTree, edge_words

__all__ = ["GraphActions"]

register_keys(
    (
        Key("graph.deeper", "plus", "depth(1)", "deeper", "open one step more", 15),
        Key("graph.shallower", "minus", "depth(-1)", "less deep", "open one step less", 16),
        Key("graph.back", "left_square_bracket,backspace", "crumb(-1)", "back", "the node before"),
        Key("graph.forward", "right_square_bracket", "crumb(1)", "forward", "the node after"),
        Key("graph.find", "slash", "find", "find", "begin with a document or package by name", 30),
        Key("graph.types", "t", "types", "types", "choose which kinds of edges are followed", 32),
        Key("graph.direction", "r", "direction", "direction", "follow edges out, in, or both", 33),
        Key("graph.budget", "b", "budget", "budget", "allow more nodes, or fewer"),
        Key("graph.weight", "m", "weight", "weight", "the least weight of an edge"),
        Key("graph.path", "p", "path", "path", "mark A; on another node: the way from A", 40),
        Key("graph.dependents", "d", "dependents", "dependents", "what leads here", 42),
        Key("graph.seed", "s", "seed", "from hits", "begin with a hit of the last search"),
        Key("graph.select", "space", "select", "select", "select it, or put it back", 20),
        Key("graph.card", "v", "card", "card", "show or hide the card of the node"),
        Key("graph.open", "o", "edit", "open file", "open the file in your editor"),
        Key("graph.copy", "y", "copy", "copy id", "copy the id, or the error that is shown"),
        Key("graph.command", "Y", "copy_command", "copy command", "copy the command line of this"),
    )
)
_DEPTHS = range(1, 5)
_BUDGETS = (50, 200, 500, 2_000)
_WEIGHTS = (0.0, 0.3, 0.5, 0.7, 0.85)
_MOST_SEEDS = 40


class GraphActions(ModeScreen):
    """Actions of the mode Graph."""

    corpus: str
    crumbs: list[str]
    place: int
    view: View
    titles: dict[str, str]

    @property
    def node(self) -> str:
        """The node in the middle."""
        raise NotImplementedError

    def center(self, corpus: str, node: str) -> None:
        """Put a node in the middle."""
        raise NotImplementedError

    def walk(self, *, keep: str | None = "") -> None:
        """Walk again."""
        raise NotImplementedError

    @property
    def row(self) -> Mapping[str, Any] | None:
        """The row of the cursor, when it is a node."""
        row = self.query_one(GraphTree).row
        return None if row is None or row["what"] == "more" else row

    # --- moving ---------------------------------------------------------------------------------

    def action_enter(self) -> None:
        """Go on from the row of the cursor."""
        tree = self.query_one(GraphTree)
        row = tree.row
        if row is None:
            return
        if row["what"] == "more":
            self.view = replace(self.view, opened=self.view.opened | {row["parent"]})
            self.walk()
        elif row["what"] == "seen":
            for place, each in enumerate(tree.rows):
                if each["key"] == row["key"] and each["what"] != "seen":
                    tree.at = place
                    return
        elif isinstance(row["node"], list):
            self.center(*row["node"])
        elif row["depth"]:
            self.center(self.corpus, row["node"])
        else:
            self.fold(not row["open"])

    def fold(self, unfold: bool) -> None:
        """Open or close the node of the cursor; closing a closed one goes to the one above."""
        tree = self.query_one(GraphTree)
        row = tree.row
        if row is None:
            return
        if unfold:
            if row["what"] in ("more", "seen"):
                self.action_enter()
                return
            key = {row["key"]}
            self.view = replace(
                self.view, opened=self.view.opened | key, closed=self.view.closed - key
            )
            self.walk()
        elif row["open"] and row["what"] == "node":
            key = {row["key"]}
            self.view = replace(
                self.view, opened=self.view.opened - key, closed=self.view.closed | key
            )
            self.walk()
        else:
            for place, each in enumerate(tree.rows):
                if each["key"] == row["parent"] and each["what"] not in ("seen", "more"):
                    tree.at = place

    def allowed(self, key_id: str) -> str:
        """Return why a key does nothing just now."""
        return "this is where you began" if key_id == "graph.back" and self.place < 1 else ""

    def action_crumb(self, by: int) -> None:
        """Go back or forward on the way."""
        to = self.place + by
        if not 0 <= to < len(self.crumbs):
            self.say("this is where you began" if by < 0 else "there is no later node")
            return
        left = self.node
        self.place = to
        self.view = replace(self.view, opened=frozenset(), closed=frozenset())
        self.query_one(GraphTree).at = 0
        self.walk(keep=f"{self.node}\0\0{left}")  # where it is a neighbour, Enter goes there again

    def action_find(self) -> None:
        """Begin with a node by its name."""
        names = [self.corpus] if self.corpus else list(self.ir.searched)
        if not names:
            self.say("there is no corpus yet: 2 adds one")
            return
        live = self.ir.live

        def named(text: str | None) -> None:
            if not text or not text.strip():
                return

            def told(answered: Answered) -> None:
                if answered.error is not None:
                    self.say(str(answered.error), "failed")
                else:
                    self.center(*answered.value)

            self.ask_once("find", lambda: live.call(find_node, names, text.strip()), told)

        self.app.push_screen(TextQuestion("A document's name, id or path, or a package"), named)

    def action_seed(self) -> None:
        """Begin with one of the hits of the last search."""
        from irtui.tui.screens.search import SearchScreen
        from irtui.tui.widgets.hits import HitList

        search = next((s for s in self.ir.mode_screens() if isinstance(s, SearchScreen)), None)
        rows = [] if search is None else search.query_one(HitList).described(0, _MOST_SEEDS)
        if not rows:
            self.say("there are no hits: press 1 and search")
            return
        answers = {row["key"]: f"{row['title']}  {row['artifact_id']}" for row in rows}

        def chosen(key: str | None) -> None:
            if key:
                corpus, _, node = key.partition("\0")
                self.center(corpus, node)

        self.app.push_screen(Choice("Begin with", answers), chosen)

    # --- the view -------------------------------------------------------------------------------

    def action_depth(self, by: int) -> None:
        """Open more or fewer steps."""
        depth = self.view.depth + by
        if depth not in _DEPTHS:
            self.say(f"the depth is from {_DEPTHS[0]} to {_DEPTHS[-1]}")
            return
        self.view = replace(self.view, depth=depth)
        self.walk()

    def action_direction(self) -> None:
        """Follow edges the next way."""
        at = DIRECTIONS.index(self.view.direction)
        self.view = replace(self.view, direction=DIRECTIONS[(at + 1) % len(DIRECTIONS)])
        self.walk()

    def action_budget(self) -> None:
        """Allow the next number of nodes."""
        self.view = replace(self.view, budget=_next(_BUDGETS, self.view.budget))
        self.walk()

    def action_weight(self) -> None:
        """Take the next least weight."""
        self.view = replace(self.view, least=_next(_WEIGHTS, self.view.least))
        self.walk()

    def action_types(self) -> None:
        """Choose which kinds of edges are followed."""
        from irtui.tui.screens.facet_picker import ValuePicker

        rows = self.query_one(GraphTree).rows
        counts = {kind: sum(row["type"] == kind for row in rows) for kind in TYPES}
        values = [
            {"value": kind, "count": counts[kind], "chosen": kind in self.view.types}
            for kind in TYPES
        ]

        def toggled(kind: Any) -> None:
            chosen = set(self.view.types) ^ {kind}
            self.view = replace(self.view, types=tuple(each for each in TYPES if each in chosen))
            self.walk()

        self.app.push_screen(ValuePicker({"field": "kinds of edges", "values": values}, toggled))

    def action_card(self) -> None:
        """Show or hide the card."""
        wide = self.has_class("-three") or self.has_class("-wide")
        self.toggle_class("-hide-card" if wide else "-show-card")
        self.call_after_refresh(self._moved)

    def _moved(self) -> None:
        raise NotImplementedError

    def step_back(self) -> bool:
        """Leave the card, then the mark."""
        tree = self.query_one(GraphTree)
        if not tree.has_focus and not self.has_class("-notice"):
            self.remove_class("-show-card")
            tree.focus()
        elif self.has_class("-show-card"):
            self.remove_class("-show-card")
        elif tree.mark is not None:
            tree.mark = None
            tree.refresh()
        else:
            return False
        return True

    # --- going on with a node -------------------------------------------------------------------

    def action_path(self) -> None:
        """Mark a node, or show the way to it from the marked one."""
        tree, row = self.query_one(GraphTree), self.row
        if row is None or isinstance(row["node"], list):
            self.say("put the cursor on a node of this corpus")
            return
        if tree.mark is None or tree.mark == row["key"]:
            tree.mark = None if tree.mark == row["key"] else row["key"]
            self.say("marked A; p on another node shows the way" if tree.mark else "no mark")
            tree.refresh()
            return
        live, corpus, start, goal = self.ir.live, self.corpus, tree.mark, str(row["node"])
        types = self.view.types

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
            elif not answered.value:
                self.say(f"there is no way from {start} to {goal} over these edges", "due")
            else:
                steps = {}
                for node, title, edges in answered.value:
                    words = [edge_words(kind, OUT if way else IN) for kind, way in edges]
                    steps[node] = f"{' · '.join(words)} {title}".strip()
                long = len(steps) - 1
                title = f"The way, {long} {'step' if long == 1 else 'steps'}"
                self.app.push_screen(Choice(title, steps), self._center_chosen)

        self.ask_once("path", lambda: live.call(ways, corpus, start, goal, types), told)

    def action_dependents(self) -> None:
        """List what leads to the node, over others too."""
        row = self.row
        if row is None or isinstance(row["node"], list):
            return
        live, corpus, node = self.ir.live, self.corpus, str(row["node"])

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            facts = answered.value
            found = {
                other: f"{steps} {'step ' if steps == 1 else 'steps'}  {title}"
                for other, steps, title in facts["dependents"]
            }
            if not found:
                self.say(f"nothing leads to {facts['title']}")
                return
            into = facts["counts"][facts["by"]][1]
            question = f"{len(found)} lead to {facts['title']}, {into} of them directly"
            self.app.push_screen(Choice(question, found), self._center_chosen)

        self.ask_once("dependents", lambda: live.call(facts_of, corpus, node), told)

    def _center_chosen(self, node: str | None) -> None:
        if node and "\0" not in node:
            self.center(self.corpus, node)

    def action_select(self) -> None:
        """Take the document into the tray, or put it back."""
        row = self.row
        if row is None or row["what"] == "outside" or isinstance(row["node"], list):
            self.say("this is no document of the corpus")
            return
        live, corpus, node, origin = self.ir.live, self.corpus, str(row["node"]), self.node
        key = f"{corpus}\0{node}"
        tree = self.query_one(GraphTree)
        if key in self.ir.tray:
            self.ir.tray.drop([key])
            tree.refresh()
            return

        def told(answered: Answered) -> None:
            if answered.error is not None or answered.value is None:
                self.say(str(answered.error or "it is not there any more"), "failed")
                return
            hit = answered.value
            picked = Picked(
                key, hit, f"near:{origin}", "graph", 1, 0.0, time.time(), PASSAGE,
                tokens_in(str(hit["text"])),
            )  # fmt: skip
            self.ir.tray.add([picked])
            self.say(f"{len(self.ir.tray)} selected; 1 and t show them", "ok")
            tree.refresh()

        self.ask_once(f"select {key}", lambda: live.call(row_of, corpus, node), told)

    def action_edit(self) -> None:
        """Open the file in the editor."""
        from irtui.tui.editor import open_in_editor

        row = self.row
        if row is None or isinstance(row["node"], list):
            return
        live, corpus, node = self.ir.live, self.corpus, str(row["node"])

        def told(answered: Answered) -> None:
            path = (answered.value or {}).get("path") if answered.error is None else None
            if not path or not Path(path).is_file():
                self.say(f"{row['title']} has no file here", "due")
                return
            problem = open_in_editor(self.ir, path, 1)
            if problem:
                self.say(problem, "failed")

        self.ask_once("edit", lambda: live.call(row_of, corpus, node), told)

    def action_copy(self) -> None:
        """Copy the error that is shown, else the id."""
        row = self.row
        if self.has_class("-notice") and self.error_text():
            self.ir.copy(self.error_text(), what="the error")
        elif row is not None:
            node = row["node"]
            self.ir.copy("/".join(node) if isinstance(node, list) else node, what="the id")

    def action_copy_command(self) -> None:
        """Copy the command line that gives what is shown."""
        self.ir.copy(self.equivalent_command(), what="the command")

    def equivalent_command(self) -> str:
        """Return the command line that lists the edges of the node in the middle."""
        return shlex.join(["irtui", "links", "-c", self.corpus, self.node]) if self.node else ""


def _next(values: tuple[Any, ...], now: Any) -> Any:
    return values[(values.index(now) + 1) % len(values)] if now in values else values[0]

"""What the keys of Search do, apart from showing hits; a part of its screen."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irtui.tui import querytext
from irtui.tui.lanes import Answered, Ticket
from irtui.tui.screens import search_keys as _keys  # noqa: F401 - fills the table of keys
from irtui.tui.screens.asking import Choice, TextQuestion
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.search_picking import SearchPicking
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.preview import Preview

if TYPE_CHECKING:
    from irtui.tui.searching import Searching

__all__ = ["SearchActions"]

_MODES = ("hybrid", "lexical", "dense")
_MODE_WORDS = {"hybrid": "by words and meaning", "lexical": "by words", "dense": "by meaning"}


class SearchActions(SearchPicking, ModeScreen):
    """Actions of the mode Search. Its screen gives ``query_now``, ``set_query``, ``searching``."""

    searching: Searching
    mode_now: str
    _shown_query: str
    _problem: dict[str, str] | None

    def begin_actions(self) -> None:
        """Read what was kept from earlier runs."""
        self._shown_query = ""
        self._problem = None
        self._place = len(self.kept.history)
        share = self.kept.layout.get("share")
        if isinstance(share, int):
            self._share = share
            self.action_widen(0)
        self.begin_picking()

    # --- the query ------------------------------------------------------------------------------

    def set_query(self, text: str) -> None:
        """Write another query."""
        raise NotImplementedError

    def remember(self, text: str) -> None:
        """Take a query into the history."""
        self.kept.asked(text)
        self._place = len(self.kept.history)
        self.ir.keep()

    def action_query(self) -> None:
        """Type in the query."""
        self.query_one("#query").focus()

    def action_again(self) -> None:
        """Search again."""
        if self.query_now.strip():
            self.searching.ask(self.query_now, mode=self.mode_now)

    def action_history(self, by: int) -> None:
        """Go to an earlier or later search."""
        history = self.kept.history
        to = self._place + by
        if self.query_now.strip() and self._place == len(history) and by < 0:
            self.kept.asked(self.query_now)
            to = len(history) - 2 if history and history[-1] == self.query_now.strip() else to
        if not 0 <= to < len(history):
            self.say("there is no earlier search" if by < 0 else "this is the last search")
            return
        self._place = to
        self.set_query(history[to])

    def action_undo_filter(self) -> None:
        """Take the last filter away."""
        self.set_query(querytext.without_last(self.query_now))

    def action_clear_filters(self) -> None:
        """Take all filters away."""
        self.set_query(querytext.without_filters(self.query_now))

    def on_chip_line_dropped(self, event: Any) -> None:
        """Take a clicked chip away."""
        self.set_query(querytext.without(self.query_now, event.chip))

    def action_rank_mode(self) -> None:
        """Rank in the next of the three ways."""
        at = _MODES.index(self.mode_now) if self.mode_now in _MODES else 0
        self.mode_now = _MODES[(at + 1) % len(_MODES)]
        self.say(f"ranked {_MODE_WORDS[self.mode_now]}")
        self.action_again()

    def action_sort(self) -> None:
        """Choose what to sort by."""
        fields = sorted({f for s in self.ir.corpora_state.values() for f in s.get("fields", ())})
        answers = {"": "by score (as ranked)"}
        for field in fields:
            answers[f"-{field}"] = f"by {field}, greatest first"
            answers[field] = f"by {field}, least first"

        def chosen(answer: str | None) -> None:
            if answer is not None:
                self.set_query(querytext.with_field(self.query_now, "sort", answer))

        self.app.push_screen(Choice("Sort the hits", answers), chosen)

    def action_save_search(self) -> None:
        """Keep the query under a name."""
        query = self.query_now.strip()
        if not query:
            self.say("there is no search to keep yet")
            return

        def named(name: str | None) -> None:
            if name and name.strip():
                self.kept.searches[name.strip()] = query
                self.ir.keep(f"kept as {name.strip()}; B goes back to it")

        self.app.push_screen(TextQuestion("Keep this search as", value=query[:40]), named)

    def action_saved(self) -> None:
        """Go back to a saved search."""
        if not self.kept.searches:
            self.say("nothing is saved yet; b saves a search")
            return
        answers = {q: f"{name}: {q}" for name, q in sorted(self.kept.searches.items())}

        def chosen(query: str | None) -> None:
            if query:
                self.set_query(query)

        self.app.push_screen(Choice("Saved searches", answers), chosen)

    def ask_ladder(self, query: str) -> None:
        """Count, beside the loop, what each condition of a query without hits takes away."""
        found = querytext.chips(query)
        live, names = self.ir.live, list(self.ir.searched)

        def work(ticket: Ticket) -> Iterator[Any]:
            steps = []
            for chip in found:
                if ticket.superseded():
                    return
                rest = querytext.without(query, chip)
                count = live.count(rest, names=names) if rest else 0
                steps.append((query[chip.start : chip.end], count))
            yield steps

        def told(answered: Answered) -> None:
            if answered.error is None:
                self.show_ladder(query, answered.value)

        self.ask("suggest", work, told)

    def show_ladder(self, query: str, steps: list[tuple[str, int]]) -> None:
        """Show what :meth:`ask_ladder` found."""
        raise NotImplementedError

    # --- going on with a hit --------------------------------------------------------------------

    def action_hits_cursor(self, by: int) -> None:
        """Move the cursor of the list, also from the query."""
        self.query_one(HitList).action_cursor(by)

    def action_hits_page(self, by: int) -> None:
        """Move the cursor by pages, also from the query."""
        self.query_one(HitList).action_page(by)

    def action_graph(self) -> None:
        """Show the links of the hit."""
        if self.ir.current_hit is None:
            self.say("there is no hit to look at")
        else:
            self.ir.go("graph")

    def action_edit(self) -> None:
        """Open the file in the editor, at the line that is read."""
        from irtui.tui.editor import open_in_editor

        hit = self.ir.current_hit
        if hit is None:
            self.say("there is no hit to open")
            return
        path = hit.get("path")
        if not path or not Path(path).is_file():
            self.say(f"{hit['title']} has no file here" if not path else f"{path} is gone", "due")
            return
        preview = self.query_one(Preview)
        line = preview.match_number or hit.get("line") or 1
        problem = open_in_editor(self.ir, path, int(line))
        if problem:
            self.say(problem, "failed")

    def action_why(self) -> None:
        """Explain the score of the hit."""
        hit, query = self.ir.current_hit, self._shown_query
        if hit is None or not query:
            self.say("there is no hit to explain")
            return
        from irtui.tui.screens.why import why_lines

        def told(answered: Answered) -> None:
            from irtui.tui.screens.help import TextScreen

            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            width = max(40, min(84, self.size.width) - 6)
            title = f"Why {hit['title']}"
            self.app.push_screen(TextScreen(title, why_lines(answered.value.data, width=width)))

        mode = self.searching.found.answer.mode if self.searching.found else self.mode_now
        self.ask_command(
            "explain",
            "explain",
            told,
            which=hit["artifact_id"],
            query=[query],
            corpus=[hit["source"]],
            mode=mode,
        )

    def action_commit(self) -> None:
        """Mark the hits that discover would commit to, and say why it stops there."""
        query = self.query_now.strip()
        if not query:
            self.say("type a query first")
            return
        from irtui.tui.screens.commitment import marks_of, reason_of

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            hits = self.query_one(HitList)
            hits.committed = marks_of(answered.value.data)
            hits.refresh()
            self.say(reason_of(answered.value.data))

        self.ask_command("commit", "discover", told, query=[query], corpus=list(self.ir.searched))

    # --- copying --------------------------------------------------------------------------------

    def error_text(self) -> str:
        """Return the error that is shown."""
        problem = self._problem
        if problem is None:
            return ""
        return f"{problem['code']}: {problem['message']}\n{problem['hint']}".strip()

    def action_copy_id(self) -> None:
        """Copy the error that is shown, else the id of the hit."""
        if self.has_class("-notice") and self.error_text():
            self.ir.copy(self.error_text(), what="the error")
        elif self.ir.current_hit is not None:
            self.ir.copy(str(self.ir.current_hit["artifact_id"]), what="the id")
        else:
            self.say("there is nothing to copy")

    def action_copy_menu(self) -> None:
        """Choose what of the hit to copy."""
        from irtui.tui.exporting import citation, json_line

        hit = self.ir.current_hit
        texts: dict[str, tuple[str, str]] = {}
        if hit is not None:
            texts["id"] = ("its id", str(hit["artifact_id"]))
            if hit.get("path"):
                texts["path"] = ("its path", str(hit["path"]))
            texts["cite"] = ("a citation", citation(hit))
            texts["text"] = ("its passage", str(hit["text"]))
            texts["json"] = ("it as JSON", json_line(hit))
        if self.ir.tray:
            cited = "\n".join(citation(item.row) for item in self.ir.tray)
            texts["tray"] = (f"citations of all {len(self.ir.tray)} selected", cited)
        if self.query_now.strip():
            texts["command"] = ("the command line of this search", self.equivalent_command())
        if not texts:
            self.say("there is nothing to copy")
            return

        def chosen(key: str | None) -> None:
            if key:
                what, text = texts[key]
                self.ir.copy(text, what=what)

        answers = {key: f"{what}: {text[:60]}" for key, (what, text) in texts.items()}
        self.app.push_screen(Choice("Copy", answers), chosen)

    def equivalent_command(self) -> str:
        """Return the command line that gives these hits."""
        words = ["irtui", "search"]
        for name in self.ir.searched:
            words += ["-c", name]
        if self.mode_now != "hybrid":
            words += ["--mode", self.mode_now]
        return shlex.join([*words, "--", self.query_now.strip()])

    # --- the first corpus -----------------------------------------------------------------------

    def action_add_here(self) -> None:
        """Index the folder the app was started in."""
        self._add(self.ir.here)

    def action_add_path(self) -> None:
        """Ask for a folder and index it."""

        def wrong(text: str) -> str:
            where = Path(text.strip() or ".").expanduser()
            return "" if where.exists() else f"{where} does not exist"

        def chosen(text: str | None) -> None:
            if text and text.strip():
                self._add(Path(text.strip()).expanduser())

        question = TextQuestion(
            "Which folder or file?", value=str(self.ir.here), check=wrong, path=True
        )
        self.app.push_screen(question, chosen)

    def action_sample(self) -> None:
        """Index the sample notes and search them."""
        from irtui.commands.sample import sample_folder

        self._add(sample_folder(), then="protect plants from cold")

    def _add(self, where: Path, *, then: str = "") -> None:
        if not self.ir.refuses("indexing"):
            self.ir.index_path(str(where), then=then)

    def action_widen(self, by: int) -> None:
        """Give the list a greater share of the width."""
        self._share = max(20, min(80, self._share + by))
        self.query_one("#hits-pane").styles.width = f"{self._share}fr"
        self.query_one("#preview-pane").styles.width = f"{100 - self._share}fr"
        self.kept.layout["share"] = self._share
        self.ir.keep()

    _share = 50

    def seconds_now(self) -> float:
        """Return the time of day in seconds since 1970."""
        return time.time()

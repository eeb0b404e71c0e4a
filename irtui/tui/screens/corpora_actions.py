"""What the keys of Corpora do; a part of its screen."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from irtui.commands.curating import change_definition, folder_preview, kind_parameters, own_name
from irtui.tui.keys import Key, register_keys
from irtui.tui.lanes import Answered, Ticket
from irtui.tui.screens.asking import Choice
from irtui.tui.screens.corpora_details import left_out_lines, policy_said, preview_lines
from irtui.tui.screens.corpus_rows import CorpusRows
from irtui.tui.screens.form import Blank, Form
from irtui.tui.screens.policy import ask_policy

__all__ = ["CorporaActions"]

register_keys(
    (
        Key("corpora.add", "a", "add", "add folder", "add a folder, after a look at it", 10),
        Key("corpora.new", "n", "new", "new", "define a corpus of any kind", 12),
        Key("corpora.build", "b", "build", "build", "bring it up to date with its source", 14),
        Key("corpora.rebuild", "R", "rebuild", "reread", "read every item again", 60),
        Key("corpora.cancel", "c", "cancel", "stop", "stop its build; again: at once", 16),
        Key("corpora.edit", "e", "edit", "change", "change its vectors, or when it is updated", 30),
        Key("corpora.left_out", "l", "left_out", "left out", "what the last build left out", 32),
        Key("corpora.export", "x", "export", "export", "write down how corpora are defined", 34),
        Key("corpora.verify", "V", "verify", "verify", "compare what is stored with itself"),
        Key("corpora.remove", "d,delete", "remove", "remove", "forget it, and its index", 40),
        Key("corpora.all", "asterisk", "search_all", "all", "search every built corpus"),
        Key("corpora.add_to", "space", "also", "also search", "search it too, or not any more", 21),
        Key("corpora.info", "v,i", "info", "about", "show or hide what is known of it", 50),
        Key("corpora.copy", "y", "copy", "copy name", "copy its name, or the error"),
        Key("corpora.command", "Y", "copy_command", "copy command", "copy the command of this"),
        Key("corpora.refresh", "r", "refresh", "look again", "look again, also at the files"),
    )
)
_KINDS = {
    "files": "files: a folder of documents",
    "packages": "packages: the installed Python packages",
    "skills": "skills: folders with a SKILL.md",
    "reports": "reports: markdown reports of projects",
    "sessions": "sessions: transcripts of coding sessions",
    "records": "records: what a function of yours returns",
    "tools": "tools: descriptions of tools",
}
_EMBEDDERS = {
    "light": "light: fast and small, by words and their parts",
    "default": "default: the best that is installed",
}
_PREVIEW_WIDTH = 76
_MOST_PARAMS = 10


class CorporaActions(CorpusRows):
    """Actions of the mode Corpora."""

    known: dict[str, dict[str, Any]]
    added: dict[str, Path]

    def show_details(self) -> None:
        """Show what is known of the corpus of the cursor."""
        raise NotImplementedError

    def allowed(self, key_id: str) -> str:
        """Return why a key does nothing just now."""
        verb = key_id.partition(".")[2]
        name = self.name_now
        if verb in ("build", "rebuild", "edit", "verify", "remove", "left_out", "info", "copy"):
            if not name:
                return "there is no corpus yet"
            row = self.rows[name]
            if verb in ("verify", "left_out") and not row["built"]:
                return "it is not built yet: b builds it"
            if verb in ("rebuild", "edit") and not row["kind"]:
                return "it was only tried: a adds it for good"
        if verb == "cancel" and (not name or self.job_of(name) is None):
            return "nothing runs for this corpus"
        return ""

    # --- searching ------------------------------------------------------------------------------

    def search_in(self, name: str) -> None:
        """Search a corpus; one that is not built is built first."""
        if not name:
            return
        if not self.rows[name]["built"]:
            self.say("it is not built yet: b builds it", "due")
            return
        self.ir.choose_corpora([name])
        self.ir.go("search")

    def action_search_all(self) -> None:
        """Search everything that is built."""
        names = [name for name, row in self.rows.items() if row["built"] and not row["problem"]]
        if names:
            self.ir.choose_corpora(names)
            self.ir.go("search")

    def action_also(self) -> None:
        """Search this one too, or not any more."""
        name = self.name_now
        if not name or not self.rows[name]["built"]:
            self.say("it is not built yet: b builds it", "due")
            return
        names = [each for each in self.ir.searched if each != name]
        if len(names) == len(self.ir.searched):
            names.append(name)
        if not names:
            self.say("at least one corpus is searched")
            return
        self.ir.choose_corpora(names)
        self.paint()
        self.say(f"searched: {', '.join(names)}")

    def paint(self) -> None:
        """Show the list."""
        raise NotImplementedError

    # --- adding ---------------------------------------------------------------------------------

    def action_add(self) -> None:
        """Add a folder, with a look at what would be indexed."""
        if self.ir.refuses("adding"):
            return
        live = self.ir.live

        def changed(form: Form, values: Mapping[str, str]) -> None:
            folder, pattern = values["root"], values["pattern"]

            def told(answered: Answered) -> None:
                if not form.is_attached:
                    return
                if answered.error is not None:
                    form.tell([[("due", str(answered.error))]])
                else:
                    form.tell(preview_lines(answered.value, _PREVIEW_WIDTH))

            if folder:
                self.ask_once("preview", lambda: live.call(folder_preview, folder, pattern), told)

        def send(form: Form, values: dict[str, str]) -> None:
            def work(ticket: Ticket) -> Iterator[Any]:
                del ticket
                name = values["name"] or live.call(own_name, values["root"])
                options = {key: values[key] for key in ("root", "pattern") if values[key]}
                if values["embedder"]:
                    options["embedder"] = values["embedder"]
                live.run("register", name=name, kind="files", **options)
                yield name

            self._registered(form, work)

        row = self.rows.get(self.name_now, {})
        tried = "" if row.get("kind") else row.get("root")  # what was tried may be to be kept
        here = str(tried or self.ir.here)
        self.app.push_screen(
            Form(
                "Add a folder",
                [
                    Blank("root", "folder", here, "~/notes", needed=True, folder=True),
                    Blank("name", "name", "", "that of the folder"),
                    Blank("pattern", "which files: a regular expression", "", "text of all kinds"),
                    Blank("embedder", "model for meaning", "", "default; light: smaller, faster"),
                ],
                send=send,
                changed=changed,
                does="builds it",
            )
        )

    def action_new(self) -> None:
        """Define a corpus of any kind."""
        if self.ir.refuses("defining a corpus"):
            return
        live = self.ir.live

        def chosen(kind: str | None) -> None:
            if not kind:
                return
            if kind == "files":
                self.action_add()
                return

            def told(answered: Answered) -> None:
                if answered.error is not None:
                    self.say(str(answered.error), "failed")
                else:
                    self._new_of(kind, answered.value)

            self.ask_once("kind", lambda: live.call(kind_parameters, kind), told)

        self.app.push_screen(Choice("What is it made of?", _KINDS), chosen)

    def _new_of(self, kind: str, parameters: Mapping[str, Any]) -> None:
        live = self.ir.live
        needed = set(parameters["needed"])
        names = sorted(parameters["allowed"], key=lambda name: name not in needed)[:_MOST_PARAMS]
        blanks = [Blank("corpus-name", "name of the corpus", kind, needed=True)]
        blanks += [Blank(name, name, "", "JSON, or text", needed=name in needed) for name in names]
        blanks.append(Blank("corpus-embedder", "model for meaning", "", "default"))

        def send(form: Form, values: dict[str, str]) -> None:
            def work(ticket: Ticket) -> Iterator[Any]:
                del ticket
                given = [f"{name}={values[name]}" for name in names if values[name]]
                options: dict[str, Any] = {"param": given}
                if values["corpus-embedder"]:
                    options["embedder"] = values["corpus-embedder"]
                live.run("register", name=values["corpus-name"], kind=kind, **options)
                yield values["corpus-name"]

            self._registered(form, work)

        self.app.push_screen(
            Form(f"A corpus of {kind}", blanks, send=send, does="defines it and builds it")
        )

    def _registered(self, form: Form, work: Any) -> None:
        def told(answered: Answered) -> None:
            if answered.error is not None:
                hint = getattr(answered.error, "hint", "")
                form.refuse(f"{answered.error}" + (f"  try: {hint}" if hint else ""))
                return
            name, root = str(answered.value), form.values.get("root", "")
            self.added |= {name: Path(root).expanduser().resolve()} if root else {}
            form.dismiss(None)
            self.start_build(name)

        self.ask("register", work, told)

    def take_over(self, name: str) -> None:
        """Search what was added, once it is built, in place of what was tried of its folder."""
        root, searched = self.added.pop(name, None), self.ir.searched
        row = self.rows.get(searched[0], {}) if len(searched) == 1 else {}
        if root is not None and not row.get("kind") and Path(row.get("root") or "") == root:
            self.ir.choose_corpora([name])

    # --- looking after --------------------------------------------------------------------------

    def start_build(self, name: str, *options: str) -> None:
        """Build a corpus in a job; one at a time for each."""
        if self.job_of(name) is not None:
            self.say(f"{name} is being built already; c stops it")
            return
        self.ir.jobs.start(["build", name, *options], title=f"build {name}")
        self.load()

    def action_build(self) -> None:
        """Bring the corpus up to date."""
        if self._refused("build", "building"):
            return
        row = self.rows[self.name_now]
        if row["kind"] or not row["root"]:
            self.start_build(self.name_now)
        else:
            self.ir.jobs.start(["try", str(row["root"])], title=f"index {row['root']}")

    def action_rebuild(self) -> None:
        """Read every item again."""
        if not self._refused("rebuild", "building"):
            self.start_build(self.name_now, "--rehash")

    def action_verify(self) -> None:
        """Compare what is stored with itself."""
        if not self._refused("verify"):
            name = self.name_now
            self.ir.jobs.start(["verify", name], title=f"verify {name}")

    def action_left_out(self) -> None:
        """List what the last build left out, or could not read."""
        from irtui.tui.screens.help import TextScreen

        if self._refused("left_out"):
            return
        known = self.known.get(self.name_now)
        if known is None:
            self.say("not known yet; once more")
            return
        build = known.get("last_build") or {}
        self.app.push_screen(TextScreen(f"Last build of {self.name_now}", left_out_lines(build)))

    def action_remove(self) -> None:
        """Forget a corpus; its name has to be typed."""
        if self._refused("remove", "removing"):
            return
        name = self.name_now
        row = self.rows[name]
        if self.job_of(name) is not None:
            self.say("it is being built; c stops that first", "due")
            return
        answers = {}
        if row["kind"]:
            answers["keep"] = "forget the definition, keep the index"
        answers["purge"] = f"also delete the index of {row['artifacts']:,} documents"
        answers[""] = "leave it"

        def chosen(answer: str | None) -> None:
            if answer == "keep":
                self._remove(name, purge=False)
            elif answer == "purge":
                self._confirm_purge(name)

        question = f"Remove {name}? Your own files are not touched."
        self.app.push_screen(Choice(question, answers), chosen)

    def _confirm_purge(self, name: str) -> None:
        from irtui.tui.screens.asking import TextQuestion

        def check(text: str) -> str:
            return "" if text.strip() == name else f"type {name} to delete its index"

        def typed(text: str | None) -> None:
            if text is not None and text.strip() == name:
                self._remove(name, purge=True)

        self.app.push_screen(TextQuestion(f"Type {name} to delete its index", check=check), typed)

    def _remove(self, name: str, *, purge: bool) -> None:
        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            rest = [each for each in self.ir.searched if each != name]
            self.say(f"{name} is removed", "ok")
            self.ir.choose_corpora(rest)
            self.load()

        self.ask_command("remove", "rm", told, name=name, purge=purge, yes=purge)

    # --- changing -------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Change what makes the vectors, or when it is brought up to date."""
        if self._refused("edit", "changing"):
            return
        name = self.name_now
        known = self.known.get(name) or {}
        answers = {
            "policy": f"when it is updated: {policy_said(known.get('policy', {}))}",
            "embedder": f"its model for meaning: {known.get('embedder') or 'default'}",
        }

        def chosen(answer: str | None) -> None:
            if answer == "policy":
                ask_policy(self, name, known.get("policy", {}), self._changed)
            elif answer == "embedder":
                self._ask_embedder(name, known)

        self.app.push_screen(Choice(f"Change {name}", answers), chosen)

    def _ask_embedder(self, name: str, known: Mapping[str, Any]) -> None:
        texts = int(known.get("records") or 0)

        def chosen(embedder: str | None) -> None:
            if not embedder or embedder == known.get("embedder"):
                return
            if not texts:
                self._change(name, {"embedder": embedder}, rebuild=False)
                return
            question = (
                f"All {texts:,} passages of {name} get new vectors; until then the old ones answer."
            )
            answers = {
                "now": "change it and build now",
                "later": "change it, build later",
                "": "no",
            }

            def sure(answer: str | None) -> None:
                if answer:
                    self._change(name, {"embedder": embedder}, rebuild=answer == "now")

            self.app.push_screen(Choice(question, answers), sure)

        self.app.push_screen(Choice("Model for meaning", _EMBEDDERS), chosen)

    def _change(self, name: str, changes: Mapping[str, Any], *, rebuild: bool) -> None:
        live = self.ir.live

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            self._changed(name)
            if rebuild:
                self.start_build(name, "--switch-embedder")

        self.ask_once("change", lambda: live.call(change_definition, name, dict(changes)), told)

    def _changed(self, name: str) -> None:
        self.known.pop(name, None)
        self.say(f"{name} is changed", "ok")
        self.load()
        self.show_details()

    # --- the rest -------------------------------------------------------------------------------

    def action_info(self) -> None:
        """Show or hide the details."""
        wide = self.has_class("-three") or self.has_class("-wide")
        self.toggle_class("-hide-info" if wide else "-show-info")
        self.call_after_refresh(self.show_details)

    def action_refresh(self) -> None:
        """Look again, also at the files."""
        self.forget_files()
        self.known.clear()
        self.load()

    def action_copy(self) -> None:
        """Copy the name, or the error that is shown."""
        if self.error_text():
            self.ir.copy(self.error_text(), what="the error")
        elif self.name_now:
            self.ir.copy(self.name_now, what="the name")

    def action_export(self) -> None:
        """Write down how this corpus, or all of them, are defined."""
        from irtui.tui.screens.corpora_export import ask_export

        name = self.name_now
        if not self.rows:
            self.say("there is no corpus yet: a adds a folder")
        else:
            ask_export(self, name if self.rows.get(name, {}).get("kind") else "")

    def action_copy_command(self) -> None:
        """Copy the command line that builds this corpus."""
        name = self.name_now
        self.ir.copy(shlex.join(["irtui", "build", name]) if name else "irtui ls")

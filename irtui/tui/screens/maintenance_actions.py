"""What the keys of Maintenance do; a part of its screen."""

from __future__ import annotations

from typing import Any

from irtui.commands.curating import change_definition
from irtui.tui.keys import Key, register_keys
from irtui.tui.lanes import Answered
from irtui.tui.screens.asking import Choice, TextQuestion
from irtui.tui.screens.corpus_rows import CorpusRows
from irtui.tui.screens.policy import ask_policy

__all__ = ["MaintenanceActions"]

register_keys(
    (
        Key("maintenance.run", "r", "run", "run", "look after this corpus now", 10),
        Key("maintenance.run_due", "R", "run_due", "run due", "look after all that is due", 11),
        Key("maintenance.dry_run", "n", "dry_run", "dry run", "say what would be done", 12),
        Key("maintenance.cancel", "c", "cancel", "stop", "stop what runs; again: at once", 13),
        Key("maintenance.pause", "p", "pause", "pause", "only when asked, or as before", 30),
        Key("maintenance.edit", "e", "edit", "change", "change when it is due", 20),
        Key("maintenance.schedule", "i", "schedule", "schedule", "let the system run it", 40),
        Key("maintenance.log", "v", "log", "log", "show or hide the log", 50),
        Key("maintenance.copy", "y", "copy_command", "copy command", "copy what r would run", 60),
        Key("maintenance.error", "Y", "copy_error", "copy error", "copy the error"),
    )
)


class MaintenanceActions(CorpusRows):
    """Actions of the mode Maintenance."""

    schedule: dict[str, Any] | None

    def allowed(self, key_id: str) -> str:
        """Return why a key does nothing just now."""
        verb = key_id.partition(".")[2]
        name = self.name_now
        if verb in ("run", "dry_run", "pause", "edit", "copy", "log") and not name:
            return "nothing is registered: 2 and a add a folder"
        if verb == "cancel" and (not name or self.job_of(name) is None):
            return "nothing runs here"
        return ""

    # --- running --------------------------------------------------------------------------------

    def action_run(self) -> None:
        """Look after this corpus now, due or not."""
        if self._refused("run", "maintenance"):
            return
        name = self.name_now
        if self.job_of(name) is not None:
            self.say(f"{name} is being looked after already; c stops it")
            return
        self.ir.jobs.start(["maintain", "--all", "-c", name], title=f"maintain {name}")

    def action_run_due(self) -> None:
        """Look after everything that is due."""
        if not self.ir.refuses("maintenance"):
            self.ir.jobs.start(["maintain"], title="maintain what is due")

    def action_dry_run(self) -> None:
        """Say what would be done."""
        from irtui.tui.screens.help import TextScreen

        if self._refused("dry_run"):
            return

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            lines = []
            for row in answered.value.data:
                would = row["outcome"] == "would-run"
                word = "would be built" if would else "left alone"
                if row["synopsis"]:
                    word += ", synopses too"
                lines.append(
                    [
                        ("title", f"{row['name']}  "),
                        ("due" if would else "muted", word),
                        ("muted", f"  {row['reason']}"),
                    ]
                )
            self.app.push_screen(TextScreen("What a run would do now", lines))

        self.ask_command("dry run", "maintain", told, dry_run=True)

    # --- changing -------------------------------------------------------------------------------

    def action_pause(self) -> None:
        """Let it be done only when asked, or as it was before."""
        if self._refused("pause", "changing"):
            return
        name = self.name_now
        reindex = dict(self.rows[name]["policy"].get("reindex", {}))
        paused = self.ir.kept.layout.setdefault("paused", {})
        if reindex.get("on") == "manual":
            reindex = paused.pop(name, {"on": "source-change"})
            said = f"{name} is kept up to date again"
        else:
            paused[name] = reindex  # a paused policy has no room for the times it had
            reindex = {"on": "manual"}
            said = f"{name} is paused: only r looks after it"
        self.ir.keep()
        live = self.ir.live

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
            else:
                self.say(said, "ok")
                self.load()

        self.ask_once("policy", lambda: live.call(change_definition, name, reindex), told)

    def action_edit(self) -> None:
        """Change when it is due."""
        if self._refused("edit", "changing"):
            return
        name = self.name_now

        def changed(which: str) -> None:
            self.say(f"{which} is changed", "ok")
            self.load()

        ask_policy(self, name, self.rows[name]["policy"], changed)

    def action_schedule(self) -> None:
        """Let the operating system run maintenance, or not any more."""
        if self.ir.refuses("scheduling"):
            return
        installed = bool((self.schedule or {}).get("installed"))
        answers = {"install": "run it every … (asks how often)"}
        if installed:
            answers["restart"] = "set it up anew, with this interpreter"
            answers["remove"] = "take it away"
        answers[""] = "leave it"

        def chosen(answer: str | None) -> None:
            if answer == "install":
                question = "Every … (15m, 6h, 1d)"
                value = _every((self.schedule or {}).get("every_minutes"))
                self.app.push_screen(TextQuestion(question, value=value), every)
            elif answer:
                self.ir.jobs.start(["schedule", f"--{answer}"], title=f"schedule: {answer}")

        def every(text: str | None) -> None:
            if text and text.strip():
                words = ["schedule", "--install", "--every", text.strip()]
                self.ir.jobs.start(words, title=f"schedule every {text.strip()}")

        self.app.push_screen(Choice("Maintenance by the operating system", answers), chosen)

    # --- the rest -------------------------------------------------------------------------------

    def action_log(self) -> None:
        """Show or hide the log."""
        wide = self.has_class("-three") or self.has_class("-wide")
        self.toggle_class("-hide-log" if wide else "-show-log")
        self.call_after_refresh(self._show_about)

    def _show_about(self) -> None:
        raise NotImplementedError

    def action_copy_command(self) -> None:
        """Copy the command line that does what r does."""
        self.ir.copy(self.equivalent_command(), what="the command")

    def action_copy_error(self) -> None:
        """Copy the error."""
        text = self.error_text()
        if text:
            self.ir.copy(text, what="the error")
        else:
            self.say("there is no error")


def _every(minutes: Any) -> str:
    return f"{minutes:g}m" if isinstance(minutes, (int, float)) and minutes else "1h"

"""Which rule keeps a file out of a folder corpus."""

from __future__ import annotations

from pathlib import Path

from irengine.sources.files import FileScope
from irengine.sources.ignore import IgnoreRules, ancestor_rules, enter

__all__ = ["RulesOf"]


class RulesOf:
    """The rules of a folder scope, asked about one file at a time.

    A rule is ``"hidden: NAME"``, ``"exclude_dirs: NAME"``, ``"FILE: PATTERN"`` with the ignore
    file relative to the root, ``"exclude"``, or ``"not-listed"`` when none applies.
    """

    def __init__(self, scope: FileScope) -> None:
        self._root = scope.roots[0]
        self._rules = scope.rules
        names = self._rules.ignore_files
        above = ancestor_rules(self._root, names) if names else None
        self._inside: dict[str, IgnoreRules | None] = {}
        self._above = above

    def why(self, item: str) -> str:
        """Return the rule that leaves out ``item``: the first on the way down to it."""
        prefix = ""
        *folders, name = item.split("/")
        for folder in folders:
            if self._is_hidden(folder):
                return f"hidden: {folder}"
            if folder in self._rules.exclude_dirs:
                return f"exclude_dirs: {folder}"
            path = f"{prefix}{folder}/"
            if rule := self._rule(path, prefix):
                return rule
            prefix = path
        if self._is_hidden(name):
            return f"hidden: {name}"
        return self._rule(item, prefix) or "not-listed"

    def _is_hidden(self, name: str) -> bool:
        hidden = self._rules.hidden
        if name[:1] != "." or name[1:2] == ".":
            return False
        return not (hidden is True or (hidden is not False and name in hidden))

    def _rule(self, item: str, prefix: str) -> str:
        rules = self._ignore_rules(prefix)
        while rules is not None:
            path = rules.lead + item[rules.above :]
            verdict = rules.patterns.verdict(path)
            if verdict is not None:
                line = rules.patterns.deciding(path) or ""
                return f"{self._file(rules, item, line)}: {line}" if verdict else ""
            rules = rules.outer
        excluded = self._rules.excluded
        return "exclude" if excluded is not None and excluded(item) else ""

    def _ignore_rules(self, prefix: str) -> IgnoreRules | None:
        """Return the rules in force in the folder ``prefix``."""
        if not self._rules.ignore_files:
            return None
        if prefix not in self._inside:
            outer = self._above
            if prefix:
                outer = self._ignore_rules(prefix[: prefix.rfind("/", 0, -1) + 1])
            folder = self._root / prefix
            present = [name for name in self._rules.ignore_files if (folder / name).is_file()]
            self._inside[prefix] = enter(str(folder), prefix, present, outer) if present else outer
        return self._inside[prefix]

    def _file(self, rules: IgnoreRules, item: str, line: str) -> str:
        """Return the ignore file a line is in: below the root, or above it as ``../``."""
        folder, shown = self._root / item[: rules.above], item[: rules.above]
        if rules.lead:
            steps = rules.lead.count("/")
            folder, shown = self._root, "../" * steps
            for _ in range(steps):
                folder = folder.parent
        names = [name for name in self._rules.ignore_files if _holds(folder / name, line)]
        return shown + (names[-1] if names else "ignored")


def _holds(path: Path, line: str) -> bool:
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return False
    return line in (one.rstrip("\r") for one in text.split("\n"))

"""Choose where a text is cut into chunks, so that they read well by themselves.

Every chunk is an exact slice of the text, without the white space at its ends. A chunk takes as
much as its budget allows and ends at the best of, in this order: a heading, a blank line, a
sentence or list item, a line end, white space. Only a string without white space that is longer
than the budget is cut inside, after punctuation if possible and never inside a grapheme cluster.
A code fence that fits in one chunk is never cut. The next chunk repeats up to ``overlap`` of the
text before it, from the start of a sentence or at least of a word, but not across a heading.

Time is linear in the text: each step looks at one budget's worth of characters.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from irengine.strategy.boundaries import (
    BLANK_LINE,
    SENTENCE_END,
    first_soft,
    first_word,
    is_safe,
    last_soft,
    last_space,
    safe_after,
    safe_before,
    skip_space,
    trimmed_end,
)
from irengine.strategy.budgets import Budget
from irengine.strategy.markdown import Outline

__all__ = ["Cutter"]

_AHEAD = 8  # how far past a limit to look for what makes it a good place
_SHORTEST_TAIL = 8  # code points; a shorter overlap could not be told from chance


class Cutter:
    """Chooses where one chunk ends and where the next one starts."""

    def __init__(self, text: str, budget: Budget, structure: Outline) -> None:
        self.text = text
        self.budget = budget
        self.headings = structure.headings
        self.heads = [h.start for h in structure.headings]
        self.fences = structure.fences
        self.fence_starts = [start for start, _ in structure.fences]
        self.fits: dict[int, bool] = {}

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the ``(start, end)`` of each chunk, in order; both grow strictly."""
        text, budget = self.text, self.budget
        last = trimmed_end(text, 0, len(text))
        fresh = skip_space(text, 0, last)  # the first character that no chunk holds yet
        start = fresh
        while fresh < last:
            limit = min(budget.limit(start), last)
            cut = last if limit >= last else self.cut(start, fresh, limit)
            cut = budget.settle(start, cut) if cut > fresh else fresh
            if cut <= fresh:  # nothing new fits behind the overlap: do without
                start = fresh
                continue
            end = trimmed_end(text, start, cut)
            yield start, end
            fresh = skip_space(text, cut, last)
            start = self.restart(start, end, fresh) if fresh < last else fresh
            budget.forget(start)

    def cut(self, start: int, fresh: int, limit: int) -> int:
        """Return the best end in ``(fresh, limit]`` of a chunk from ``start``.

        Returns ``fresh`` when the chunk can hold nothing new unless it gives up its overlap.
        """
        text = self.text
        half = max(fresh + 1, start + (limit - start) // 2)
        fence = self.fence_around(limit)
        if fence is not None and fence[0] <= fresh:
            if start < fresh:
                return fresh
            fence = None
        if fence is not None:
            limit, half = fence[0], min(half, fence[0])
        if (head := self.best_heading(half, limit)) is not None:
            return head
        if fence is not None:
            titled = self.before_heading(limit, fresh)
            return titled if self.budget.limit(titled) >= fence[1] else limit
        low = max(fresh + 1, start + (limit - start) * 2 // 5)
        if (blank := self.last_blank(low, limit)) is not None:
            return self.before_heading(blank, fresh)
        for match in reversed(list(SENTENCE_END.finditer(text, half - 1, limit + _AHEAD))):
            if half <= match.end() <= limit and self.is_free(match.end()):
                return self.before_heading(match.end(), fresh)
        line = text.rfind("\n", half, limit + 1)
        space = line if line >= 0 else last_space(text, fresh + 1, limit + 1)
        while space >= 0 and not is_safe(text, skip_space(text, space, len(text))):
            space = last_space(text, fresh + 1, space)
        if space >= 0:
            return self.before_heading(self.outside(space, fresh), fresh)
        if start < fresh and text[fresh - 1].isspace():
            return fresh
        soft = last_soft(text, max(fresh, limit - (limit - start) // 4), limit)
        return soft if soft > fresh else safe_before(text, limit, fresh)

    def restart(self, start: int, end: int, fresh: int) -> int:
        """Return where the chunk after ``text[start:end]`` starts, in ``(start, fresh]``."""
        budget = self.budget
        if budget.overlap == 0 or self.is_heading(fresh):
            return fresh
        tail = low = max(start + 1, budget.back(end, overlap=True))
        block = self.block_end(end, fresh)
        if budget.limit(fresh) >= block > fresh:  # the block that comes next stays whole
            low = max(low, budget.back(block, overlap=False))
        if (end - low) * 4 < end - tail:  # too little is left to be of use
            return fresh
        begin = self.tail_start(low, end, fresh)
        return begin if end - begin >= min(_SHORTEST_TAIL, (end - tail) // 2) else fresh

    def tail_start(self, low: int, end: int, fresh: int) -> int:
        """Return the best start in ``[low, end)`` for a chunk that goes on after ``end``.

        The last heading, the first sentence of the first half, or the first word; in a string
        without white space that goes on, any safe place. ``fresh`` when there is none.
        """
        text = self.text
        head = bisect_left(self.heads, end) - 1
        if head >= 0 and self.heads[head] >= low:
            return self.heads[head]
        low = self.after_fence(low)
        if low >= end:
            return fresh
        middle = low + (end - low) // 2
        for match in SENTENCE_END.finditer(text, low - 1, middle):
            begin = skip_space(text, match.end(), end)
            if low <= begin <= middle:
                return self.outside(begin, low - 1)
        word = first_word(text, low, end)
        if word < end:
            return self.outside(word, low - 1)
        if fresh > end:
            return fresh
        soft = first_soft(text, low, middle)
        begin = soft if soft >= 0 else safe_after(text, low, end)
        return begin if begin < end else fresh

    def is_heading(self, position: int) -> bool:
        """Tell whether a heading starts at ``position`` (its indent not counted)."""
        at = bisect_right(self.heads, position) - 1
        return at >= 0 and skip_space(self.text, self.heads[at], position + 1) == position

    def best_heading(self, low: int, high: int) -> int | None:
        """Return the start of the highest heading in ``[low, high]``, the latest of equals."""
        found = self.headings[bisect_left(self.heads, low) : bisect_right(self.heads, high)]
        return min(found, key=lambda h: (h.level, -h.start)).start if found else None

    def before_heading(self, cut: int, floor: int) -> int:
        """Move ``cut`` before the headings it would part from their text, not to ``floor``."""
        at = bisect_left(self.heads, cut) - 1
        while at >= 0 and self.heads[at] > floor:
            heading = self.headings[at]
            if heading.end < cut and self.text[heading.end : cut].strip():
                break
            cut = heading.start
            at -= 1
        return cut

    def last_blank(self, low: int, high: int) -> int | None:
        """Return the latest paragraph end or fence edge in ``[low, high]``."""
        best = -1
        for match in BLANK_LINE.finditer(self.text, low, high + _AHEAD):
            if match.start() <= high and self.is_free(match.start()):
                best = match.start()
        at = bisect_right(self.fence_starts, high) - 1
        if at >= 0 and self.fence_fits(at):
            for edge in self.fences[at]:
                if low <= edge <= high:
                    best = max(best, edge)
        return best if best >= low else None

    def block_end(self, end: int, fresh: int) -> int:
        """Return where the paragraph or fence that starts at ``fresh`` ends.

        Returns ``fresh`` when no block starts there, and a position that does not fit when the
        block is longer than the budget.
        """
        at = bisect_right(self.fence_starts, fresh) - 1
        if at >= 0 and skip_space(self.text, self.fence_starts[at], fresh + 1) == fresh:
            return self.fences[at][1]
        if self.text.count("\n", end, fresh) < 2:
            return fresh
        limit = self.budget.limit(fresh)
        match = BLANK_LINE.search(self.text, fresh, limit + _AHEAD)
        return match.start() if match else min(limit + 1, len(self.text))

    def fence_fits(self, at: int) -> bool:
        """Tell whether fence number ``at`` fits in one chunk."""
        if at not in self.fits:
            start, end = self.fences[at]
            self.fits[at] = self.budget.limit(start) >= end
        return self.fits[at]

    def fence_around(self, position: int) -> tuple[int, int] | None:
        """Return the fence that a cut at ``position`` would break although it fits."""
        at = bisect_left(self.fence_starts, position) - 1
        if at >= 0 and position < self.fences[at][1] and self.fence_fits(at):
            return self.fences[at]
        return None

    def is_free(self, position: int) -> bool:
        """Tell whether a cut at ``position`` leaves every fence whole that fits."""
        return self.fence_around(position) is None

    def outside(self, position: int, floor: int) -> int:
        """Move ``position`` back out of a fence that fits, if that stays above ``floor``."""
        fence = self.fence_around(position)
        return fence[0] if fence is not None and fence[0] > floor else position

    def after_fence(self, position: int) -> int:
        """Move ``position`` on past the fence around it."""
        fence = self.fence_around(position)
        return position if fence is None else skip_space(self.text, fence[1], len(self.text))

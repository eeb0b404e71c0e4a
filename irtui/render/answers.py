"""What was committed to and revealed, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irtui.render.hits import score_bar, shown_place
from irtui.render.links import link_to
from irtui.render.look import Line, Look
from irtui.render.tables import cell_text, pairs, table
from irtui.render.wrap import wrap

__all__ = [
    "disclosed_view",
    "discovery_view",
    "explained_view",
    "facets_view",
    "got_several_view",
    "got_view",
    "links_view",
    "passage_view",
    "path_view",
    "shown_view",
    "similar_view",
]

_Data = Mapping[str, Any]
_INDENT = "    "
_SUMMARY_LINES = 3

_REASONS = {
    "rel_threshold": "the next is clearly weaker",
    "max_k": "there are more of that strength",
    "single": "it is the only candidate",
    "exhausted": "these are all the candidates",
    "nonpositive_top": "the best is weak",
    "abstain:no_candidates": "nothing matches",
    "abstain:empty_query": "the query has no words",
    "abstain:below_floor": "the best candidate is below the floor",
    "abstain:all_sources_below_floor": "every corpus is below its floor",
    "abstain:unrelated": "no candidate has to do with the query (search lists what is nearest)",
    "abstain:no_surviving_sources": "no corpus has anything near the query",
}


def discovery_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return what was committed to, and why not more."""
    reason = _REASONS.get(data["reason"], data["reason"])
    if data["abstained"]:
        return [[("warn", f"nothing committed to: {reason}")]]
    lines: list[Line] = []
    best = max((result["score"] for result in data["results"]), default=0.0)
    for rank, result in enumerate(data["results"], 1):
        bar = score_bar(result["score"], best, unicode=look.unicode)
        head: Line = [("dim", f"{rank:>3} "), ("bar", bar), ("dim", f" {result['score']:.4f} ")]
        head.append(("title", _title(result)))
        if options.get("several"):
            head.append(("dim", f"  in {result['source']}"))
        lines += [head, *_revealed(result, look), []]
    count = f"{len(data['results'])} of {data['n_retrieved']} candidates"
    return [*lines, [("dim", f"{count}: {reason}")]]


def shown_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return one artifact as far as it was revealed."""
    del options
    head: Line = [("title", _title(data)), ("dim", f"  {data['artifact_id']} in {data['source']}")]
    if "text" in data:
        return [head, [("dim", data["file"])], [], *_plain(data["text"])]
    lines = [head, *_revealed(data, look, most=0)]
    known = [(key, _short(value)) for key, value in data["metadata"].items()]
    return [*lines, [], *pairs(known)] if data["level"] == "metadata" else lines


def disclosed_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return artifacts one after the other, each as far as it was revealed."""
    lines: list[Line] = []
    for each in data["results"]:
        lines += [*([[]] if lines else []), *shown_view(each, options, look)]
    return lines


def facets_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return values and their counts, with bars."""
    del options
    most = max((row["count"] for row in data), default=0)
    width = max((len(f"{row['count']:,}") for row in data), default=0)
    return [
        [
            ("dim", f"{row['count']:>{width},} "),
            ("bar", score_bar(row["count"], most, unicode=look.unicode)),
            ("", f" {cell_text(row['value'])}"),
        ]
        for row in data
    ]


def passage_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return a passage and the lines it comes from."""
    del options, look
    ranges = ", ".join(f"{first}-{last}" for first, last in data.get("lines", ()))
    head: Line = [("title", data["title"]), ("dim", f"  {data['artifact_id']}")]
    if ranges:
        head.append(("dim", f"  lines {ranges}"))
    return [head, [], *_plain(data["text"])]


def got_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return the text of a document and nothing else, with line numbers when asked for."""
    del look
    lines = data["text"].split("\n")
    if lines and not lines[-1]:
        del lines[-1]
    if not options.get("line_numbers"):
        return [[("", line)] for line in lines]
    width = len(str(data["from"] + len(lines)))
    return [
        [("dim", f"{number:>{width}} "), ("", line)]
        for number, line in enumerate(lines, data["from"])
    ]


def got_several_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return the texts of documents, each under its name."""
    lines: list[Line] = []
    for each in data["found"]:
        if lines:
            lines.append([])
        place = f"{each['source']}/{each['artifact_id']}"
        lines.append([("dim", "==> "), (link_to(each["path"], each["from"], "title"), place)])
        lines[-1].append(("dim", f" {each['docid'] or ''} <=="))
        lines += got_view(each, options, look)
    return lines


def explained_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return the parts of a score as a tree with bars."""
    del options
    if data["explanation"] is None:
        return []
    told = data["explanation"]
    lines: list[Line] = [
        [
            ("title", data["artifact_id"]),
            ("dim", f"  rank {data['rank']} of {data['n_ranked']} in {data['source']}"),
        ],
        [
            ("bar", score_bar(told["final"], data["best_score"], unicode=look.unicode)),
            ("", f" {told['final']:.4f}  {told['mode']}"),
            ("dim", f" ({told['fusion']})" if told.get("fusion") else ""),
        ],
    ]
    for name, label in (("dense", "meaning (cosine)"), ("lexical", "words (BM25)")):
        part = told.get(name)
        if part is None:
            lines.append([("dim", f"  {label}: nothing")])
            continue
        rank = f"rank {part['rank']}" if part["rank"] else "below the depth"
        lines.append([("", f"  {label}: {part['score']:.4f}"), ("dim", f"  {rank}")])
        terms = sorted(part.get("terms", {}).items(), key=lambda pair: -pair[1])
        most = terms[0][1] if terms else 0.0
        for term, added in terms:
            bar = score_bar(added, most, unicode=look.unicode)
            lines.append([("", "    "), ("bar", bar), ("", f" {added:.3f} "), ("match", term)])
    for name in ("surface_weight", "boost", "rerank"):
        if told.get(name) not in (None, 0.0, 1.0):
            lines.append([("", f"  {name.replace('_', ' ')}: {told[name]:.4f}")])
    return lines


def similar_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return one line a neighbour."""
    del options
    return [
        [
            ("dim", f"{row['rank']:>3} "),
            ("bar", score_bar(row["score"], 1.0, unicode=look.unicode)),
            ("dim", f" {row['score']:.4f} "),
            ("title", row["title"] or row["artifact_id"]),
            ("dim", f"  {row['artifact_id']}" if row["title"] != row["artifact_id"] else ""),
        ]
        for row in data
    ]


def path_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return one line a node, with the edge that leads to it."""
    del options
    ahead, back = ("→", "←") if look.unicode else ("->", "<-")
    lines: list[Line] = []
    for step in data:
        for edge in step["edges"][:1]:
            arrow = ahead if edge["forward"] else back
            lines.append([("dim", f"  {arrow} {edge['type']}")])
        lines.append([("", _node(step["id"]))])
    return lines


def links_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return a table of edges."""
    del options
    if not data:
        return []
    rows = [
        (row["type"], row["from"], _node(row["to"]), "" if row["resolved"] else "leads nowhere")
        for row in data
    ]
    return table(("type", "from", "to", ""), rows, look)


def _revealed(result: _Data, look: Look, most: int = _SUMMARY_LINES) -> list[Line]:
    lines: list[Line] = []
    if result["pointer"]:
        pointer = result["pointer"]
        line = result["metadata"].get("line_start") if most else None
        line = line if isinstance(line, int) else None
        lines.append([("", _INDENT), (link_to(pointer, line, "dim"), shown_place(pointer, line))])
    note = result["metadata"].get("disclosure_detail")
    if note:
        lines.append([("warn", f"{_INDENT}{note}")])
    if result["body"] is not None:
        lines += [[], *_plain(result["body"])]
    else:
        text = result.get("passage") or result["summary"]
        width = look.width - len(_INDENT)
        wrapped = wrap(text.replace("\n", " ") if most else text, (), width, most=most)
        lines += [[("", _INDENT), *line] for line in wrapped]
    for file in result.get("files", ()):
        kept = f"  {file['note']}" if file.get("note") else ""
        lines.append([("", f"{_INDENT}{file['path']}"), ("dim", f"  {file['size']:,} bytes{kept}")])
    return lines


def _title(result: _Data) -> str:
    title = result["metadata"].get("title")
    return title if isinstance(title, str) and title.strip() else str(result["name"])


def _plain(text: str) -> list[Line]:
    return [[("", line)] for line in text.splitlines()]


def _node(node: Any) -> str:
    return "/".join(node) if isinstance(node, (list, tuple)) else str(node)


def _short(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

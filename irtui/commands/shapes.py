"""The shapes of the data commands hand back: what programs may rely on, version by version."""

from __future__ import annotations

from dataclasses import replace

from irtui.render.shapes import Shape

__all__ = [
    "BUILDS",
    "COMMANDS",
    "COMPLETION",
    "CORPORA",
    "COVERAGE",
    "DISCLOSED",
    "DISCOVERY",
    "EDITED",
    "EVALUATED",
    "EXPLAINED",
    "FACETS",
    "FORGOTTEN",
    "GOT",
    "GOT_SEVERAL",
    "HITS",
    "INFO",
    "LINKS",
    "MAINTAINED",
    "PASSAGE",
    "PATH",
    "REGISTERED",
    "REMOVED",
    "SCHEDULE",
    "SHOWN",
    "SIMILAR",
    "SERVED",
    "THEMES",
    "TRIED",
    "VERIFIED",
    "WALKED",
    "WATCHED",
]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


HITS = Shape(
    _names(
        "rank artifact_id surface_kind score text metadata source surface_index title docid path "
        "line file gone changed snippet spans text_spans"
    ),
    _names("rank score source artifact_id title path line snippet"),
    file="path",
    text="snippet",
    full_text="text",
    open=True,
)
"""Ranked answers. ``text_spans`` is there with ``--full``."""

WALKED = replace(HITS, fields=(*HITS.fields, "depth", "via"))
"""Ranked answers; ``depth`` links away from what was found, by ``via``."""

_REVEALED = _names(
    "artifact_id level name score summary body pointer metadata source passage files"
)
DISCOVERY = Shape(
    _REVEALED,
    _names("source artifact_id name score pointer"),
    rows="results",
    file="pointer",
    text="summary",
    open=True,
)
"""What was committed to, in ``results``. ``files`` is there at level ``bundled``."""

SHOWN = Shape(
    _names("artifact_id level name summary body pointer metadata source files file text"),
    _names("source artifact_id name pointer"),
    file="pointer",
    text="body",
    open=True,
)
DISCLOSED = replace(SHOWN, rows="results")
"""Artifacts in ``results``; in ``not_found`` a target, the error, and candidates."""

FACETS = Shape(_names("field value count"), _names("value count"))
GOT = Shape(
    _names(
        "artifact_id source docid title path file metadata section from lines total_lines "
        "characters truncated text"
    ),
    _names("source artifact_id docid title path from lines text"),
    file="path",
    text="text",
    open=True,
)
"""One document or a part of it: ``from`` is its first line, ``lines`` how many they are."""

GOT_SEVERAL = replace(GOT, rows="found")
"""Documents in ``found``; in ``not_found`` a target, the error, and candidates."""

PASSAGE = Shape(
    _names("artifact_id surface_kind text record_ids source surface_index lines title"),
    _names("source artifact_id surface_index text"),
    text="text",
)
EXPLAINED = Shape(
    _names("query artifact_id source rank n_ranked best_score hit explanation"),
    _names("source artifact_id rank n_ranked best_score explanation"),
)
SIMILAR = Shape(
    _names("rank artifact_id source score title"), _names("rank score artifact_id title")
)
PATH = Shape(_names("id edges"), _names("id edges"))
LINKS = Shape(_names("from type to resolved"), _names("from type to resolved"))

BUILDS = Shape(
    _names(
        "name outcome started embedder_id generation records added changed removed unchanged "
        "blank remaining texts embedded texts_per_second seconds skipped skipped_items errors "
        "n_errors notes error"
    ),
    _names("name outcome added changed removed unchanged records n_errors"),
)
"""One report a corpus. One that failed has ``name``, ``outcome`` and ``error``."""

TRIED = replace(HITS, fields=(*HITS.fields, "corpus", "report"))
"""Ranked answers; without a query ``corpus``, ``path`` and ``report`` of what was indexed."""

_CORPUS = _names(
    "name kind root built artifacts records embedder embedder_id generation problem state"
)
CORPORA = Shape(_CORPUS, _names("name kind root built artifacts records embedder_id"))
INFO = Shape(
    (
        *_CORPUS,
        *_names("registered definition policy maintenance folder bytes last_build languages"),
    ),
    CORPORA.columns,
)
"""A corpus; ``folder``, ``bytes``, ``last_build`` and ``languages`` are there when it is built."""

REGISTERED = Shape(
    _names("name kind params embedder strategy maintenance storage"), _names("name kind params")
)
EDITED = Shape(
    (*REGISTERED.fields, *_names("changed next_step upkeep")), _names("name kind changed next_step")
)
"""A definition as it is now. ``changed`` has ``from`` and ``to`` of each part; ``next_step`` is the
command that makes the index follow, or null; ``upkeep`` is there when the policy was given."""

REMOVED = Shape(_names("name unregistered purged"), _names("name unregistered purged"))
VERIFIED = Shape(
    _names("name ok generation count chroma_checked problems repaired"),
    _names("name ok generation count problems repaired"),
)
FORGOTTEN = Shape(_names("name ids forgotten"), _names("name forgotten"))
MAINTAINED = Shape(
    _names(
        "name ran reason reindex synopsis records error outcome added changed removed unchanged "
        "skipped item_errors waiting seconds error_code hint next remaining"
    ),
    _names("name outcome reason added changed removed unchanged next"),
)
EVALUATED = Shape(
    _names("name documents queries embedder_id strategy cached build_seconds variants"),
    _names("name documents queries embedder_id variants"),
)
SCHEDULE = Shape(
    _names(
        "installed backend label action every_minutes definition command python env log_path "
        "loaded last_run last_log_line problems detail last_exit next_run changed"
    ),
    _names("backend installed every_minutes last_run next_run problems"),
)
COVERAGE = Shape(
    _names(
        "name on_disk indexed blank should_index excluded coverage_ratio missing stale vanished "
        "kept excluded_items note up_to_date error"
    ),
    _names("name coverage_ratio indexed should_index on_disk"),
)
SERVED = Shape(_names("url"), _names("url"))
WATCHED = Shape(
    _names("name updates added changed removed"), _names("name updates added changed removed")
)
THEMES = Shape(
    _names("name title dark ansi active origin path problem"),
    _names("name title origin active problem"),
    file="path",
)
COMMANDS = Shape(
    _names("name aliases summary details effect examples cancellable output params"),
    _names("name summary"),
)
COMPLETION = Shape(_names("shell script"), _names("shell"), text="script")

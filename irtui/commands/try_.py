"""``try``: ask a folder or file right away, without registering anything."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irtui.commands.asking import ask_these
from irtui.commands.context import Context
from irtui.commands.engine import quoted, run_build
from irtui.commands.options import EMBEDDER, GLOB, PATTERN, RANKING, VERBOSE
from irtui.commands.ranking import ranked
from irtui.commands.registry import command
from irtui.commands.shapes import TRIED
from irtui.commands.spec import Param, Result, UsageError

if TYPE_CHECKING:
    from irengine.errors import SourceError
    from irengine.index import BuildReport, Corpus
    from irengine.sources import CorpusSource

__all__ = ["corpus_name", "try_path"]


@command(
    "try",
    "index a folder or file and ask it, in one step",
    Param("path", "the folder or file", "path", required=True),
    Param("query", "what to look for; without it, what was indexed is shown", many=True),
    *RANKING,
    EMBEDDER,
    PATTERN,
    GLOB,
    Param("extract", "also get the text out of PDF, HTML and Office files", "flag", ("--extract",)),
    Param("hidden", "also files and folders whose name starts with a dot", "flag", ("--hidden",)),
    Param(
        "max_bytes",
        "leave out files larger than this (default: 20,000,000)",
        "int",
        ("--max-bytes",),
        metavar="N",
        least=1,
    ),
    VERBOSE,
    effect="write",
    details=(
        "The index is kept under a name made from the path, so that the second time only "
        "changes are read. irtui ls lists it, irtui rm NAME --purge deletes it."
    ),
    output=TRIED,
    examples=("irtui try docs", "irtui try docs how is a build cancelled -k 3"),
    cancellable=True,
)
def try_path(
    context: Context,
    *,
    path: str,
    query: list[str],
    embedder: str | None,
    pattern: str | None,
    glob: str | None,
    extract: bool,
    hidden: bool,
    max_bytes: int | None,
    verbose: bool,
    mode: str,
    filter: list[Any],  # noqa: A002 - the name of the parameter is the name of the option
    **ranking: Any,
) -> Result:
    """Index ``path`` incrementally, then answer ``query`` or say what was indexed."""
    from irengine.errors import CorpusBusy, SourceError
    from irengine.index import build
    from irengine.sources.walk import absolute_root, existing
    from irengine.store import CorpusStore

    where = absolute_root(path)
    existing(where, str(where))
    if not (where.is_dir() or where.is_file()):
        raise SourceError(
            f"{where} is a pipe or a device", hint="name a folder, or a file that can be read again"
        )
    pattern = chosen_pattern(pattern, glob)
    source = _source(where, pattern, extract=extract, hidden=hidden, max_bytes=max_bytes)
    if where.is_file() and (why_not := _unlisted(where, max_bytes)):
        _forget(source.name)
        raise why_not
    try:
        # Asking for an embedder by name is consent to switch; asking for none keeps what is there.
        corpus = run_build(
            context,
            build,
            source,
            embedder=embedder,
            switch_embedder=embedder is not None,
            allow_shrink=True,
        )
    except CorpusBusy:
        if not query or not CorpusStore.local(source.name).exists:
            raise
        context.note("another process is indexing it; this answer is from the last state")
        from irengine.index import open_corpus

        corpus = open_corpus(source.name)
    if where.is_file() and not len(corpus.store):
        _forget(source.name)
        raise _nothing(where, corpus.report)
    advice = _advice(corpus) if embedder is None else ()
    if query:
        _say_what_changed(corpus, context, verbose=verbose)
        found = ranked(ask_these(context, [corpus], query, filter, mode), **ranking)
        return replace(found, notes=(*found.notes, *advice))
    report = corpus.report.to_dict() if corpus.report is not None else {}
    name = quoted(source.name)
    return Result(
        {"corpus": source.name, "path": str(where), "report": report},
        view="tried",
        notes=(
            f"ask it: irtui try {quoted(path)} QUESTION",
            f"or from anywhere: irtui search -c {name} QUESTION",
            *advice,
        ),
        options={"verbose": verbose},
    )


def chosen_pattern(pattern: str | None, glob: str | None) -> str | None:
    """Return one regular expression for ``--pattern`` or ``--glob``.

    Raises:
        UsageError: when both are given, or the expression does not compile.
    """
    import fnmatch
    import re

    if pattern is not None and glob is not None:
        raise UsageError("--pattern and --glob say the same thing: give one of them")
    if glob is not None:
        return "(?:^|/)" + fnmatch.translate(glob)
    if pattern is not None:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UsageError(
                f"--pattern {pattern!r} is not a regular expression: {error}",
                hint="for a shell pattern use --glob",
            ) from None
    return pattern


def corpus_name(where: Path, options: str = "") -> str:
    """Return the name under which the index of a resolved path is kept: stable, and readable.

    ``options`` tells apart indexes of one path that do not hold the same files.
    """
    import hashlib
    import re

    identity = f"{where}\0{options}"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    stem = re.sub(r"[^a-z0-9]+", "-", where.stem.lower()).strip("-")[:40] or "path"
    return f"try-{stem}-{digest}"


def _source(
    where: Path, pattern: str | None, *, extract: bool, hidden: bool, max_bytes: int | None
) -> CorpusSource:
    """Return the source of a folder, or of one file whatever its name and ignore files say."""
    from irengine.sources import DFLT_MAX_BYTES, TEXT_PATTERN, CorpusSource

    options = f"{pattern or ''}{' +extract' * extract}{' +hidden' * hidden}"
    if max_bytes is None:
        max_bytes = DFLT_MAX_BYTES
    else:
        options += f" max_bytes={max_bytes}"
    name = corpus_name(where, options)
    if where.is_dir():
        return CorpusSource.from_files(
            where,
            name=name,
            pattern=pattern or TEXT_PATTERN,
            extract=extract,
            hidden=hidden,
            max_bytes=max_bytes,
        )
    import re

    from irengine.sources.walk import readable_name

    item = readable_name(where.name)
    return CorpusSource.from_files(
        where.parent,
        name=name,
        pattern=rf"\A{re.escape(item)}\Z",
        exclude=lambda other: other != item,  # so that the folders beside it are not walked
        extract=extract,
        hidden=True,
        gitignore=False,
        max_bytes=max_bytes,
    )


def _unlisted(where: Path, max_bytes: int | None) -> SourceError | None:
    """Return why a file is not even read."""
    from irengine.errors import SourceError
    from irengine.sources import DFLT_MAX_BYTES

    size = where.stat().st_size
    if size == 0:
        return SourceError(f"there is nothing to index: {where} is empty", code="empty")
    if size > (limit := max_bytes or DFLT_MAX_BYTES):
        return SourceError(
            f"{where} is not indexed: it has {size:,} bytes, and {limit:,} is the most",
            hint="--max-bytes N takes larger ones",
            code="too-large",
        )
    return None


def _nothing(where: Path, report: BuildReport | None) -> SourceError:
    """Return why nothing of a file was indexed."""
    from irengine.errors import SourceError
    from irengine.sources.document import extension_of
    from irengine.sources.extract import DOCUMENT_EXTENSIONS

    for item in [] if report is None else [*report.errors, *report.skipped]:
        extracts = item.reason == "binary" and extension_of(where.name) in DOCUMENT_EXTENSIONS
        hint = "--extract gets the text out of it" if extracts else ""
        return SourceError(f"{where} is not indexed: {item.detail}", hint=hint, code=item.reason)
    return SourceError(f"there is nothing to index: no text is in {where}", code="empty")


def _forget(name: str) -> None:
    """Delete the index of a file that holds nothing, unless somebody registered it."""
    from irengine.errors import CorpusBusy
    from irengine.registry import registered
    from irengine.store import CorpusStore

    if name not in registered():
        with suppress(CorpusBusy):
            CorpusStore.local(name).delete()


def _advice(corpus: Corpus) -> tuple[str, ...]:
    """Return that another model would suit better, when texts came that tell."""
    from irengine.languages import language_hint

    if corpus.report is None or not corpus.report.added:
        return ()
    advice = language_hint(corpus).advice(corpus.embedder_id)
    return (advice,) if advice else ()


def _say_what_changed(corpus: Corpus, context: Context, *, verbose: bool) -> None:
    report = corpus.report
    if report is None:
        return
    if not report.nothing_changed:
        counts = ((report.added, "added"), (report.changed, "changed"), (report.removed, "removed"))
        said = ", ".join(f"{count:,} {word}" for count, word in counts if count)
        context.note(f"indexed: {said} in {sum(report.seconds.values()):.1f} s")
    left_out = [("skipped", item) for item in report.skipped]
    left_out += [("failed", item) for item in report.errors]
    if verbose:
        for word, item in left_out:
            context.note(f"{word} {item.id} {item.reason}{item.detail and f': {item.detail}'}")
    elif left_out and not (report.nothing_changed and len(corpus.store)):
        reasons = Counter(item.reason for _, item in left_out)
        said = ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))
        larger = "; --max-bytes N takes larger ones" if reasons["too-large"] else ""
        context.note(f"left out: {len(left_out):,} ({said}); --verbose lists them{larger}")

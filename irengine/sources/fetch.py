"""Fetchers: functions that produce records, given as such or by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from irengine.checks import shown
from irengine.errors import (
    FetcherAttributeError,
    FetcherImportError,
    IrError,
    ParameterError,
    ParameterTypeError,
    SourceError,
)

__all__ = ["as_mapping", "call_fetcher", "fetch", "resolve_fetcher"]


def resolve_fetcher(fetcher: Any) -> Any:
    """Return the function a fetcher names; a callable is returned as it is.

    A reference is ``"module:attribute"`` or ``"module.attribute"``. After the colon the
    attribute may be dotted (``"module:Class.method"``).

    Raises:
        ParameterTypeError: for anything but a callable or non-blank text, and for the name of
            what cannot be called (a ``TypeError``).
        ParameterError: when the module or the attribute is missing from the text (a
            ``ValueError``).
        FetcherImportError: when the module cannot be imported (an ``ImportError``).
        FetcherAttributeError: when it has no such attribute (an ``AttributeError``).
    """
    if callable(fetcher):
        return fetcher
    if not isinstance(fetcher, str) or not fetcher.strip():
        raise ParameterTypeError(
            f"a fetcher is a function or its name, not {fetcher!r}",
            hint="write package.module:function",
        )
    reference = fetcher.strip()
    if ":" in reference:
        module_name, _, path = reference.partition(":")
    else:
        module_name, _, path = reference.rpartition(".")
    attributes = path.split(".")
    if not module_name.strip(".") or not all(attributes):
        raise ParameterError(
            f"{reference!r} does not name a module and a function in it",
            hint="write package.module:function",
        )
    try:
        found = importlib.import_module(module_name)
    except Exception as error:  # an imported module may raise anything
        raise FetcherImportError(
            f"the module of the fetcher {reference!r} cannot be imported: "
            f"{type(error).__name__}: {error}",
            hint="is it installed in the environment of this command?",
        ) from error
    for attribute in attributes:
        try:
            found = getattr(found, attribute)
        except AttributeError as error:
            raise FetcherAttributeError(
                f"{module_name} has no {path!r}, which the fetcher {reference!r} names"
            ) from error
    if not callable(found):
        kind = "a module" if isinstance(found, ModuleType) else shown(found)
        raise ParameterTypeError(
            f"the fetcher {reference!r} is not callable: it names {kind}",
            hint="write package.module:function",
        )
    return found


def call_fetcher(fetcher: Any, corpus: str) -> Mapping[Any, Any] | list[Any]:
    """Call a fetcher and return the mapping it gives, or whatever else it gives in a list.

    Raises:
        SourceError: when it fails, or returns nothing that can be iterated over.
        ParameterError: see :func:`resolve_fetcher`.
    """
    function = resolve_fetcher(fetcher)
    said = fetcher if isinstance(fetcher, str) else getattr(fetcher, "__qualname__", repr(fetcher))
    try:
        records = function()
        if isinstance(records, Mapping):
            return records
        if isinstance(records, Iterable) and not isinstance(records, (str, bytes, bytearray)):
            return list(records)
    except IrError:
        raise
    except Exception as error:  # a caller's function may raise anything
        raise SourceError(
            f"the fetcher {said} of corpus {corpus!r} failed: {type(error).__name__}: {error}"
        ) from error
    kind = "None" if records is None else type(records).__name__
    raise SourceError(
        f"the fetcher {said} of corpus {corpus!r} returned {kind}, not records",
        hint="it must return a list of records; an empty list for none",
    )


def fetch(fetcher: Any, corpus: str) -> list[Any]:
    """Return the records of a fetcher; of a mapping its values, keys as missing ``id``.

    Raises:
        SourceError, ParameterError: see :func:`call_fetcher`.
    """
    records = call_fetcher(fetcher, corpus)
    if isinstance(records, Mapping):
        return [_with_id(key, record) for key, record in records.items()]
    return records


def _with_id(key: Any, record: Any) -> Any:
    if isinstance(record, Mapping) and not record.get("id"):
        return {**record, "id": key}
    return record


def as_mapping(record: Any) -> Mapping[str, Any] | None:
    """Return the fields of a record: of a mapping itself, of an object its public attributes.

    ``None`` for text, bytes, numbers, lists, ``None``: they have no fields. Slots count, and so
    do the fields of dataclasses and named tuples.
    """
    if isinstance(record, Mapping):
        return record
    if record is None or isinstance(record, (str, bytes, bytearray, int, float, complex, type)):
        return None
    if isinstance(record, tuple) and hasattr(record, "_asdict"):
        named: Mapping[str, Any] = record._asdict()
        return named
    if isinstance(record, (list, tuple, set, frozenset)):
        return None
    names = list(getattr(record, "__dict__", ()))
    for kind in reversed(type(record).__mro__):
        slots = kind.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    public = (name for name in dict.fromkeys(names) if not name.startswith("_"))
    return {name: getattr(record, name) for name in public if hasattr(record, name)} or None

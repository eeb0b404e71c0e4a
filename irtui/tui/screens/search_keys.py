"""The keys of the mode Search."""

from __future__ import annotations

from irtui.tui.keys import Key, register_keys

__all__ = ["SEARCH_KEYS"]

SEARCH_KEYS = (
    Key("search.query", "slash", "query", "query", "type in the query", 10),
    Key("search.select", "space", "select", "select", "select this hit, or put it back", 30),
    Key("search.range", "V", "range", "range", "begin a range; again: select all of it"),
    Key("search.all", "a", "select_all", "all", "select all that are loaded"),
    Key("search.invert", "I", "invert", "invert", "select what is not, and the other way round"),
    Key(
        "search.tray", "t", "tray", "selection", "show what is selected, reorder it, reveal it", 50
    ),
    Key("search.more", "l,right", "reveal(1)", "more", "reveal more: id, snippet, … document", 41),
    Key("search.less", "h,left", "reveal(-1)", "less", "reveal less", 42),
    Key("search.least", "0", "reveal(-9)", "id only", "reveal the id only"),
    Key("search.preview", "v", "preview", "preview", "show or hide the preview", 40),
    Key("search.read", "enter", "read", "read", "read the hit"),
    Key("search.mode", "m", "rank_mode", "mode", "by words, by meaning, or both", 60),
    Key("search.sort", "s", "sort", "sort", "sort by the score or by a field"),
    Key("search.why", "w", "why", "why", "say how the hit came by its score", 61),
    Key("search.commit", "D", "commit", "commit", "show which hits discover would commit to"),
    Key("search.graph", "e", "graph", "graph", "show the links of this document"),
    Key("search.open", "o", "edit", "open", "open the file in your editor at the line", 62),
    Key("search.copy", "y", "copy_id", "copy id", "copy the id, or the error that is shown"),
    Key("search.copy_menu", "Y", "copy_menu", "copy …", "copy a path, citation, JSON, command"),
    Key("search.undo_filter", "u", "undo_filter", "undo filter", "take the last filter away"),
    Key("search.clear_filters", "U", "clear_filters", "no filters", "take all filters away"),
    Key("search.earlier", "left_square_bracket", "history(-1)", "earlier", "the search before"),
    Key("search.later", "right_square_bracket", "history(1)", "later", "the search after"),
    Key("search.save_set", "S", "save_set", "save set", "keep the selection under a name"),
    Key("search.load_set", "L", "load_set", "load set", "take a kept selection back"),
    Key("search.export", "X", "export", "export", "write the selection to a file"),
    Key("search.save_search", "b", "save_search", "save search", "keep this search by a name"),
    Key("search.saved", "B", "saved", "saved", "go back to a saved search"),
    Key("search.refresh", "r", "again", "again", "search again"),
    Key("search.wider", "greater_than_sign", "widen(5)", "wider", "make the list wider"),
    Key("search.narrower", "less_than_sign", "widen(-5)", "narrower", "make the list narrower"),
    Key("search.add_here", "A", "add_here", "add folder", "index the folder you started in"),
    Key("search.add_path", "P", "add_path", "add …", "index another folder"),
    Key("search.sample", "E", "sample", "sample", "index the sample notes"),
)
register_keys(SEARCH_KEYS)

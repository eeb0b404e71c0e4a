"""The plan each strategy makes of an artifact."""

from __future__ import annotations

import json

import pytest

from irengine.errors import ParameterError
from irengine.strategy import (
    Chunked,
    ClaudeTurn,
    IndexingStrategy,
    Package,
    Skill,
    WholeText,
    _default_deps_text,
)


def kinds(plan):
    return [surface.kind for surface in plan.surfaces]


def texts(plan):
    return [surface.text for surface in plan.surfaces]


@pytest.mark.parametrize("strategy", [WholeText(), Chunked(), Skill(), Package(), ClaudeTurn()])
class TestEveryStrategy:
    def test_is_an_indexing_strategy(self, strategy):
        assert isinstance(strategy, IndexingStrategy)

    def test_has_no_surface_for_nothing(self, strategy):
        plan = strategy.decompose("a", {"name": "", "text": "  "})
        assert plan.surfaces == []

    def test_keeps_the_callers_metadata_over_its_own_fields(self, strategy):
        metadata = {"name": "mine", "owner": "me", "session_id": 1, "extra": [1]}
        fields = strategy.decompose("a", {"name": "theirs"}, metadata).filter_fields
        assert {key: fields[key] for key in metadata} == metadata
        assert fields is not metadata

    def test_makes_the_same_plan_twice(self, strategy):
        raw = {"name": "n", "text": "t " * 2000, "description": "d", "user_prompt": "u"}
        assert strategy.decompose("a", raw) == strategy.decompose("a", raw)

    def test_has_json_clean_fields_and_metadata(self, strategy):
        raw = {"name": "n\ud800", "text": "# H\ud800\n\nt", "readme": "# R\n\nx", "deps": ["a"]}
        plan = strategy.decompose("a", raw)
        json.dumps([plan.filter_fields, [dict(s.metadata) for s in plan.surfaces]])
        for surface in plan.surfaces:
            json.dumps([surface.text, dict(surface.metadata)], ensure_ascii=False).encode()


class TestWholeText:
    def test_is_the_text_as_it_is(self):
        plan = WholeText().decompose("a", {"text": " x \n", "title": "T"}, {"path": "p"})
        assert texts(plan) == [" x \n"]
        assert plan.surfaces[0].granularity == "document"
        assert kinds(plan) == ["document"]
        assert plan.filter_fields == {"path": "p"}

    def test_takes_another_kind_and_field(self):
        plan = WholeText(kind="note", text_key="body").decompose("a", {"body": "b", "text": "t"})
        assert (kinds(plan), texts(plan)) == (["note"], ["b"])


class TestChunked:
    TEXT = "intro\n\n# A\n\n" + "Some words of prose. " * 30 + "\n\n## B\n\n" + "More words. " * 30

    def test_chunks_know_their_place(self):
        plan = Chunked(chunk_size=300, overlap=50).decompose("a", self.TEXT)
        count = len(plan.surfaces)
        for index, surface in enumerate(plan.surfaces):
            place = surface.metadata
            assert (place["chunk_index"], place["n_chunks"]) == (index, count)
            start = place["char_start"]
            assert self.TEXT[start : start + len(surface.text)] == surface.text
            lines = self.TEXT.splitlines()[place["line_start"] - 1 : place["line_end"]]
            assert surface.text in "\n".join(lines)
            assert all(type(v) is int for k, v in place.items() if k != "heading")
            assert (surface.kind, surface.granularity) == ("chunk", "chunk")

    def test_headings_are_paths_and_absent_without_one(self):
        plan = Chunked(chunk_size=300, overlap=50).decompose("a", self.TEXT)
        assert "heading" not in plan.surfaces[0].metadata
        found = [s.metadata.get("heading") for s in plan.surfaces[1:]]
        assert list(dict.fromkeys(found)) == ["A", "A > B"]

    def test_the_text_is_the_plain_slice_without_title_or_heading(self):
        raw = {"text": "# Overview\n\nbody", "title": "Overview"}
        assert texts(Chunked().decompose("a", raw)) == ["# Overview\n\nbody"]

    def test_lines_count_from_the_top_of_the_file(self):
        raw = {"text": "body\nmore", "title": "T", "line_offset": 4}
        place = Chunked().decompose("a", raw).surfaces[0].metadata
        assert (place["line_start"], place["line_end"], place["char_start"]) == (5, 6, 0)

    def test_another_field_has_no_place_in_the_file(self):
        raw = {"text": "t", "body": "b", "line_offset": 4}
        assert Chunked(text_key="body").decompose("a", raw).surfaces[0].metadata["line_start"] == 1


class TestSkill:
    def test_is_name_and_description(self):
        raw = {"name": "pdf", "description": "Read PDFs.", "body": "no", "parent": "docs"}
        plan = Skill().decompose("a", raw, {"skill_path": "/s"})
        assert texts(plan) == ["pdf\n\nRead PDFs."]
        assert (kinds(plan), plan.surfaces[0].granularity) == (["capability"], "field")
        assert plan.filter_fields == {"name": "pdf", "parent": "docs", "skill_path": "/s"}

    @pytest.mark.parametrize("raw", [{}, {"name": None}])
    def test_without_a_name_it_is_called_by_its_id(self, raw):
        plan = Skill().decompose("the-id", raw)
        assert texts(plan) == ["the-id"]
        assert plan.filter_fields["name"] == "the-id"

    def test_blank_skills_have_no_surface(self):
        assert Skill().decompose("a", {"name": " ", "description": None}).surfaces == []

    def test_an_item_that_is_no_mapping_is_a_name(self):
        assert texts(Skill().decompose("a", "pdf")) == ["pdf"]
        assert texts(Skill().decompose("a", b"pdf")) == ["pdf"]


class TestPackage:
    RAW = {
        "name": "dol",
        "description": "Mappings over stores",
        "readme": "# dol\n\n" + "Words of the readme. " * 40,
        "owner": "ours",
        "deps": ["NumPy>=1", "rich[x]"],
        "path": "/secret",
    }

    def test_is_description_then_readme_chunks(self):
        plan = Package(chunk_size=300, overlap=50).decompose("a", self.RAW)
        assert kinds(plan) == ["description"] + ["readme_chunk"] * (len(plan.surfaces) - 1)
        assert plan.surfaces[0].text == "dol: Mappings over stores"
        assert plan.surfaces[0].granularity == "field"
        assert dict(plan.surfaces[0].metadata) == {}
        chunks = plan.surfaces[1:]
        assert [c.metadata["chunk_index"] for c in chunks] == list(range(len(chunks)))
        assert {c.metadata["n_chunks"] for c in chunks} == {len(chunks)}
        assert {c.metadata["heading"] for c in chunks} == {"dol"}

    def test_has_its_filter_fields(self):
        fields = Package().decompose("a", self.RAW).filter_fields
        assert fields == {
            "name": "dol",
            "owner": "ours",
            "has_readme": True,
            "deps": ["NumPy>=1", "rich[x]"],
        }
        assert fields["has_readme"] is True
        assert Package().decompose("a", {"readme": " "}).filter_fields["has_readme"] is False

    def test_dependencies_come_last_and_only_if_asked_for(self):
        plain = Package().decompose("a", self.RAW)
        embedded = Package(embed_deps=True).decompose("a", self.RAW)
        assert embedded.surfaces[:-1] == plain.surfaces
        assert embedded.surfaces[-1].kind == "deps"
        assert embedded.surfaces[-1].text == "Depends on: numpy, rich"

    def test_a_template_gets_the_specifiers(self):
        template = Package(embed_deps=True, deps_template=" & ".join)
        assert texts(template.decompose("a", self.RAW))[-1] == "NumPy>=1 & rich[x]"

    def test_no_dependencies_no_surface(self):
        assert kinds(Package(embed_deps=True).decompose("a", {"name": "n"})) == ["description"]

    @pytest.mark.parametrize(
        ("deps", "expected"),
        [
            ("numpy>=1", ["numpy>=1"]),
            (None, []),
            ((), []),
            (("a", None, 3), ["a", "3"]),
            ({"b", "a"}, ["a", "b"]),
            ({"react": "^18"}, ["react"]),
        ],
    )
    def test_dependencies_are_a_list_of_strings(self, deps, expected):
        assert Package().decompose("a", {"deps": deps}).filter_fields["deps"] == expected

    @pytest.mark.parametrize(
        ("name", "description", "text"),
        [
            ("a", "", "a"),
            ("", "b", "b"),
            (None, "b", "id: b"),
            ("a", "Usage:", "a: Usage:"),
            ("a", " b \n", "a: b"),
        ],
    )
    def test_the_description_is_kept_whole(self, name, description, text):
        raw = {"name": name, "description": description}
        assert texts(Package().decompose("id", raw)) == [text]

    def test_what_a_synopsis_may_read(self):
        assert Package.synopsis_fields == ("name", "description", "readme")


def test_dependency_names_are_bare_lower_case_and_unique():
    deps = [
        "NumPy>=1.26,<3",
        "numpy ; python_version > '3'",
        "rich[all] ~= 13",
        "pkg @ https://example.org/pkg.whl",
        "https://example.org/other.whl",
        "git+https://example.org/x",
        "./local",
        "-e .",
        "",
        "zope.interface (>=5)",
        "@scope/mod",
    ]
    names = "numpy, rich, pkg, zope.interface, @scope/mod"
    assert _default_deps_text(deps) == f"Depends on: {names}"
    assert _default_deps_text([]) == ""


class TestClaudeTurn:
    RAW = {
        "user_prompt": " fix it ",
        "assistant_summary": "fixed",
        "assistant_full": "thinking… fixed",
        "session_id": "s",
        "project": "p",
        "cwd": "/c",
        "git_branch": "main",
        "timestamp": "2024-01-01",
        "model": "m",
        "has_tool_use": 1,
        "session_title": "t",
    }

    def test_is_both_sides_of_the_turn(self):
        plan = ClaudeTurn().decompose("a", self.RAW)
        assert kinds(plan) == ["user_prompt", "assistant_summary"]
        assert texts(plan) == ["fix it", "fixed"]
        assert {s.granularity for s in plan.surfaces} == {"field"}
        assert plan.filter_fields["has_tool_use"] is True
        expected = {k: v for k, v in self.RAW.items() if not k.startswith(("user_", "assistant"))}
        assert plan.filter_fields == expected

    def test_full_text_only_when_asked_for_and_different(self):
        full = ClaudeTurn(include_full=True)
        plan = full.decompose("a", self.RAW)
        assert kinds(plan) == ["user_prompt", "assistant_summary", "assistant_full"]
        assert plan.surfaces[-1].granularity == "document"
        same = {**self.RAW, "assistant_full": "fixed\n"}
        assert kinds(full.decompose("a", same)) == ["user_prompt", "assistant_summary"]

    def test_a_session_title_record_has_one_surface(self):
        raw = {**self.RAW, "record_type": "session_title"}
        assert kinds(ClaudeTurn().decompose("a", raw)) == ["session_title"]
        assert ClaudeTurn().decompose("a", {**raw, "session_title": " "}).surfaces == []


@pytest.mark.parametrize(
    ("cls", "params", "name"),
    [
        (Chunked, {"chunk_size": 0}, "chunk_size"),
        (Chunked, {"chunk_size": "1200"}, "chunk_size"),
        (Chunked, {"chunk_size": True}, "chunk_size"),
        (Chunked, {"overlap": -1}, "overlap"),
        (Chunked, {"overlap": 1200}, "overlap"),
        (Chunked, {"max_tokens": 0}, "max_tokens"),
        (Chunked, {"kind": ""}, "kind"),
        (Chunked, {"text_key": 3}, "text_key"),
        (Chunked, {"token_model": ""}, "token_model"),
        (WholeText, {"kind": None}, "kind"),
        (WholeText, {"text_key": ""}, "text_key"),
        (Package, {"chunk_size": 100}, "overlap"),
        (Package, {"deps_template": "x"}, "deps_template"),
        (Package, {"embed_deps": "yes"}, "embed_deps"),
        (ClaudeTurn, {"include_full": None}, "include_full"),
    ],
)
def test_bad_parameters_are_refused_at_construction_by_name(cls, params, name):
    with pytest.raises(ParameterError, match=rf"^{name} must"):
        cls(**params)

"""Cases, and the files they are kept in."""

from __future__ import annotations

import json

import pytest

from irengine.errors import CaseError, ParameterError
from irengine.eval import (
    DiscoveryCase,
    cases_from_qrels,
    corpus_artifact_ids,
    evaluate_discovery,
    load_cases,
    read_qrels,
    read_queries,
    retrieval_report,
    save_cases,
    to_qrels,
    validate_cases,
)


def test_a_case_tells_what_is_set():
    assert DiscoveryCase("q").to_dict() == {"query": "q", "gold": []}
    whole = DiscoveryCase("q", ("a",), "pets", "a", {"masked": True})
    assert DiscoveryCase.from_dict(whole.to_dict()) == whole
    assert set(whole.to_dict()) == {"query", "gold", "corpus", "source_id", "metadata"}


@pytest.mark.parametrize(
    ("gold", "ids"), [("a", ("a",)), (None, ()), ([], ()), (["a", "b"], ("a", "b"))]
)
def test_gold_may_be_one_id_several_or_null(gold, ids):
    case = DiscoveryCase.from_dict({"query": "q", "gold": gold})
    assert case.gold == ids
    assert case.gold_is_none == (not ids)


@pytest.mark.parametrize(
    "told",
    [{"gold": "a"}, {"query": 3}, {"query": "q", "gold": 3}, {"query": "q", "gold": [1]}, ["q"]],
)
def test_a_malformed_case_is_refused(told):
    with pytest.raises(CaseError):
        DiscoveryCase.from_dict(told)


def test_a_missing_query_is_a_key_error():
    with pytest.raises(KeyError):
        DiscoveryCase.from_dict({"gold": "a"})


def test_cases_come_back_as_they_were(tmp_path, cases):
    path = tmp_path / "made" / "cases.jsonl"
    save_cases(cases, path, meta={"corpus": "pets"})
    first, *others = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(first) == {"__meta__": {"corpus": "pets"}}
    assert len(others) == len(cases)
    assert load_cases(path) == cases


def test_text_in_any_script_survives(tmp_path):
    cases = [DiscoveryCase("꿀\u2028벌 — \x85 naïve", ("é",))]
    save_cases(cases, tmp_path / "c.jsonl")
    assert load_cases(tmp_path / "c.jsonl") == cases


def test_blank_lines_and_lines_about_the_file_are_passed_over(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text('\n{"query": "a"}\n\n{"__meta__": {}, "query": "b"}\n', encoding="utf-8")
    assert [case.query for case in load_cases(path)] == ["a"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"query": "b"', "not JSON"),
        ('{"gold": "a"}', "no query"),
        ('{"query": "q", "gold": 7}', "gold"),
        ('{"query": "q", "gold": "a", "metadata": {"grades": [1]}}', "grades"),
        ('{"query": "q", "gold": "a", "metadata": {"grades": {"a": "much"}}}', "grade of 'a'"),
        ('{"query": "q", "gold": "a", "metadata": {"grades": {"a": 0}}}', "above 0, not 0"),
        ('{"query": "q", "gold": "a", "metadata": {"grades": {"a": NaN}}}', "above 0, not nan"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "expected an object"),
    ],
)
def test_an_error_names_file_and_line(tmp_path, line, what):
    path = tmp_path / "c.jsonl"
    path.write_text('{"query": "a"}\n\n' + line + "\n", encoding="utf-8")
    with pytest.raises(CaseError, match=rf"c\.jsonl, line 3: .*{what}") as caught:
        load_cases(path)
    assert caught.value.code == "bad-case"


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "c.jsonl").write_bytes(b'{"query": "a"}\n{"query": "\xff\xfe"}')
    with pytest.raises(CaseError, match=r"c\.jsonl, line 2: not UTF-8 text"):
        load_cases(tmp_path / "c.jsonl")
    with pytest.raises(FileNotFoundError):
        load_cases(tmp_path / "none.jsonl")


def test_ids_of_queries_keep_their_places_among_all_cases():
    cases = [DiscoveryCase("none"), DiscoveryCase("x", ("a", "b")), DiscoveryCase("no")]
    queries, qrels = to_qrels([*cases, DiscoveryCase("y", ("c",))], grade=2)
    assert queries == {"q00001": "x", "q00003": "y"}
    assert qrels == {"q00001": {"a": 2.0, "b": 2.0}, "q00003": {"c": 2.0}}
    with pytest.raises(ParameterError, match="grade"):
        to_qrels(cases, grade=0)


def test_a_collection_becomes_cases(tmp_path):
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "one"}\n{"_id": "2", "text": "two"}\n{"_id": "3", "text": "three"}\n'
    )
    (tmp_path / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td two\t1\n1\td3\t0\n2\td1\t0\n"
    )
    qrels = read_qrels(tmp_path / "test.tsv")
    cases = cases_from_qrels(read_queries(tmp_path / "queries.jsonl"), qrels, corpus="c")
    assert [(case.query, case.gold) for case in cases] == [("one", ("d1", "d two")), ("two", ())]
    assert to_qrels(cases)[1] == {"q00000": {"d1": 2.0, "d two": 1.0}}, "grades are kept"


def test_judgements_of_trec_eval_are_read(tmp_path):
    (tmp_path / "qrels").write_text("7 0 d1 1\n7 0 d2 0\n\n8 0 d1 1\n")
    assert read_qrels(tmp_path / "qrels") == {"7": {"d1": 1.0, "d2": 0.0}, "8": {"d1": 1.0}}


def test_judgements_may_hold_any_characters_but_line_feeds(tmp_path):
    ids = ["a\u2028b", "c\x85d", "e\x0cf", "g\u00a0h"]
    lines = [f"1\t{each}\t1\r\n" for each in ids] + [f"2 0 {each} 1\n" for each in ids]
    (tmp_path / "test.tsv").write_bytes("".join(lines).encode("utf-8-sig"))
    assert read_qrels(tmp_path / "test.tsv") == {n: dict.fromkeys(ids, 1.0) for n in "12"}


def test_judgements_that_are_not_text_are_named_by_their_line(tmp_path):
    (tmp_path / "test.tsv").write_bytes(b"1\td1\t1\n1\td\xff\t1\n")
    with pytest.raises(CaseError, match=r"test\.tsv, line 2: not UTF-8 text"):
        read_qrels(tmp_path / "test.tsv")


def test_grades_of_cases_made_by_hand_are_checked_before_anything_is_searched(pets):
    cases = [DiscoveryCase("x"), DiscoveryCase("y", ("bees",), metadata={"grades": "high"})]
    with pytest.raises(CaseError, match="case q00001: the grades"):
        evaluate_discovery(pets, cases)
    with pytest.raises(CaseError, match="case q00001: the grades"):
        retrieval_report(pets, cases)


@pytest.mark.parametrize("line", ["1\td1\tmuch", "1\td1\tnan", "1 d1", "1\td1\t1\t0\t0"])
def test_a_bad_judgement_is_named_by_its_line(tmp_path, line):
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + line + "\n")
    with pytest.raises(CaseError, match="line 2"):
        read_qrels(tmp_path / "test.tsv")


@pytest.mark.parametrize("line", ['{"_id": "1"}', '{"text": "x"}', '{"_id": "0", "text": "x"}'])
def test_a_bad_query_is_named_by_its_line(tmp_path, line):
    (tmp_path / "q.jsonl").write_text('{"_id": "0", "text": "zero"}\n' + line + "\n")
    with pytest.raises(CaseError, match="line 2"):
        read_queries(tmp_path / "q.jsonl")


def test_gold_that_the_corpus_does_not_have_is_found(pets):
    cases = [DiscoveryCase("x", ("bees",)), DiscoveryCase("y", ("bees", "newt", "gnu"))]
    assert validate_cases(pets, cases) == {1: ["newt", "gnu"]}
    assert corpus_artifact_ids(pets) == {"bees", "cats", "dogs", "fish", "hens", "pigs"}

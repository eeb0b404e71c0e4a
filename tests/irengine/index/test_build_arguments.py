"""What ``build`` is given by mistake is said at once."""

import pytest

import irengine as ir


@pytest.mark.parametrize("source", ["notes", None, {"a": "text"}])
def test_a_source_is_no_name_and_no_mapping(source):
    with pytest.raises(ir.ParameterError, match="needs a CorpusSource") as caught:
        ir.build(source)
    assert "build_corpus" in caught.value.hint

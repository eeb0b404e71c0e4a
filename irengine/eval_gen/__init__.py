"""Make questions for :mod:`irengine.eval` out of a corpus itself.

With a language model, each artifact's description is turned back into what somebody would ask
(:func:`generate_cases`), and questions nothing answers are invented
(:func:`generate_abstention_cases`). Without one, what authors wrote *about* an artifact is taken
for a question: descriptions, headings, the texts of links to it (:func:`generate_offline_cases`).
Either way a question must not give its artifact's name away.
"""

from irengine.eval_gen.asking import (
    ABSTENTION_PROMPT,
    BACKTRANSLATION_PROMPT,
    make_default_abstention_generator,
    make_default_query_generator,
    query_lines,
)
from irengine.eval_gen.generating import (
    DFLT_ABSTENTION_FRAC,
    DFLT_ABSTENTION_THEME,
    DFLT_MIN_DESCRIPTION_CHARS,
    DFLT_QUERIES_PER_ARTIFACT,
    build_eval_set,
    corpus_signature,
    generate_abstention_cases,
    generate_cases,
)
from irengine.eval_gen.masking import NAME_PLACEHOLDER, gives_away, mask_name
from irengine.eval_gen.offline import generate_offline_cases

__all__ = [
    "ABSTENTION_PROMPT",
    "BACKTRANSLATION_PROMPT",
    "DFLT_ABSTENTION_FRAC",
    "DFLT_ABSTENTION_THEME",
    "DFLT_MIN_DESCRIPTION_CHARS",
    "DFLT_QUERIES_PER_ARTIFACT",
    "NAME_PLACEHOLDER",
    "build_eval_set",
    "corpus_signature",
    "generate_abstention_cases",
    "generate_cases",
    "generate_offline_cases",
    "gives_away",
    "make_default_abstention_generator",
    "make_default_query_generator",
    "mask_name",
    "query_lines",
]

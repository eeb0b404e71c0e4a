"""English function words and filler of requests: dropped from queries, kept in the index.

The list was chosen by the mean over nine collections (tests/benchmarks/bench_bm25_sets.py).
"""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_WORDS = """
a about above across after again against all almost along already also although always am
among an and another any anybody anyone anything are aren't around articles as at
be became because been before being below between both but by
can can't cannot concerning could couldn't currently
deal dealing deals describe described describes describing did didn't
do does doesn't doing don't done down during
each either else enough especially etc even ever every everyone everything exist existing exists
few for from further
give given gives
had hadn't has hasn't have haven't having he hello her here hers herself him himself his
how however
i if in include included includes including interested into is isn't it its itself
just
know known
like
made many may me might more most much must my myself
need needs neither no nor not now
of off often on once one only onto or other others otherwise our ours ourselves out over own
particular particularly per please
quite
rather really regarding related relating
same see shall shan't she should shouldn't since so some somebody someone something such
tell than that the their theirs them themselves then there therefore these they thing things
this those though through thus to too toward towards
under until up upon us use used using
very via
want wants was wasn't we were weren't what whatever when where whether which while who whom
whose why will with within without won't would wouldn't
yes yet you your yours yourself yourselves
and/or e.g he/she her/his his/her i.e
& + / < = ~
"""

STOP_WORDS: frozenset[str] = frozenset(_WORDS.split())

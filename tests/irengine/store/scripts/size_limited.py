"""Write more than the file-size limit allows and print the error's code."""

from __future__ import annotations

import resource
import sys

from _common import put

from irengine.errors import IrError
from irengine.store import CorpusStore

limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    with CorpusStore.local(sys.argv[1]).writing("too much") as batch:
        for number in range(3000):
            put(batch, f"artifact {number}", number)
except IrError as error:
    print(error.code)

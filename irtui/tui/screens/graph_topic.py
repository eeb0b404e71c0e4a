"""What F1 says of the mode Graph."""

from __future__ import annotations

__all__ = ["TOPIC"]

TOPIC = """\
A tree of what one document is linked with. In the middle is the document you came from: press e
on a hit of Search, or / here and type a name.

Enter puts the node of the cursor in the middle; the line above shows the way, [ and ] walk it back
and forth. l opens a node where it is, h closes it. A node is opened once: where it comes again it
is marked ↻, and Enter goes to its first place. ⌀ marks what is named but is not in this corpus.
The number behind a name is how many edges lead on from it.

+ and - change how many steps are opened, b how many nodes there may be, t which kinds of edges are
followed, r their direction, m the least weight (similar documents have one; links weigh 1).

p marks a node as A; on another one it shows the shortest way between the two. d lists what leads
here, over others too. space selects it as in Search, o opens the file in your editor, y copies.
"""

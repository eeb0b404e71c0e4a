"""How results look: the only place, beside the front ends, that knows about terminals."""

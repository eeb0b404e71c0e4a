"""What F1 shows in Search."""

__all__ = ["TOPIC"]

TOPIC = """Type, and hits come as you type. Words find by words and by meaning.

# Query language
"several words"  stand together
+word -word      must be there, must not be there
begin*           the beginning of a word
tags:rust        a metadata field has a value; name:(a|b) one of several
year:>=2020      compared; year:2019..2023 between; has:field it is there
in:corpus        search there; mode:lexical words only; mode:dense meaning only
sort:-date       by a field, descending; limit:5 so many

# In the list
j k              down, up; also the arrows, while you type
enter            read the hit; n goes to its next match, esc comes back
space V a        select a hit, a range, all that are ranked; t shows the selection
l h              reveal more, less: id, snippet, passage, section, document
o                open the file in your editor, at the line
w D              why a hit is there; which hits discover would commit to
[ ]              the search before, the search after
f F              narrow by values; the counts are of what matches by words
u U              take the last filter away, take all away
b B              keep a search, go back to a kept one

# Other keys
A file keys.toml in the folder of settings gives other keys to the names that ? shows.
ctrl+z           back to the shell; fg takes the app up again
keymap = "vim"   adds ctrl+f, ctrl+b, ctrl+w, and i for the query; j k g G always work

# States
Old hits stay until new ones come; they are dim while a search takes long. "changed" and "gone"
say that a file is not what was indexed.
"""

"""The command layer: every command once, as data, for every front end."""

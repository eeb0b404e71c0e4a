"""The full-screen app: four modes over the command layer.

Only :func:`irtui.tui.start.start` is meant for other front ends; it imports the app when it runs.
"""

"""Terminal front ends of irengine."""

"""The screens of the app: one a mode, and what opens above them."""

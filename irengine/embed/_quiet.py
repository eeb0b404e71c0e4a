"""Switch off the usage reporting of the libraries below us, before they are imported."""

from __future__ import annotations

import os

__all__ = ["quiet_telemetry"]

# onnxruntime >= 1.29 creates a device id and an event database in the home folder on its
# first import, and only this variable, set before that import, stops it.
_SETTINGS = {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ANONYMIZED_TELEMETRY": "False",  # chromadb
    "TOKENIZERS_PARALLELISM": "false",  # our own thread pool does better, and forks stay safe
    "USE_TF": "0",  # transformers would otherwise probe for tensorflow
}


def quiet_telemetry() -> None:
    """Disable telemetry of onnxruntime, tokenizers, Hugging Face and chromadb.

    Call it before the first import of any of them. A variable the user has set is left alone.
    """
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)

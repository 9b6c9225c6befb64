"""The version, alone in a file that imports nothing, so that packaging and `--version` stay cheap."""

__version__ = "0.1.0"

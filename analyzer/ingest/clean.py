"""A raw line as text: what terminals, wikis and word processors did to it undone."""

from __future__ import annotations

import html
import re

MAX_TEXT = 1 << 20
"""Characters of one line that are parsed; the rest of a longer line is a request dump."""
_TERMINAL = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-B])")
"""Colours and cursor moves (CSI), window titles (OSC) and character sets (ECMA-48, xterm ctlseqs)."""
_ENTITY = re.compile(r"&(?:quot|lt|gt|amp|nbsp|apos|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
_ODD_BLANKS = str.maketrans({"\xa0": " ", "\u202f": " ", "\u2007": " ", "\u200b": None, "\ufeff": None})
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"'})


def clean_text(raw: bytes) -> str:
    """A line as text: no CR, no ANSI colours, damaged UTF-8 replaced, bounded."""
    text = raw[:MAX_TEXT].rstrip(b"\r").decode("utf-8", "replace")
    if not text.isascii():
        text = _typewritten(text)
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    if "\r" in text:  # a progress bar: what was overwritten last is what a terminal shows
        text = next((part for part in reversed(text.split("\r")) if part.strip()), "")
    if "&" in text and '"' not in text and _ENTITY.search(text):
        text = html.unescape(text).translate(_ODD_BLANKS)
    return text


def _typewritten(text: str) -> str:
    """Blanks of web pages as blanks; curly quotes straight where no straight one is left."""
    text = text.translate(_ODD_BLANKS) if any(c in text for c in "\xa0\u202f\u2007\u200b\ufeff") else text
    return text.translate(_CURLY) if "{“" in text and '"' not in text else text

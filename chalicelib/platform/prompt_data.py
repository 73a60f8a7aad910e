"""Writes what others wrote into prompts as data: JSON that no text in it can leave, and no chat template reads."""

import json
import re

# Characters that some readers take for the end of a line, and "tags" that nobody sees but a language model.
_LINE_ENDS = re.compile("[\u0085\u2028\u2029]")
_UNSEEN = re.compile("[\U000e0000-\U000e007f]")

# Servers that put a conversation together as text may read `<|im_end|>`, `</s>` or `[INST]` in it as their own marks.
_MARK = re.compile(r"<|\[(?=/?[A-Z_]+\])")


def as_data(value: object) -> str:
    """Return a JSON value on one line. Read as JSON it is the value, without lone surrogates and unseen characters."""
    written = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
    written = _UNSEEN.sub("", written)
    return _MARK.sub(_escaped, _LINE_ENDS.sub(_escaped, written))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"

"""Counts the embedding model's true tokens, word by word, without its weights."""

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

import regex
from tokenizers import Tokenizer

_LONGEST_WORD = 16
_LONGEST_RUN = 100
_PIECE = 8
_BATCH = 10_000

BLANKS = "\t\n\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What the tokenizer takes for blanks; Python strips some control characters as well, which belong to words here."""

# What the tokenizer splits at whatever stands beside it: blanks, punctuation and ideographs (BertPreTokenizer). It
# drops control characters without splitting, so these belong to words here.
_IDEOGRAPHS = (
    r"\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b820-\U0002ceaf"
    r"\uf900-\ufaff\U0002f800-\U0002fa1f"
)
_SPLITS = rf"\p{{P}}$+<=>^`|~{_IDEOGRAPHS}"
# A run of base64 is cut anywhere; asking the tokenizer about it would take most of the time that a body takes.
_JOINED = rf"[^\t\n\r\p{{Z}}{_SPLITS}]"
_WORD = regex.compile(rf"[0-9A-Za-z+/=_\-]{{200,}}+{_JOINED}*+|{_JOINED}++|[{_SPLITS}]")
_SURROGATE = regex.compile("[\ud800-\udfff]")


@cache
def load_tokenizer() -> Tokenizer:
    """Return the embedding model's tokenizer, neither truncating nor padding."""
    tokenizer = Tokenizer.from_file(str(Path(__file__).parent / "tokenizer" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@dataclass(frozen=True, slots=True)
class Units:
    """The pieces that a body may be cut between: where each starts, and the tokens before it (one entry more)."""

    starts: list[int]
    sums: list[int]

    def index(self, position: int) -> int:
        """Return the first unit that starts at or behind a position of the body."""
        return bisect_left(self.starts, position)

    def tokens(self, low: int, high: int) -> int:
        """Return what the units from `low` to before `high` cost: exact, but for words that are cut an upper bound."""
        return self.sums[high] - self.sums[low]

    def between(self, start: int, end: int) -> int:
        """Return what a part of the body costs, with all of the unit that it begins in."""
        return self.tokens(max(bisect_right(self.starts, start) - 1, 0), self.index(end))

    def reach(self, low: int, tokens: int) -> int:
        """Return how far one gets from `low` with so many tokens."""
        return bisect_right(self.sums, self.sums[low] + tokens) - 1

    def back(self, high: int, tokens: int) -> int:
        """Return how far back one gets from `high` with so many tokens."""
        return bisect_left(self.sums, self.sums[high] - tokens)


def units_of(body: str, tokenizer: Tokenizer) -> Units:
    """Split a body into words; they are tokenised independently of each other, so that their costs add up."""
    text = _SURROGATE.sub("\ufffd", body)
    starts: list[int] = []
    words: list[str] = []
    for match in _WORD.finditer(text):
        starts.append(match.start())
        words.append(match[0])
    tokens_by_word = _count(set(words), tokenizer)
    costs = [tokens_by_word[word] for word in words]
    if any(cost > _LONGEST_WORD for cost in tokens_by_word.values()):
        starts, costs = _with_long_words_cut(starts, words, costs)
    return Units(starts, [0, *accumulate(costs)])


def _count(words: set[str], tokenizer: Tokenizer) -> dict[str, int]:
    """Count the tokens of each word once; of those too long to keep whole only that they are."""
    counts = {word: _LONGEST_WORD + 1 for word in words if len(word) > _LONGEST_RUN}
    short = [word for word in words if len(word) <= _LONGEST_RUN]
    for first in range(0, len(short), _BATCH):
        batch = short[first : first + _BATCH]
        encodings = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
        counts.update((word, len(encoding)) for word, encoding in zip(batch, encodings, strict=True))
    return counts


def _with_long_words_cut(starts: list[int], words: list[str], costs: list[int]) -> tuple[list[int], list[int]]:
    """Cut long words into pieces of at most `_PIECE` tokens: no code point of a word's NFD costs more than one."""
    cut_starts: list[int] = []
    cut_costs: list[int] = []
    for start, word, cost in zip(starts, words, costs, strict=True):
        if cost <= _LONGEST_WORD:
            cut_starts.append(start)
            cut_costs.append(cost)
        elif word.isascii():
            cut_starts.extend(range(start, start + len(word), _PIECE))
            cut_costs.extend(min(_PIECE, len(word) - at) for at in range(0, len(word), _PIECE))
        else:
            cut_starts.extend(range(start, start + len(word)))
            cut_costs.extend(len(unicodedata.normalize("NFD", character).lower()) for character in word)
    return cut_starts, cut_costs

"""bm25s as the reference of BM25: k1 1.2, b 0.75, the stemmer of Snowball. The command line is TEXTS ANSWERS.

TEXTS is a JSON file with `language` (an ISO 639-1 code), `texts` and `questions`; ANSWERS lists for each question the
numbers of the best texts.
"""

import json
import sys
from pathlib import Path

import bm25s
import Stemmer

DEPTH = 130
_STEMMERS = {"en": "english", "de": "german"}


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    stemmer = Stemmer.Stemmer(_STEMMERS[given["language"]])
    options = {"stopwords": given["language"], "stemmer": stemmer, "show_progress": False}
    retriever = bm25s.BM25(k1=1.2, b=0.75)
    retriever.index(bm25s.tokenize(given["texts"], **options), show_progress=False)
    asked = bm25s.tokenize(given["questions"], return_ids=False, **options)
    found, scores = retriever.retrieve(asked, k=min(DEPTH, len(given["texts"])), show_progress=False)
    answers = [
        [int(number) for number, score in zip(numbers, row, strict=True) if score > 0]
        for numbers, row in zip(found, scores, strict=True)
    ]
    Path(sys.argv[2]).write_text(json.dumps(answers), "utf-8")


if __name__ == "__main__":
    main()

"""D-CHK-1: a `#` inside code is no heading."""

from chalicelib.index.chunking import chunk_body
from chalicelib.index.tokens import load_tokenizer

FENCES = [
    "```bash\n# install\npip install x\n\n# run\nx serve\n```",
    "~~~\n# tilde comment\n~~~",
    "````markdown\n```\n# inner\n```\n````",
]
BODY = (
    "---\ntitle: Guide\n# comment\n---\n\n"
    f"# A\n\nBefore.\n\n{FENCES[0]}\n\nAfter the first.\n\n{FENCES[1]}\n\n"
    f"## B\n\n{FENCES[2]}\n\n    # x\n\nAfter the last.\n"
)


def test_real_headings_alone_make_the_path_and_each_fence_stays_in_one_piece() -> None:
    for size, overlap in ((512, 64), (40, 0)):
        chunks = chunk_body(BODY, tokenizer=load_tokenizer(), chunk_tokens=size, overlap_tokens=overlap)
        texts = [BODY[chunk.start : chunk.end] for chunk in chunks]
        assert {chunk.heading_path for chunk in chunks} == {(), ("A",), ("A", "B")}
        assert all(any(fence in text for text in texts) for fence in FENCES)
        paths_by_marker = {
            marker: {chunk.heading_path for chunk, text in zip(chunks, texts, strict=True) if marker in text}
            for marker in ("After the first.", "After the last.", "# x")
        }
        assert paths_by_marker == {"After the first.": {("A",)}, "After the last.": {("A", "B")}, "# x": {("A", "B")}}

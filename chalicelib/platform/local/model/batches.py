"""Puts texts of like length together, few at a time: padding is dear, and a question waits for one batch."""

from collections.abc import Iterator, Sequence

_BATCH_TOKENS = 512
_WIDTH_STEP = 8


def batches_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of texts in batches, the shortest texts first; `lengths` are in tokens."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * padded_width(lengths[place]) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def padded_width(tokens: int) -> int:
    """Round up, since the first run of every new shape has to be prepared."""
    return -(-tokens // _WIDTH_STEP) * _WIDTH_STEP

import io
import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chalicelib.platform.aws.originals import S3Originals
from chalicelib.platform.errors import OriginalKeyRefused, OriginalNotFound
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner
from chalicelib.platform.ports import Originals, StoredOriginal

if TYPE_CHECKING:
    from collections.abc import Callable

MINUTE = timedelta(minutes=1)
HOSTILE = ["../x", "a/../b", "a/./b", "/etc/passwd", "a\x00b", "a\nb", "", "ü" * 513, "\udc80"]


@pytest.fixture(params=["local", "aws"])
def originals(request: pytest.FixtureRequest, tmp_path: Path) -> Originals:
    if request.param == "local":
        presigner = Presigner(b"key", address=lambda: "http://127.0.0.1:1", clock=SystemClock())
        return LocalOriginals(tmp_path / "originals", presigner=presigner)
    aws = request.getfixturevalue("aws")
    return S3Originals(aws.clients, bucket=aws.bucket)


def read(originals: Originals, key: str) -> bytes:
    with originals.open(key) as content:
        return content.read()


def test_what_is_put_is_read_back_whole(originals: Originals) -> None:
    content = os.urandom(17 * 1024 * 1024 + 1)
    source = io.BytesIO(content)
    assert originals.put("a/b", source) == StoredOriginal("a/b", len(content))
    assert not source.closed
    assert originals.find("a/b") == StoredOriginal("a/b", len(content))
    with originals.open("a/b") as stream:
        assert b"".join(iter(lambda: stream.read(100_000), b"")) == content


def test_a_second_put_replaces_the_first(originals: Originals) -> None:
    originals.put("a", io.BytesIO(b"first and longer"))
    originals.put("a", io.BytesIO(b"second"))
    assert read(originals, "a") == b"second"


def test_an_empty_original_is_kept(originals: Originals) -> None:
    assert originals.put("empty", io.BytesIO()) == StoredOriginal("empty", 0)
    assert read(originals, "empty") == b""


def test_a_put_whose_content_breaks_leaves_what_was_there(originals: Originals) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if block := super().read(size):
                return block
            raise ValueError("broken")

    originals.put("a", io.BytesIO(b"before"))
    with pytest.raises(ValueError, match="broken"):
        originals.put("a", Broken(b"x" * 1000))
    assert read(originals, "a") == b"before"
    assert list(originals.walk("")) == [StoredOriginal("a", 6)]


def test_what_is_absent_is_told_apart(originals: Originals) -> None:
    assert originals.find("a") is None
    with pytest.raises(OriginalNotFound), originals.open("a"):
        pass
    originals.delete("a")


def test_a_folder_of_keys_is_no_key(originals: Originals) -> None:
    originals.put("a/b", io.BytesIO(b"x"))
    assert originals.find("a") is None
    assert originals.find("a/b/c") is None
    assert originals.find("a/") is None


def test_walking_yields_the_keys_below_a_prefix_in_the_order_of_their_bytes(originals: Originals) -> None:
    keys = ["a", "a.b", "a/b", "a/b/c", "a/bc", "a0", "A", "b/ü", "b/\U0001f600", "b/\ufb01", "b/" + "x" * 900]
    for key in reversed(keys):
        originals.put(key, io.BytesIO(key.encode()))
    assert [stored.key for stored in originals.walk("")] == sorted(keys, key=str.encode)
    assert [stored.key for stored in originals.walk("a/b")] == ["a/b", "a/b/c", "a/bc"]
    assert [stored.key for stored in originals.walk("a/b/")] == ["a/b/c"]
    assert [stored.key for stored in originals.walk("b/x")] == ["b/" + "x" * 900]
    assert [stored.key for stored in originals.walk("c")] == []
    assert [stored.key for stored in originals.walk("../")] == []


@pytest.mark.parametrize("key", HOSTILE, ids=ascii)
def test_keys_that_are_not_portable_are_refused_everywhere(originals: Originals, key: str) -> None:
    refused: list[Callable[[], object]] = [
        lambda: originals.put(key, io.BytesIO(b"x")),
        lambda: originals.open(key).__enter__(),
        lambda: originals.find(key),
        lambda: originals.delete(key),
        lambda: originals.presign_put(key, size=1, valid_for=MINUTE),
        lambda: originals.presign_get(key, filename="a", media_type="text/plain", valid_for=MINUTE),
    ]
    originals.put("a", io.BytesIO(b"x"))
    for refuse in refused:
        with pytest.raises(OriginalKeyRefused):
            refuse()


KEYS = st.text(
    st.one_of(
        st.sampled_from('/.%+ ~aA:\\*?"<>|&=#üß̈ﬁ'),
        st.characters(exclude_categories=["Cs", "Cc"], max_codepoint=0x1FFFF),
    ),
    min_size=1,
    max_size=60,
).filter(
    lambda key: (
        not key.startswith("/")
        and not any(segment in {".", ".."} for segment in key.split("/"))
        and len(key.encode()) <= 1024
    )
)


@given(st.sets(KEYS, min_size=1, max_size=8), st.data())
@example({"con", "CON", "Con", "nul", "com1", "a/con", "a//b", "a/", "a", "%", "%25", "%2525", "a+b", "a b"}, None)
@example({"é", "e\u0301", "É", "ﬁ", "fi", "x" * 1024, "x" * 1023, "ü" * 512, "a/" * 512, ".hidden", "..."}, None)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_no_two_keys_ever_meet(originals: Originals, keys: set[str], data: st.DataObject | None) -> None:
    for stored in originals.walk(""):
        originals.delete(stored.key)
    for key in keys:
        originals.put(key, io.BytesIO(key.encode()))
    assert [stored.key for stored in originals.walk("")] == sorted(keys, key=str.encode)
    assert all(read(originals, key) == key.encode() for key in keys)
    if data is not None:
        whole = data.draw(st.sampled_from(sorted(keys)))
        prefix = whole[: data.draw(st.integers(0, len(whole)))]
        expected = sorted((key for key in keys if key.startswith(prefix)), key=str.encode)
        assert [stored.key for stored in originals.walk(prefix)] == expected

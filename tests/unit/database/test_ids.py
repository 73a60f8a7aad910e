"""Ids sort by the time they were made."""

from chalicelib.database.ids import new_id


def test_ids_are_uuids_of_version_7_in_the_order_of_their_making() -> None:
    ids = [new_id() for _ in range(1000)]
    assert {id_.version for id_ in ids} == {7}
    assert ids == sorted(set(ids))

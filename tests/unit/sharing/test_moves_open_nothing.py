"""Whoever may not grant moves nothing to where others could read it."""

import pytest

from chalicelib.access.model import AudienceKind
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake.restore_item import restore_item
from chalicelib.sharing.model import AccessChoice, AudienceChoice
from chalicelib.sharing.move_folder import move_folder
from tests.fixtures.shared_workspaces import Shared


@pytest.fixture
def legal(shared: Shared) -> Shared:
    """Keep `legal/` from all but owners and the editor, with an item in it and one below it."""
    folder_id = shared.folder("legal", AccessChoice(is_restricted=True))
    shared.grant(folder_id, shared.editor.id, is_folder=True)
    shared.add("legal/a.md")
    shared.add("legal/sub/b.md")
    return shared


def test_an_editor_moves_no_item_to_where_others_read_it(legal: Shared) -> None:
    item = legal.add("legal/c.md", legal.editor)
    with pytest.raises(ActionForbidden, match="only owners move it there"):
        legal.change(item, legal.editor, path="open/c.md")
    assert not legal.reads(legal.viewer, item)
    assert legal.change(item, legal.editor, path="legal/sub/c.md").path == "legal/sub/c.md"
    legal.change(item, legal.owner, path="open/c.md")
    assert legal.reads(legal.viewer, item)


def test_an_editor_moves_an_item_to_where_fewer_read_it(legal: Shared) -> None:
    item = legal.add("open.md", legal.editor)
    legal.change(item, legal.editor, path="legal/open.md")
    assert not legal.reads(legal.viewer, item)
    with pytest.raises(ActionForbidden):
        legal.change(item, legal.editor, path="open.md")


def test_what_all_of_the_organization_reads_moves_to_where_the_workspace_does(shared: Shared) -> None:
    shared.folder("public", AccessChoice(audience=AudienceChoice(AudienceKind.ORGANIZATION)))
    item = shared.add("public/a.md", shared.editor)
    assert shared.change(item, shared.editor, path="a.md").path == "a.md"
    with pytest.raises(ActionForbidden):
        shared.change(item, shared.editor, path="public/a.md")


def test_an_editor_moves_no_folder_and_restores_nothing_to_where_others_read_it(legal: Shared) -> None:
    with pytest.raises(ActionForbidden, match="only owners move it there"):
        legal.do(move_folder, legal.editor, source="legal/sub", target="open/sub")
    item = legal.add("legal/gone.md", legal.editor)
    legal.delete(item, legal.editor)
    rules = legal.lorebase.wired.item_rules
    with pytest.raises(ActionForbidden, match="only owners move it there"):
        legal.do(restore_item, legal.editor, item_id=item.id, path="open/gone.md", rules=rules)
    legal.do(restore_item, legal.editor, item_id=item.id, path=None, rules=rules)
    assert legal.paths(legal.viewer) == []

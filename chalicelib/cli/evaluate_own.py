"""The documents of a workspace, as judgements name them: by path or id."""

from chalicelib.cli.client import Json
from chalicelib.cli.session import Session
from chalicelib.evaluation.collection import Questions


class OwnDocuments:
    """What was judged in a workspace; `unknown` is what the caller does not find there."""

    def __init__(self, session: Session, questions: Questions) -> None:
        """List the workspace's items. Raises ServerProblem."""
        judged = questions.judged
        self._named: dict[str, str] = {}
        for page in session.client.pages(f"{session.workspace_url}/items", "items"):
            for item in page:
                for name in {str(item["id"]), str(item["path"])} & judged:
                    self._named[str(item["id"])] = name
        self.unknown = sorted(judged - set(self._named.values()))

    def id_of(self, hit: Json) -> str:
        """Return what judgements call the item that a hit stands for; its path where nobody judged it."""
        return self._named.get(str(hit["item_id"]), str(hit["path"]))

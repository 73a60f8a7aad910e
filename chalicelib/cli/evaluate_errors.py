"""What goes wrong while a collection is evaluated."""

from chalicelib.errors import Conflict, Forbidden, Unavailable


class EvaluationForAdmins(Forbidden):
    """Only admins can make the workspace that a collection is evaluated in."""


class WorkspaceInUse(Conflict):
    """The workspace that the collection would be evaluated in is somebody's."""


class CorpusRefused(Conflict):
    """The server took none of the documents."""


class IndexUnfinished(Unavailable):
    """The documents are not all in search yet."""


class EvaluationDisturbed(Conflict):
    """The documents changed while questions were asked."""

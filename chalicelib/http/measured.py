"""What requests add to the metrics."""

from collections.abc import Mapping

from chalicelib.errors import LorebaseError
from chalicelib.intake.errors import ExtractionFailed, ProgramRefused, UnreadableFile, UnsupportedType
from chalicelib.intake.upload_errors import UploadTooLarge
from chalicelib.search.model import Lane, LaneState, SearchAnswer
from chalicelib.telemetry.metric_names import Metric

_REFUSALS_OF_FILES = (ExtractionFailed, ProgramRefused, UnreadableFile, UnsupportedType, UploadTooLarge)
_TIME_OF_LANE = {Lane.LEXICAL: Metric.LEXICAL_TIME, Lane.SEMANTIC: Metric.SEMANTIC_TIME}


def measured_of_search(answer: SearchAnswer) -> Mapping[Metric, float]:
    """Return how long a search and each lane that answered took, and how many lanes were dropped."""
    reports = answer.lanes
    times = {
        _TIME_OF_LANE[lane]: report.milliseconds for lane, report in reports.items() if report.state is LaneState.OK
    }
    dropped = sum(report.state is LaneState.DROPPED for report in reports.values())
    return {Metric.SEARCH_TIME: answer.milliseconds, Metric.LANES_DROPPED: dropped, **times}


def measured_of_refusal(error: LorebaseError) -> Mapping[Metric, float]:
    """Return what a refused request counts as: one whose file is not taken is a refused file."""
    return {Metric.FILES_REFUSED: 1} if isinstance(error, _REFUSALS_OF_FILES) else {}

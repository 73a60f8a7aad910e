"""What documents and searches cost, beside the database and the network."""

from infra.costs.bill import Line, line
from infra.costs.load import Load
from infra.costs.prices import HOURS, figure


def function_lines(load: Load) -> list[Line]:
    """Return the lines of every function: its invocations, and memory times time."""
    requests = load.documents * figure("requests_per_document")
    api_seconds = load.searches * (figure("search_seconds") + figure("invocation_seconds")) + requests * figure(
        "request_seconds"
    )
    embedding = load.documents * figure("chunks_per_document") * figure("passage_cpu_seconds")
    processors = figure("embedder_mebibytes") / figure("processor_mebibytes")
    embedder_seconds = load.searches * figure("question_embedding_seconds") + embedding / processors
    extraction = figure("parser_start_seconds") + figure("worker_seconds")
    indexing = figure("worker_seconds") * load.documents + embedding / processors
    sweeps = load.working_hours * 60 * figure("sweep_share")
    return [
        *_function("API", load.searches + requests, api_seconds, figure("api_mebibytes")),
        *_function(
            "originals", load.documents, load.documents * figure("worker_seconds"), figure("originals_mebibytes")
        ),
        *_function("intake", load.documents, load.documents * extraction, figure("intake_mebibytes")),
        *_function("index", load.documents, indexing, figure("index_mebibytes")),
        *_function("sweep", sweeps, sweeps * figure("worker_seconds"), figure("sweep_mebibytes")),
        *_function("embedder", load.searches + load.documents, embedder_seconds, figure("embedder_mebibytes")),
    ]


def _function(name: str, invocations: float, seconds: float, mebibytes: float) -> list[Line]:
    billed = seconds + invocations * figure("cold_share") * figure("cold_seconds")
    return [
        line("Lambda", f"{name}: invocations", "lambda-request", invocations),
        line("Lambda", f"{name}: memory times time", "lambda-gigabyte-second", billed * mebibytes / 1024),
    ]


def service_lines(load: Load) -> list[Line]:
    """Return the lines of what stands around the functions."""
    requests = load.searches + load.documents * figure("requests_per_document")
    messages = load.documents * figure("messages_per_document")
    sweeps = load.working_hours * 60 * figure("sweep_share")
    own_metrics = figure("own_metrics") * _active_hours(load) / HOURS
    logged = requests + messages + load.searches
    colds = (requests + messages + load.searches) * figure("cold_share")
    return [
        line("API Gateway", "requests", "api-request", requests),
        line("API Gateway", "answers to the internet", "transfer-out", load.searches * figure("answer_bytes") / 1e9),
        line("SQS", "messages", "queue-request", messages * figure("deliveries")),
        line("SQS", "messages that arm the sweep", "ordered-queue-request", sweeps * figure("deliveries")),
        line("EventBridge", "events of stored originals", "event", load.documents),
        line("S3", "originals", "object-month", load.stored_documents * figure("document_bytes") / 1e9),
        line("S3", "writes", "object-write", load.documents * figure("object_writes_per_document")),
        line("S3", "reads", "object-read", load.documents * figure("object_reads_per_document")),
        line("KMS", "requests", "key-request", load.documents * figure("key_requests_per_document") + colds),
        line("CloudWatch", "logs", "log-gigabyte", logged * figure("log_bytes") / 1e9),
        line("CloudWatch", "own metrics, in the hours of work", "metric-month", own_metrics),
    ]


def _active_hours(load: Load) -> float:
    return HOURS if load.searches_per_second else load.working_hours

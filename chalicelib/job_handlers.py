"""Wires what is done for each kind of job; only who does jobs loads parsers and tokenizers."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.model import FILL_SPACE, FORGET_SPACE
from chalicelib.index.contexts import DESCRIBE_ITEM, SPREAD_CONTEXTS
from chalicelib.index.describe_item import Describer, describe_item, show_no_context
from chalicelib.index.fill_space import Filler, fill_space, show_stopped
from chalicelib.index.forget_space import forget_space
from chalicelib.index.index_item import Indexer, index_item, show_failure
from chalicelib.index.reindex_workspace import REINDEX_WORKSPACE, reindex_workspace
from chalicelib.index.spread_contexts import spread_contexts
from chalicelib.index.tokens import load_tokenizer
from chalicelib.intake.extract.model import Extract, ExtractLimits
from chalicelib.intake.extract_upload import UploadExtraction
from chalicelib.intake.reception import EXTRACT_UPLOAD, IntakeRules
from chalicelib.intake.sandbox import Sandbox
from chalicelib.intake.sniff import MediaType
from chalicelib.items.write_item import INDEX_ITEM
from chalicelib.jobs.handlers import Handlers, Registration
from chalicelib.platform.ports import Clock, LanguageModel
from chalicelib.settings import Settings
from chalicelib.usage.metering import Metering


def wire_handlers(
    settings: Settings,
    *,
    database: Database,
    clock: Clock,
    embedders: Embedders,
    rules: IntakeRules,
    resources: ExitStack,
    language_model: LanguageModel | None = None,
    metering: Metering,
) -> Handlers:
    """Return the handlers by kind of job; `resources` is given what is to be closed after them."""
    sandbox = resources.enter_context(Sandbox(size=max(1, settings.workers)))
    extraction = UploadExtraction(rules, _sandboxed_reader(sandbox, settings), clock)
    indexer = Indexer(
        database=database,
        embedders=embedders,
        jobs=rules.items.jobs,
        tokenizer=load_tokenizer(),
        quotas=rules.items.quotas,
        chunk_tokens=settings.chunk_tokens,
        overlap_tokens=settings.chunk_overlap,
        describes=language_model is not None,
        metering=metering,
    )
    filler = Filler(indexer=indexer, at_once=max(1, settings.workers // 2))
    describer = Describer(
        model=language_model,
        tokenizer=load_tokenizer(),
        jobs=rules.items.jobs,
        input_tokens=settings.context_tokens,
        metering=metering,
    )
    return {
        EXTRACT_UPLOAD: Registration(extraction.handle, extraction.on_dead),
        INDEX_ITEM: Registration(lambda job: index_item(job, indexer=indexer), show_failure),
        FILL_SPACE: Registration(lambda job: fill_space(job, filler=filler), show_stopped),
        REINDEX_WORKSPACE: Registration(lambda job: reindex_workspace(job, makes=indexer.makes, jobs=rules.items.jobs)),
        FORGET_SPACE: Registration(lambda job: forget_space(job, database=database)),
        DESCRIBE_ITEM: Registration(lambda job: describe_item(job, describer=describer), show_no_context),
        SPREAD_CONTEXTS: Registration(lambda job: spread_contexts(job, describer=describer)),
    }


def _sandboxed_reader(sandbox: Sandbox, settings: Settings) -> Callable[[Path, MediaType, str], Extract]:
    """Return what reads an original in a child process under the deployment's limits."""
    limits = ExtractLimits(
        seconds=settings.parse_seconds,
        memory_bytes=settings.parse_memory_bytes,
        pages=settings.parse_pages,
        inflated_bytes=settings.inflated_bytes,
    )
    return lambda path, media_type, filename: sandbox.extract(path, media_type, filename=filename, limits=limits)

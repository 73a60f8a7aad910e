"""Has a language model say what an item is about: the handler of the job `describe_item`."""

from dataclasses import dataclass
from uuid import UUID

from tokenizers import Tokenizer

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import contexts_store, store
from chalicelib.index.context_prompt import CHARACTERS_A_TOKEN, INSTRUCTIONS, OUTPUT_TOKENS, SCHEMA, SUMMARY_TOKENS
from chalicelib.index.contexts import context_of, sha256_of_body
from chalicelib.index.embedded_text import cut_to_tokens
from chalicelib.index.model import Source
from chalicelib.index.outline import outline
from chalicelib.index.promise_indexing import promise_indexing
from chalicelib.items.model import Caveat, ItemId
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job
from chalicelib.jobs.problem import Problem
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.errors import LanguageModelAnswerRefused
from chalicelib.platform.ports import Completion, LanguageModel
from chalicelib.platform.prompt_data import as_data
from chalicelib.usage.metered import MeteredLanguageModel
from chalicelib.usage.metering import Metering
from chalicelib.usage.model import Purpose

_SUMMARY_CHARACTERS = 1000
_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Describer:
    """What it takes to describe items. `input_tokens` is how much of a body is read at most."""

    model: LanguageModel | None
    tokenizer: Tokenizer
    jobs: JobQueue
    input_tokens: int = 4000
    metering: Metering | None = None

    def model_for(self, workspace_id: WorkspaceId) -> LanguageModel | None:
        """Return the model, its tokens counted for the workspace."""
        if self.model is None or self.metering is None:
            return self.model
        return MeteredLanguageModel(self.model, self.metering.account(Purpose.CONTEXTS, workspace_id=workspace_id))


def describe_item(job: LeasedJob, *, describer: Describer) -> None:
    """Keep what the model says of an item, and promise that it is indexed with it.

    Nothing is asked where what was said still holds, where the workspace does not want it any more, or where there
    is no model. Each item is asked about by itself, so that what stands in one tells on that one alone. Raises
    LanguageModelUnavailable and BudgetSpent, which make the job wait, and LanguageModelAnswerRefused; the item stays
    indexed as it is.
    """
    workspace_id, item_id = _subject(job.job)
    with job.fenced() as tx:
        source = store.find_source(tx, workspace_id, item_id)
        model = describer.model_for(workspace_id)
        if source is None or model is None:
            return
        known = context_of(tx, workspace_id, source)
    if not known.is_due:
        return
    completion = _asked(model, source, input_tokens=describer.input_tokens)
    summary = cleaned_summary(completion.value.get("summary"), tokenizer=describer.tokenizer)
    with job.finish() as tx:
        if contexts_store.find_setting(tx, workspace_id, share=True) is None:
            return
        is_kept = contexts_store.put_context(
            tx,
            workspace_id,
            item_id,
            revision=source.revision,
            body_sha256=sha256_of_body(source),
            model=model.name,
            summary=summary,
        )
        contexts_store.set_warning(tx, workspace_id, item_id, None)
        if is_kept and summary != known.summary:
            promise_indexing(tx, workspace_id, [item_id], jobs=describer.jobs)


def show_no_context(tx: Transaction, job: Job, problem: Problem) -> None:
    """Warn on the item that no summary could be had of it; it is found without one."""
    workspace_id, item_id = _subject(job)
    detail = f"No summary could be had for search: {problem.title}. The item is found without one."
    contexts_store.set_warning(tx, workspace_id, item_id, Caveat(contexts_store.NO_CONTEXT, detail))


def cleaned_summary(written: object, *, tokenizer: Tokenizer) -> str:
    """Return a summary as it is kept: one line of visible characters, cut to its tokens.

    Raises LanguageModelAnswerRefused where nothing of it is left.
    """
    text = written[: 4 * _SUMMARY_CHARACTERS] if isinstance(written, str) else ""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_SUMMARY_CHARACTERS]
    summary = cut_to_tokens(line, SUMMARY_TOKENS, tokenizer).strip()
    if not any(character.isalnum() for character in summary):
        raise LanguageModelAnswerRefused("The language model gave an empty summary.")
    return summary


def _asked(model: LanguageModel, source: Source, *, input_tokens: int) -> Completion:
    text = outline(source.body, characters=input_tokens * CHARACTERS_A_TOKEN)
    return model.complete(
        instructions=INSTRUCTIONS,
        prompt=as_data({"title": source.title, "text": text}),
        schema=SCHEMA,
        output_tokens=OUTPUT_TOKENS,
        seconds=_SECONDS,
    )


def _subject(job: Job) -> tuple[WorkspaceId, ItemId]:
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    return WorkspaceId(job.workspace_id), ItemId(UUID(str(job.payload["item_id"])))

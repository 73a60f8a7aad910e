"""`lorebase evaluate`: how well searches answer questions whose right answers are known."""

from collections.abc import Sequence
from pathlib import Path

import click

from chalicelib.cli.evaluate_asking import Answers, ask_each, settle
from chalicelib.cli.evaluate_configurations import Configuration, configurations_of
from chalicelib.cli.evaluate_corpus import read_whole_corpus
from chalicelib.cli.evaluate_own import OwnDocuments
from chalicelib.cli.evaluate_printing import show_report
from chalicelib.cli.evaluate_workspace import EvaluationWorkspace
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.waiting import Patience
from chalicelib.evaluation.collection import Questions, questions_of, read_questions
from chalicelib.evaluation.report import evaluate

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("evaluate")
@click.argument("collection", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--queries", metavar="FILE", type=_FILE, help="Questions about documents of the workspace.")
@click.option("--judgements", metavar="FILE", type=_FILE, help="Which of the documents, by path or id, answer which.")
@click.option("--compare", metavar="MODE,MODE...", help="Modes to compare; by default all that the server has.")
@click.option("--config", "configs", metavar="NAME:PARAMETER=VALUE,...", multiple=True, help="Another; repeatable.")
@click.option("--details", is_flag=True, help="Also show every measure's differences and the questions lost.")
@click.option("--keep", is_flag=True, help="Leave the collection in its workspace, for the next run.")
@click.option("--timeout", metavar="SECONDS", type=click.FloatRange(min=0), help="How long to wait for the index.")
@click.option("--jobs", type=click.IntRange(1, 32), default=4, show_default=True, help="How many are sent at a time.")
@connected
def command(
    session: Session,
    *,
    collection: Path | None,
    queries: Path | None,
    judgements: Path | None,
    compare: str | None,
    configs: Sequence[str],
    details: bool,
    keep: bool,
    timeout: float | None,
    jobs: int,
) -> None:
    """Measure how well searches answer questions whose right answers are known.

    COLLECTION is a folder with corpus.jsonl, queries.jsonl and qrels.tsv. It is taken into a workspace of its own,
    which is emptied afterwards. With --queries and --judgements in its place, the documents are those of the
    workspace. Ways of searching are compared with the first one.
    """
    configurations = configurations_of(compare, configs)
    if collection is not None:
        if queries is not None or judgements is not None:
            raise click.UsageError("Give a COLLECTION, or --queries and --judgements, not both.")
        patience = Patience(timeout)
        answers = _ask_collection(session, collection, configurations, keep=keep, patience=patience, jobs=jobs)
    elif queries is None or judgements is None:
        raise click.UsageError("Give a COLLECTION, or both --queries and --judgements.")
    else:
        answers = _ask_workspace(session, read_questions(queries, judgements), configurations)
    show_report(
        session.printer, evaluate(answers.questions, answers.runs), remarks=answers.remarks, has_details=details
    )


def _ask_collection(
    session: Session,
    folder: Path,
    configurations: Sequence[Configuration],
    *,
    keep: bool,
    patience: Patience,
    jobs: int,
) -> Answers:
    """Take the collection into a workspace of its own, ask, and leave nothing there unless told to."""
    questions, corpus = questions_of(folder), read_whole_corpus(folder)
    questions.flaws.note("judged documents that are not in the corpus", *sorted(questions.judged - corpus.known))
    with (
        EvaluationWorkspace.opened(session, corpus, keep=keep) as workspace,
        session.printer.progress() as stages,
    ):
        chosen = settle(session.client, workspace.url, configurations)
        workspace.fill(stages, jobs=jobs)
        workspace.await_index(stages, patience=patience)
        before = workspace.items_by_state()
        answers = ask_each(session.client, workspace.url, questions, chosen, id_of=corpus.id_of, stages=stages)
        workspace.check(before)
        for flaw, ids in workspace.unindexed().items():
            questions.flaws.note(flaw, *ids)
    questions.flaws.note("documents that the server refused", *workspace.refused)
    return answers


def _ask_workspace(session: Session, questions: Questions, configurations: Sequence[Configuration]) -> Answers:
    session.say_workspace()
    chosen = settle(session.client, session.workspace_url, configurations)
    documents = OwnDocuments(session, questions)
    questions.flaws.note("judged documents that you do not find in the workspace", *documents.unknown)
    with session.printer.progress() as stages:
        return ask_each(session.client, session.workspace_url, questions, chosen, id_of=documents.id_of, stages=stages)

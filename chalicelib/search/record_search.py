"""Records a search where its workspace asks for that: not what was asked, and how much was left out for the asker."""

import hashlib
import hmac

from pgvector import HalfVector

from chalicelib.access.readers import audiences_of, audiences_of_owners
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.audit.store import records_reads
from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.errors import Unavailable
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.items.model import ItemId
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search import store
from chalicelib.search.lexical import find_by_words, weigh_question
from chalicelib.search.model import SearchAnswer, SettledQuestion
from chalicelib.search.search import SearchRules, checked_query
from chalicelib.search.semantic import find_by_meaning, question_vector
from chalicelib.search.store import Contents, Reach


def record_search(
    database: Database,
    answer: SearchAnswer,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    embedders: Embedders,
    rules: SearchRules,
    secret: bytes,
) -> None:
    """Record a search that was answered, where the workspace asks for that.

    Of the question its length is kept and an HMAC-SHA-256 under `secret`, so that the same question can be told again
    and none can be guessed. `left_out` is the number of items among the `limit` best of each lane, of all that owners
    may read, that the asker may not; null where a lane was late. What owners may not read either is not counted, since
    they read the number.
    """
    with database.transaction() as tx:
        if not records_reads(tx, workspace_id):
            return
    question = answer.question
    query = checked_query(question.query, rules=rules)
    embedder = None if question.mode is Mode.LEXICAL else embedders.find(answer.space)
    left_out: int | None
    try:
        # Before a connection is taken, which would wait for the embedder.
        vector = question_vector(embedder, query) if embedder else None
        with database.transaction(statement_seconds=rules.lane_seconds) as tx:
            contents = store.find_contents(tx, workspace_id, space=embedder.space if embedder else None)
            reach = Reach(workspace_id, audiences_of_owners(tx, workspace_id), question.filters)
            found = _found_by_words(tx, reach, question, query=query, contents=contents)
            if vector is not None:
                found |= _found_by_meaning(tx, reach, question, vector=vector, contents=contents)
            audiences = audiences_of(tx, principal, workspace_id)
            left_out = len(found - store.list_readable(tx, workspace_id, found, audiences=audiences))
    except Unavailable:
        left_out = None
    digest = hmac.new(secret, f"{workspace_id}\n{query}".encode(), hashlib.sha256).hexdigest()
    with database.transaction() as tx:
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.SEARCH_ASKED,
            subject_kind=SubjectKind.WORKSPACE,
            subject_id=workspace_id,
            after={
                "characters": len(query),
                "digest": digest,
                "mode": question.mode,
                "level": question.level,
                "limit": question.limit,
                "hits": len(answer.hits),
                "left_out": left_out,
            },
            is_read=True,
        )


def _found_by_words(
    tx: Transaction, reach: Reach, question: SettledQuestion, *, query: str, contents: Contents
) -> frozenset[ItemId]:
    if question.mode is Mode.SEMANTIC:
        return frozenset()
    weighed = weigh_question(tx, reach.workspace_id, query, contents=contents)
    if not weighed.chunks_by_term:
        return frozenset()
    ranked = find_by_words(
        tx,
        reach,
        question=weighed,
        level=question.level,
        limit=question.limit,
        sure=question.limit,
    )
    return frozenset(candidate.item_id for candidate in ranked)


def _found_by_meaning(
    tx: Transaction, reach: Reach, question: SettledQuestion, *, vector: HalfVector, contents: Contents
) -> frozenset[ItemId]:
    ranked = find_by_meaning(tx, reach, contents=contents, vector=vector, level=question.level, limit=question.limit)
    return frozenset(candidate.item_id for candidate in ranked)

"""`lorebase search`: passages that answer a question."""

from collections.abc import Iterator, Mapping, Sequence

import click
from rich.text import Text

from chalicelib.cli.client import Json
from chalicelib.cli.item_references import check_folder, find_missed_item
from chalicelib.cli.knowledge_base_references import chosen_of
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.printing import Printer
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of, harmless
from chalicelib.items.model import ItemClass, ItemKind, ItemScope, ItemStatus

_BAR = "\u2502"
_ARROW = " \u203a "
_FAR_OFF = "no word of the question is in these, and their meaning is far off"
_WORD_BY_LANE = {"lexical": "words", "semantic": "meaning"}


@click.command("search")
@click.argument("question", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), help="How many hits at most; by default 10.")
@click.option("--mode", type=click.Choice(["hybrid", "semantic", "lexical"]), help="By default hybrid.")
@click.option("--level", type=click.Choice(["chunk", "item"]), default="chunk", show_default=True)
@click.option("--folder", metavar="FOLDER", help="Only in this folder's subtree.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Only with this tag; repeatable, all must fit.")
@click.option("--class", "classes", type=choice_of(ItemClass), multiple=True, help="Only of this class.")
@click.option("--kind", "kinds", type=choice_of(ItemKind), multiple=True, help="Only of this kind.")
@click.option("--scope", "scopes", type=choice_of(ItemScope), multiple=True, help="Only of this scope.")
@click.option("--status", "statuses", type=choice_of(ItemStatus), multiple=True, help="Only of this status.")
@click.option("--language", "languages", metavar="CODE", multiple=True, help="Only in this language.")
@click.option("--knowledge-base", "knowledge_bases", metavar="NAME|ID", multiple=True, help="Only in it; repeatable.")
@click.option("--all-knowledge-bases", is_flag=True, help="Only in knowledge bases that you reach.")
@click.option("--rerank/--no-rerank", default=None, help="Have a model judge the best hits.")
@click.option("--expand/--no-expand", default=None, help="Have a language model word the question in other ways too.")
@click.option("--half-life", type=click.FloatRange(0.05, 36_500), metavar="DAYS", help="Let what is old count less.")
@click.option("--neighbours", type=click.IntRange(0, 5), help="Show so many chunks on either side of each hit.")
@click.option(
    "--explain", is_flag=True, help="Say what each hit's score is made of, and which wordings were looked for."
)
@click.option("--why-not", metavar="ITEM", help="Say where this item ended, by path or id, which you miss.")
@connected
def command(
    session: Session,
    *,
    question: Sequence[str],
    limit: int | None,
    mode: str | None,
    level: str,
    knowledge_bases: Sequence[str],
    all_knowledge_bases: bool,
    half_life: float | None,
    neighbours: int | None,
    explain: bool,
    why_not: str | None,
    **others: object,
) -> None:
    """Find passages that answer a question. A single knowledge base has defaults of its own."""
    asked: Json = {"query": " ".join(question), "limit": limit, "mode": mode, "level": level}
    asked |= {"half_life_days": half_life, "neighbours": neighbours or 0, "explain": explain}
    if why_not is not None:
        asked["why_not"] = find_missed_item(session, why_not)
    asked |= {name: others.pop(name) for name in ("rerank", "expand")}
    if chosen := chosen_of(session, knowledge_bases, everything=all_knowledge_bases):
        asked["knowledge_bases"] = "all" if all_knowledge_bases else chosen
    filters = _given(others)
    answer = session.client.post(f"{session.workspace_url}/search", {**asked, "filters": filters})
    if not answer["hits"]:
        check_folder(session, str(others["folder"] or ""))
    session.printer.json(answer)
    _remark(session.printer, answer)
    expansion = answer.get("stages", {}).get("expansion")
    if explain and expansion and expansion["state"] == "ok":
        session.printer.remark(looked_for_as_well(expansion.get("wordings") or []))
    if not answer["hits"] and not session.printer.wants_json:
        _say_why_nothing(session, filters, mode=answer["mode"])
    for rank, hit in enumerate(answer["hits"], start=1):
        _show(session.printer, rank, hit)
    if missing := answer.get("missing"):
        session.printer.remark(where_it_is(missing, item=str(why_not)))


def _remark(printer: Printer, answer: Json) -> None:
    for name, lane in answer.get("lanes", {}).items():
        if lane["state"] == "dropped":
            printer.remark(f"The {name} lane did not answer ({lane.get('reason') or 'no reason given'}).")
    stages = answer.get("stages", {})
    for name, stage in stages.items():
        if stage["state"] != "ok":
            printer.remark(f"Without {name}: {stage.get('reason') or 'no reason given'}.")
    if not answer["hits"]:
        printer.remark("Nothing found.")
    elif all(hit.get("weak") for hit in answer["hits"]):
        judged = stages.get("rerank", {}).get("state") == "ok"
        why = "a model finds none of these relevant" if judged else _FAR_OFF
        printer.remark(f"Nothing fits well: {why}.")


def _say_why_nothing(session: Session, filters: Json, *, mode: str) -> None:
    if filters and not _is_any(session, filters):
        session.printer.remark("No item passes the filters.")
    if said := on_their_way(session.client.get(f"{session.workspace_url}/status"), mode=mode):
        session.printer.remark(said)


def on_their_way(status: Json, *, mode: str) -> str:
    """Return in a sentence how much of what the caller may read cannot be found yet; nothing where all can."""
    items, uploads = status["items"], status["uploads"]
    coming = items["pending"] + items["indexing"] + uploads["pending"] + uploads["running"]
    wordless = items["text_ready"] if mode == "semantic" and status["embedding_space"] else 0
    said = [
        *([f"{count_of(coming, 'document')} on the way"] if coming else []),
        *([f"{count_of(wordless, 'item')} found by words alone so far"] if wordless else []),
    ]
    return f"Not all is in search yet: {', '.join(said)}; `lorebase status` shows how far it is." if said else ""


def looked_for_as_well(wordings: Sequence[str]) -> str:
    """Return in a sentence which other wordings of the question a language model gave."""
    if not wordings:
        return "The language model gave no other wording of use."
    return "Looked for as well: " + ", ".join(f'"{wording}"' for wording in wordings)


def _is_any(session: Session, filters: Json) -> bool:
    """Tell whether the caller may read any item that passes the filters."""
    asked = {"tag" if name == "tags" else name: value for name, value in filters.items()}
    return bool(session.client.get(f"{session.workspace_url}/items", limit=1, **asked)["items"])


def _given(filters: Mapping[str, object]) -> Json:
    """Return the filters as the API names them; what is not given is left out."""
    names = {"classes": "class", "kinds": "kind", "scopes": "scope", "statuses": "status", "languages": "language"}
    return {
        names.get(name, name): list(value) if isinstance(value, tuple) else value
        for name, value in filters.items()
        if value
    }


def _show(printer: Printer, rank: int, hit: Json) -> None:
    place = _ARROW.join([hit["path"], *hit["heading_path"]])
    page = f", page {hit['page']}" if hit.get("page") else ""
    printer.line(
        Text(f"{rank}. "), Text(harmless(hit["title"]), style="bold"), Text(f"  {places_of(hit)}", style="dim")
    )
    printer.line(Text(f"   {harmless(place)}{page}", style="cyan"))
    for line in (hit.get("opening") or "").splitlines():
        printer.line(Text(f"   {harmless(line)}", style="dim"))
    if passage := hit.get("passage"):
        for line in marked_lines(passage["text"], passage["hit"]):
            printer.line(line)
    else:
        printer.line(Text("   "), highlighted(hit["snippet"], hit.get("highlights") or []))
    for copy in hit.get("copies") or []:
        printer.line(Text(f"   also in {harmless(copy['path'])}", style="dim"))
    if explanation := hit.get("explanation"):
        printer.line(Text(f"   {harmless(reasons_of(explanation, score=hit['score']))}", style="dim"))
    printer.line("")


def places_of(hit: Json) -> str:
    """Return at which place each lane has a hit: what its score is made of, without looking like a measure of fit."""
    placings = [f"{_WORD_BY_LANE.get(lane, lane)} {placing['rank']}" for lane, placing in hit["lanes"].items()]
    remarks = [word for word, said in (("weak match", hit.get("weak")), ("review overdue", hit.get("stale"))) if said]
    return "; ".join([", ".join(placings), *remarks])


def reasons_of(explanation: Json, *, score: float) -> str:
    """Return in one line what a score is made of."""
    shares = " + ".join(f"{share:.3f} {_WORD_BY_LANE.get(lane, lane)}" for lane, share in explanation["shares"].items())
    factors = "".join(f" x {factor:.3f} {name}" for name, factor in explanation["factors"].items())
    words = ", ".join(f"{word} {worth:.1f}" for word, worth in explanation["words"].items())
    exact = "; the question is its name" if explanation["exact"] else ""
    waits = "; no vector yet" if explanation["lacks_vector"] else ""
    if explanation["relevance"] is not None:
        shares = f"{explanation['relevance']:.3f} relevance"
    return f"score {score:.3f} = {shares}{factors}{exact}{waits}" + (f"; words: {words}" if words else "")


def marked_lines(text: str, hit: Sequence[int]) -> Iterator[Text]:
    """Give the lines of a hit and its neighbours: a bar stands before those of the hit, the others are dim."""
    start = 0
    for whole in text.splitlines(keepends=True):
        shown = start + len(whole.splitlines()[0])
        begins, ends = (min(max(place, start), shown) for place in hit)
        is_hit = hit[0] < start + len(whole) and hit[1] > start
        line = Text(f" {_BAR} " if is_hit else "   ")
        for first, behind, style in ((start, begins, "dim"), (begins, ends, ""), (ends, shown, "dim")):
            line.append(harmless(text[first:behind]), style=style)
        yield line
        start += len(whole)


def highlighted(snippet: str, highlights: Sequence[Sequence[int]]) -> Text:
    """Return a snippet with its highlights, [start, end) in it, in bold; harmless piece by piece."""
    text, position = Text(), 0
    for start, end in sorted((max(start, 0), end) for start, end in highlights):
        if start < position:
            continue
        text.append(harmless(snippet[position:start]))
        text.append(harmless(snippet[start:end]), style="bold yellow")
        position = end
    return text.append(harmless(snippet[position:]))


def where_it_is(missing: Json, *, item: str) -> str:
    """Return in a sentence where an item ended that is missed among the hits."""
    shown_with = harmless(str(missing["shown_with"]))
    given = ", ".join(f"{_WORD_BY_LANE.get(lane, lane)} {one['score']:.2f}" for lane, one in missing["lanes"].items())
    sentences = {
        "shown": "is among the hits",
        "copy": f"says the same as {shown_with}, which stands for it",
        "trashed": "is in the trash; `lorebase restore` brings it back",
        "no_text": "has no text",
        "failed": "could not be brought into search; `lorebase show` says why",
        "not_indexed": "is not in search yet",
        "filtered": f"does not pass {', '.join(missing['filters'])}",
        "below_limit": f"comes at place {missing['place']}, below the limit",
        "irrelevant": "was judged irrelevant",
        "no_candidate": f"is too far behind in each lane ({given or 'neither a word of the question nor a vector'})",
    }
    return f"{harmless(item)} {sentences[missing['reason']]}."

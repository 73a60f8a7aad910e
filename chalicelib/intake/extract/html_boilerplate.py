"""What of a web page is not its text: navigation, banners, scripts, forms; by rules, never by a score."""

import re
from dataclasses import dataclass

from lxml import etree, html

_NEVER_TEXT = {
    *[
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math-ml",
        "iframe",
        "object",
        "embed",
        "canvas",
        "audio",
        "video",
        "map",
        "head",
        "link",
        "meta",
    ],
    *["button", "input", "select", "textarea", "datalist"],
}
_ASIDE = {"nav", "footer", "dialog"}
_ROLES = {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar"}
_NAMES = re.compile(
    r"(?:^|[-_\s])(?:cookies?|consent|gdpr|nav|navbar|navigation|menu|breadcrumbs?|sidebar|sidepanel|footer|skip-?link|"
    r"share|social|advert|advertisement|ads|popup|modal|newsletter|pagination|masthead|toolbar)(?:$|[-_\s])",
    re.IGNORECASE,
)
_BLOCKS = {"div", "section", "aside", "ul", "ol", "p", "header", "form", "span", "table", "a"}
_NEVER_BOILERPLATE = {"body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6"}
_KEEPS_NAMED = {"h1", "main", "article"}
_KEEPS_FORM = {"h1", "h2", "h3", "h4", "ul", "ol", "table"}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MOST = 0.3


@dataclass(frozen=True, slots=True)
class _Measure:
    """What stands inside an element: characters of text, and whether it holds what keeps a block."""

    length: int
    keeps_named: bool
    keeps_form: bool


def remove_boilerplate(root: html.HtmlElement) -> None:
    """Empty, in place, what is not the page's own text; an emptied element stays as a mute <span>.

    A name such as `menu` or `banner` condemns a block only if less than a third of the page stands in it,
    and never a heading, an article or the main part. Taking elements out would be quadratic: each time,
    libxml2 copies the text that has come together before them.
    """
    measures = _measure(root)
    everything = max(measures[root].length, 1)
    doomed = [
        element
        for element, measure in measures.items()
        if element is not root and _is_boilerplate(element, measure, everything)
    ]
    for element in doomed:
        element.clear(keep_tail=True)
        element.tag = "span"


def main_part(root: html.HtmlElement) -> html.HtmlElement:
    """Return the part marked as main where most of the text stands in it, else `root`."""
    marked = [each for each in root.iter("*") if each.tag == "main" or each.get("role") == "main"]
    if (
        len(marked) == 1
        and _length(marked[0]) > (1 - _MOST) * _length(root)
        and not root.xpath(".//h1[not(ancestor::main)]")
    ):
        return marked[0]
    return root


def _measure(root: html.HtmlElement) -> dict[html.HtmlElement, _Measure]:
    """Measure, in one walk, the elements that might be boilerplate, and the root."""
    measures: dict[html.HtmlElement, _Measure] = {}
    length, named, form = 0, 0, 0
    before: list[tuple[int, int, int]] = []
    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        tag = element.tag
        if event == "comment":
            length += len((element.tail or "").strip())
            continue
        if event == "start":
            before.append((length, named, form))
            length += len((element.text or "").strip())
            named += tag in _KEEPS_NAMED
            form += tag in _KEEPS_FORM
            continue
        length_before, named_before, form_before = before.pop()
        if element is root or _is_suspect(element):
            measures[element] = _Measure(
                length - length_before,
                named - (tag in _KEEPS_NAMED) > named_before,
                form - (tag in _KEEPS_FORM) > form_before,
            )
        length += len((element.tail or "").strip())
    return measures


def _is_suspect(element: html.HtmlElement) -> bool:
    """Whether a closer look at the element is worth while; most have no attribute that could condemn them."""
    tag = element.tag
    if tag in _NEVER_TEXT or tag in _ASIDE or tag == "form":
        return True
    return any(element.get(name) is not None for name in ("hidden", "style", "role", "id", "class"))


def _is_boilerplate(element: html.HtmlElement, measure: _Measure, everything: int) -> bool:
    tag = element.tag
    if tag in _NEVER_TEXT:
        return True
    if tag in _ASIDE:
        return measure.length <= (1 - _MOST) * everything
    if tag in _NEVER_BOILERPLATE:
        return False
    if element.get("hidden") is not None or _HIDDEN.search(element.get("style", "")):
        return True
    return measure.length <= _MOST * everything and _is_called_boilerplate(element, measure)


def _is_called_boilerplate(element: html.HtmlElement, measure: _Measure) -> bool:
    if element.get("role", "").lower() in _ROLES:
        return True
    if element.tag == "form":
        return not measure.keeps_form
    names = f"{element.get('id', '')} {element.get('class', '')}"
    return element.tag in _BLOCKS and not measure.keeps_named and bool(_NAMES.search(names))


def _length(element: html.HtmlElement) -> int:
    return sum(len(text.strip()) for text in element.itertext())

"""What of a web page is not its text: navigation, banners, scripts, forms; by rules, never by a score."""

import re

from lxml import html

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
    *["button", "input", "select", "textarea", "datalist", "dialog", "nav", "footer"],
}
_ROLES = {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar"}
_NAMES = re.compile(
    r"(?:^|[-_\s])(?:cookies?|consent|gdpr|nav|navbar|navigation|menu|breadcrumbs?|sidebar|sidepanel|footer|skip-?link|"
    r"share|social|advert|advertisement|ads|popup|modal|newsletter|pagination|masthead|toolbar)(?:$|[-_\s])",
    re.IGNORECASE,
)
_BLOCKS = {"div", "section", "aside", "ul", "ol", "p", "header", "form", "span", "table", "a"}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MOST = 0.3


def remove_boilerplate(root: html.HtmlElement) -> None:
    """Take out of the tree, in place, what is not the page's own text.

    A name such as `menu` or `banner` condemns a block only if less than a third of the page stands in it,
    and never a heading, an article or the main part.
    """
    everything = max(_length(root), 1)
    for element in list(root.iter()):
        if not isinstance(element.tag, str) or (
            element is not root and root in element.iterancestors() and _is_boilerplate(element, everything)
        ):
            element.drop_tree()


def main_part(root: html.HtmlElement) -> html.HtmlElement:
    """Return the part marked as main where most of the text stands in it, else `root`."""
    marked = [each for each in root.iter() if each.tag == "main" or each.get("role") == "main"]
    if (
        len(marked) == 1
        and _length(marked[0]) > (1 - _MOST) * _length(root)
        and not root.xpath(".//h1[not(ancestor::main)]")
    ):
        return marked[0]
    return root


def _is_boilerplate(element: html.HtmlElement, everything: int) -> bool:
    tag = str(element.tag).lower()
    if tag in _NEVER_TEXT:
        return not (tag in {"nav", "footer", "dialog"} and _length(element) > (1 - _MOST) * everything)
    if tag in {"body", "main", "article"} or re.fullmatch(r"h[1-6]", tag):
        return False
    if element.get("hidden") is not None or _HIDDEN.search(element.get("style", "")):
        return True
    small = _length(element) <= _MOST * everything
    if element.get("role", "").lower() in _ROLES:
        return small
    if tag == "form":
        return small and not element.xpath(".//h1|.//h2|.//h3|.//h4|.//ul|.//ol|.//table")
    names = f"{element.get('id', '')} {element.get('class', '')}"
    return tag in _BLOCKS and small and bool(_NAMES.search(names)) and not element.xpath(".//h1 | .//main | .//article")


def _length(element: html.HtmlElement) -> int:
    return sum(len(text.strip()) for text in element.itertext())

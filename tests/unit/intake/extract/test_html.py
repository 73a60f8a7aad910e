from pathlib import Path

import pytest

from tests.fixtures.documents import read


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def body_of(page: Path, inner: str) -> str:
    return read(page, f"<html><body>{inner}</body></html>").body


def test_lists_nest_and_keep_their_start(page: Path) -> None:
    inner = "<ol start=3><li>three<ul><li>inner</ul><li>four</ol>"
    assert body_of(page, inner) == "3. three\n   - inner\n4. four\n"


def test_a_list_directly_inside_a_list_belongs_to_the_item_before(page: Path) -> None:
    assert body_of(page, "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>") == "- a\n   - b\n- c\n"


def test_code_keeps_its_lines_its_language_and_its_backticks(page: Path) -> None:
    inner = '<pre><code class="language-py">if x:\n    ```y```</code></pre><p>Use <code>z</code></p>'
    assert body_of(page, inner) == "````py\nif x:\n    ```y```\n````\n\nUse `z`\n"


def test_tables_repeat_spanned_cells_and_name_their_caption_once(page: Path) -> None:
    nested = "<table><caption>Inner</caption><tr><td>x<td>y</table>"
    inner = (
        "<table><caption>Fees</caption><tr><th colspan=2>Head</tr>"
        f"<tr><td rowspan=2>a|b<td>1</tr><tr><td>2</tr></table>{nested}"
    )
    found = body_of(page, inner)
    assert found.startswith("Fees\n\n| Head | Head |\n| --- | --- |\n| a\\|b | 1 |\n| a\\|b | 2 |\n")
    assert body_of(page, f"<table><tr><td>{nested}<td>z</table>").count("Inner") == 1


def test_links_lead_somewhere_or_are_words(page: Path) -> None:
    inner = '<a href="/a b">one</a> <a href="#x">two</a> <a href="javascript:z()">three</a>'
    assert body_of(page, inner) == "[one](</a%20b>) two three\n"


def test_boilerplate_goes_and_the_text_around_it_stays(page: Path) -> None:
    words = "Content that is long enough to be the page. " * 5
    inner = (
        "<nav>Menu</nav><script>s()</script>before<div class='cookie-banner'>Accept</div>after"
        f"<p>{words}</p><p style='display: none'>unseen</p><footer>Imprint</footer>"
    )
    assert body_of(page, inner) == f"beforeafter\n\n{words.strip()}\n"


def test_a_name_never_condemns_most_of_the_page(page: Path) -> None:
    assert body_of(page, "<div id='menu'>Soup, bread and cheese</div>") == "Soup, bread and cheese\n"
    assert "Heading" in body_of(page, f"<div class='menu'><h1>Heading</h1></div><p>{'words ' * 50}</p>")


def test_words_parted_by_comments_count_as_text(page: Path) -> None:
    rest = "<!-- --> word" * 60
    assert "Menu" not in body_of(page, f"<div class='menu'>Menu of links</div><p>{rest}</p>")


def test_title_language_and_description_come_from_the_head(page: Path) -> None:
    head = '<html lang="de"><head><title>Die\nSeite</title><meta name="description" content="kurz"></head>'
    found = read(page, f"{head}<body><h1>Other</h1></body></html>")
    assert (found.title, found.metadata) == ("Die Seite", {"language": "de", "description": "kurz"})


def test_tags_within_a_title_are_not_shown(page: Path) -> None:
    assert read(page, "<title>Set up <em>before</em></title><p>x").title == "Set up before"
    assert read(page, "<title> </title><h1>Set up <em>before</em></h1><p>x").title == "Set up before"


@pytest.mark.parametrize(("declared", "charset"), [("iso-8859-1", "cp1252"), ("koi8-r", "koi8-r")])
def test_the_declared_charset_is_used_where_it_is_not_utf8(page: Path, declared: str, charset: str) -> None:
    word = "€5 Maß" if charset == "cp1252" else "Привет"
    found = read(page, f'<html><meta charset="{declared}"><p>{word}</p></html>'.encode(charset))
    assert (found.body, found.charset) == (f"{word}\n", charset)


def test_utf8_wins_over_a_wrong_declaration(page: Path) -> None:
    assert read(page, '<html><meta charset="latin1"><p>Grüße</p></html>').body == "Grüße\n"


def test_a_script_ends_where_browsers_end_it(page: Path) -> None:
    assert body_of(page, "<script>x()</script foo><p>seen</p>") == "seen\n"

"""One word a thing: no name in the code and no text for people uses a synonym of it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted([*(ROOT / "chalicelib").rglob("*.py"), *(ROOT / "functions").rglob("*.py")])
SCHEMA = sorted((ROOT / "chalicelib").rglob("*.sql"))
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])

WORDS_BY_SYNONYM = {
    "acl": "audience",
    "attachment": "upload",
    "company": "organization",
    "customer": "organization",
    "dlq": "dead letter",
    "document_id": "item_id",
    "file_id": "item_id or upload_id",
    "fragment": "chunk",
    "ingest": "intake",
    "ingestion": "intake",
    "org_id": "organization_id",
    "passage_id": "chunk_id",
    "project": "workspace",
    "project_id": "workspace_id",
    "tenant": "organization",
    "tenant_id": "organization_id",
    "user_id": "principal_id",
    "vector_id": "chunk_id",
    "version_id": "revision",
}

SAID_OTHERWISE = {
    "access control list": "audience",
    "dead letter queue": "dead letters",
    "ingest": "intake",
    "ingestion": "intake",
    "vector database": "PostgreSQL",
    "knowledgebase": "knowledge base",
}


def test_no_name_in_python_is_a_synonym() -> None:
    found = {f"{module.name}: {name}" for module in MODULES for name in names_in(module) if synonym_in(name)}
    assert found == set()


@pytest.mark.parametrize("file", SCHEMA, ids=lambda file: file.name)
def test_no_name_in_sql_is_a_synonym(file: Path) -> None:
    statements = re.sub(r"--.*", "", file.read_text("utf-8"))
    assert {name for name in re.findall(r"[a-z_]+", statements) if synonym_in(name)} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_says_it_otherwise(page: Path) -> None:
    text = page.read_text("utf-8").lower()
    assert [words for words in SAID_OTHERWISE if re.search(rf"\b{words}s?\b", text)] == []


def names_in(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name) | ast.arg(arg=name):
                yield name


def synonym_in(name: str) -> bool:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return any(re.search(rf"(^|_){synonym}s?($|_)", snake) for synonym in WORDS_BY_SYNONYM)

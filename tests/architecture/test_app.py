"""app.py registers the blueprints and does nothing else."""

import ast
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "app.py"


def test_app_py_holds_nothing_but_imports_the_app_and_its_registrations() -> None:
    docstring, *statements = ast.parse(APP.read_text(encoding="utf-8")).body
    assert isinstance(docstring, ast.Expr)
    shapes = [type(statement) for statement in statements]
    assert shapes == [ast.ImportFrom, ast.ImportFrom, ast.Assign, ast.For]
    loop = statements[-1]
    assert isinstance(loop, ast.For)
    assert [ast.unparse(statement) for statement in loop.body] == ["app.register_blueprint(blueprint)"]
    assert [ast.unparse(statement) for statement in statements[:2]] == [
        "from chalice.app import Chalice",
        "from chalicelib.http.blueprints import blueprints",
    ]

"""Writes docs/costs.md: `python -m infra.costs`."""

from pathlib import Path

from infra.costs.page import page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "costs.md"

if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

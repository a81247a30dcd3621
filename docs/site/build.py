"""`make site`: these documents as a site in build/site/html, with references made from the package.

Pages are staged first: links to files beside docs/ become links to pages, and pages that are made stand beside those
that are written. Sphinx then takes every warning, such as a link that leads nowhere, for an error. Needs the extra
`docs`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

SITE = Path(__file__).parent
DOCS = SITE.parent
ROOT = DOCS.parent
BESIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages that stand in the root, and what they are called in the site."""
RECORDS = """
```{toctree}
:hidden:
:glob:

0*
```
"""
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`(?!\]))", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "site", help="instead of build/site")
    options = parser.parse_args()
    source = options.output / "source"
    shutil.rmtree(options.output, ignore_errors=True)
    stage(source)
    from sphinx.cmd.build import main as sphinx

    return sphinx(["-q", "-W", "--keep-going", "-c", str(SITE), str(source), str(options.output / "html")])


def stage(source: Path) -> None:
    """Writes every page of the site, written or made, below `source`."""
    sys.path[:0] = [str(SITE), str(ROOT / "bench")]
    from pages import api_pages, example_pages, operation_pages

    source.mkdir(parents=True)
    for page in [ROOT / name for name in BESIDE] + [p for p in DOCS.rglob("*.md") if SITE not in p.parents]:
        place = source / (BESIDE.get(page.name, page.name) if page.parent == ROOT else page.relative_to(DOCS))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(with_links(page.read_text(), page.parent, place.parent, source))
    for page, contents in (("index.md", (SITE / "contents.md").read_text()), ("decisions/README.md", RECORDS)):
        (source / page).write_text((source / page).read_text() + contents)
    for made, text in [*example_pages(ROOT), *operation_pages(ROOT), *api_pages()]:
        place = source / made
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    if (DOCS / "pictures").exists():
        shutil.copytree(DOCS / "pictures", source / "pictures")


def with_links(text: str, folder: Path, staged: Path, source: Path) -> str:
    """A page's text with links that lead to what their targets are called in the site."""

    def led(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if "://" in target:
            return match[0]
        place = source / in_site((folder / target).resolve().relative_to(ROOT.resolve()))
        return f"]({os.path.relpath(place, staged)}{anchor})"

    return "".join(part if part.startswith("`") else _LINK.sub(led, part) for part in _CODE.split(text))


def in_site(path: Path) -> str:
    """Where a file of the checkout is found in the site. ValueError where it is not."""
    name = path.as_posix()
    if name in BESIDE:
        return BESIDE[name]
    if name == "docs/decisions":
        return "decisions/README.md"
    if path.parts[0] == "docs":
        return path.relative_to("docs").as_posix()
    if name == "examples":
        return "examples/index.md"
    if path.parts[0] == "examples":
        return f"examples/{path.stem}.md"
    raise ValueError(f"the site has no page for {name}")


if __name__ == "__main__":
    sys.exit(main())

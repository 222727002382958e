"""The edit link of a page, as the themes of generators write it."""

import pytest
from lxml import html

from searchsocket.content.html.extract import edit_link

PATH = "main/docs/ropes.md"
GITHUB = "https://github.com/harbour/site"


def link_in(body: str) -> str:
    return edit_link(html.document_fromstring(f"<body>{body}</body>"), body)


@pytest.mark.parametrize(
    "body",
    [
        f'<a class="theme-edit-this-page" href="{GITHUB}/edit/{PATH}">Edit this page</a>',
        f'<a title="Edit this page" class="md-content__button" href="{GITHUB}/edit/{PATH}"></a>',
        f'<a href="https://gitlab.com/a/b/-/edit/{PATH}">Edit</a>',
        f'<a href="https://gitlab.com/a/b/-/blob/{PATH}">View source</a>',
        f'<a href="https://codeberg.org/a/b/_edit/{PATH}">Edit</a>',
        f'<a href="https://codeberg.org/a/b/src/branch/{PATH}">Source of this page</a>',
        f'<a href="https://bitbucket.org/a/b/src/{PATH}?mode=edit">Edit</a>',
        f'<a href="{GITHUB}/edit/{PATH}">Bearbeiten</a> <a href="{GITHUB}/blob/main/README.md">Edit the project</a>',
        f'<a href="{GITHUB}/edit/{PATH}">Edit</a> <a href="{GITHUB}/edit/{PATH}">Edit</a>',
    ],
)
def test_the_link_of_each_host_is_read(body: str) -> None:
    assert link_in(body) == PATH


def test_the_copy_that_sphinx_publishes_is_read() -> None:
    assert (
        link_in('<a href="../_sources/guide/ropes.rst.txt" rel="nofollow">Page source</a>')
        == "_sources/guide/ropes.rst"
    )


@pytest.mark.parametrize(
    "body",
    [
        f'<a href="{GITHUB}/blob/{PATH}">ropes.md</a>',  # a page about files
        f'<a href="{GITHUB}/edit/main/a.md">Edit a</a> <a href="{GITHUB}/edit/main/b.md">Edit b</a>',
        f'<a href="{GITHUB}/edit/main">Edit</a>',
        f'<a href="/edit/{PATH}">Edit</a>',
        f"<p>{GITHUB}/edit/{PATH}</p>",
    ],
)
def test_other_links_are_none(body: str) -> None:
    assert link_in(body) == ""

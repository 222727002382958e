"""The step of `package.json` that adds search after each build."""

import json

import pytest

from searchsocket.extensions.export.after_build import with_build_step

STEP = "node searchsocket-build.mjs"
OLD = "searchsocket index && searchsocket export build/prerendered/searchsocket"
OLDER = "(searchsocket --version || (echo Search is missing. Run: pip install searchsocket && exit 1))"


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ({"build": "a"}, {"build": "a", "postbuild": STEP}),
        ({"build": "a", "postbuild": "next-sitemap"}, {"build": "a", "postbuild": f"next-sitemap && {STEP}"}),
        ({"build": "a", "postbuild": OLD}, {"build": "a", "postbuild": STEP}),
        ({"build": "a", "postbuild": f"{OLDER} && {OLD}"}, {"build": "a", "postbuild": STEP}),
        ({"build": f"a && {OLD}"}, {"build": f"a && {STEP}"}),
        ({"build": "a", "postbuild": STEP}, {"build": "a", "postbuild": STEP}),
        ({"lint": "b"}, None),
    ],
)
def test_search_is_a_step_after_the_build(scripts: dict[str, str], expected: dict[str, str] | None) -> None:
    """Once, after the owner's own step, and in place of what an earlier release wrote."""
    package = json.dumps({"name": "a", "scripts": scripts}, indent=2)
    changed = with_build_step(package, "build", STEP)
    assert (changed and json.loads(changed)["scripts"]) == expected


def test_a_manager_without_post_scripts_gets_the_step_in_the_build() -> None:
    package = '{"scripts": {"build": "astro build"}}'
    changed = with_build_step(package, "build", STEP, is_post=False)
    assert changed == f'{{"scripts": {{"build": "astro build && {STEP}"}}}}'
    assert with_build_step(changed, "build", STEP, is_post=False) == changed


def test_the_step_follows_the_script_that_builds_the_site() -> None:
    """VitePress names it `docs:build`."""
    package = '{\n  "scripts": {\n    "build": "tsc",\n    "docs:build": "vitepress build docs"\n  }\n}\n'
    changed = with_build_step(package, "docs:build", STEP)
    expected = f'"docs:build": "vitepress build docs",\n    "postdocs:build": "{STEP}"\n  }}'
    assert changed == package.replace('"docs:build": "vitepress build docs"\n  }', expected)

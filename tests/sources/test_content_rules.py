"""Content files have the addresses that their generator gives them.

The expected addresses are those of a build: VitePress 1.6, Docusaurus 3.10, Starlight with Astro 7, MkDocs 1.6, Hugo
0.168, Jekyll 4.3 and Eleventy 3.1 were run on these files. Nuxt and mdBook follow their manuals.
"""

from pathlib import Path

import pytest

from searchsocket.project.settings.site import ContentFilesSettings
from searchsocket.sources.build_folder import heading_ids_of
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.system.locators import locator_of
from searchsocket.web.urls.paths import canonical_path
from tests.sources.git_repository import commit, git

VITEPRESS = {
    "docs/.vitepress/config.mjs": "export default { title: 'V', srcDir: 'src' }",
    "docs/src/index.md": "/",
    "docs/src/guide/README.md": "/guide/README",
    "docs/src/guide/01-start.md": "/guide/01-start",
    "docs/src/guide/My Page.md": "/guide/My%20Page",
    "docs/src/guide/guide.md": "/guide/guide",
    "docs/src/_part.md": "/_part",
    "docs/README.md": "",
}
DOCUSAURUS = {
    "docusaurus.config.js": "module.exports = { title: 'D', presets: [['classic', { docs: {}, blog: {} }]] };",
    "docs/intro.md": "slug: / -> /docs",
    "docs/01-guide/index.md": "/docs/guide",
    "docs/01-guide/02-start.md": "/docs/guide/start",
    "docs/02-api/api.md": "/docs/api/api",
    "docs/02-api/03-calls.mdx": "/docs/api/calls",
    "docs/sub/README.md": "/docs/sub",
    "docs/twin/twin.md": "/docs/twin",
    "docs/slugged/x.md": "slug: my-slug -> /docs/slugged/my-slug",
    "docs/slugged/y.md": "slug: /abs/y -> /docs/abs/y",
    "docs/slugged/z.md": "id: zed -> /docs/slugged/zed",
    "docs/7.0-release.md": "/docs/7.0-release",
    "docs/2021-11-foo.md": "/docs/2021-11-foo",
    "docs/1. Numbered name.md": "/docs/Numbered%20name",
    "docs/003.tricky.md": "/docs/tricky",
    "docs/_partial.md": "",
    "blog/2021-08-26-welcome/index.md": "/blog/2021/08/26/welcome",
    "blog/2021-08-01-long.md": "/blog/2021/08/01/long",
    "blog/2021-10-01-slug.md": "slug: given -> /blog/given",
    "blog/plain.md": "/blog/plain",
    "src/pages/about.md": "/about",
    "src/pages/team/index.mdx": "/team",
    "README.md": "",
}
DOCUSAURUS_AT_THE_ROOT = {
    "docusaurus.config.ts": "export default { presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]] };",
    "docs/intro.md": "/intro",
    "docs/x.md": "slug: /y -> /y",
}
STARLIGHT = {
    "astro.config.mjs": "import starlight from '@astrojs/starlight';\nexport default { x: starlight({}) };",
    "src/content/docs/index.mdx": "/",
    "src/content/docs/guides/Start_Here.md": "/guides/start_here",
    "src/content/docs/guides/My Page.md": "/guides/my-page",
    "src/content/docs/guides/v1.2.md": "/guides/v12",
    "src/content/docs/Ref/README.md": "/ref/readme",
    "src/content/docs/ref/slugged.md": "slug: other/place -> /other/place",
    "src/content/docs/01-num.md": "/01-num",
    "src/content/docs/_draft.md": "",
    "src/pages/about.md": "/about",
    "src/pages/Team/My_Team.md": "/Team/My_Team",
}
ASTRO = {"astro.config.mjs": "export default {};", "src/content/blog/First Post.md": "/blog/first-post"}
MKDOCS = {
    "mkdocs.yml": "site_name: M\ndocs_dir: documentation\n",
    "documentation/index.md": "/",
    "documentation/guide/README.md": "/guide",
    "documentation/both/index.md": "/both",
    "documentation/both/README.md": "",
    "documentation/_part.md": "/_part",
    "documentation/a.markdown": "/a",
}
MDBOOK = {
    "book.toml": '[book]\ntitle = "B"\nsrc = "pages"\n',
    "pages/SUMMARY.md": "",
    "pages/intro.md": "/intro",
    "pages/guide/README.md": "/guide",
}
HUGO = {
    "hugo.toml": "title = 'H'\n",
    "content/_index.md": "/",
    "content/My Page.md": "/my-page",
    "content/readme.md": "/readme",
    "content/posts/_index.md": "/posts",
    "content/posts/First_Post.md": "/posts/first_post",
    "content/posts/2024-01-02-dated.md": "/posts/2024-01-02-dated",
    "content/posts/bundle/index.md": "/posts/bundle",
    "content/posts/slugged.md": "slug: Other Name -> /posts/other-name",
    "content/posts/moved.md": "url: /elsewhere/here/ -> /elsewhere/here",
    "content/posts/moved2.md": "url: rel/here.html -> /rel/here",
    "content/docs/_partial.md": "/docs/_partial",
    "content/docs/v1.2/notes.md": "/docs/v1.2/notes",
    "content/docs/a+b.md": "/docs/a+b",
    "content/docs/What's new?.md": "/docs/whats-new",
    "docs/notes.md": "",
}
JEKYLL = {
    "_config.yml": "title: J\n",
    "index.md": "/",
    "docs/about.md": "/docs/about",
    "docs/moved.md": "permalink: /here/ -> /here",
    "docs/template.md": "permalink: /:title/ -> /docs/template",
    "_posts/2024-1-2-first-post.md": "/2024/01/02/first-post",
    "_posts/2024-01-03-second.md": "categories: Jekyll update -> /jekyll/update/2024/01/03/second",
    "_posts/2024-02-03-cat.md": "category: News Items -> /news%20items/2024/02/03/cat",
    "_posts/2024-02-04-cats.md": "categories: [One Two, three] -> /one%20two/three/2024/02/04/cats",
    "_posts/2024-02-05-Upper_Case.md": "/2024/02/05/Upper_Case",
    "_posts/2024-02-07-slug.md": "slug: given -> /2024/02/07/given",
    "_posts/2024-02-08-dated.md": "date: 2020-01-01 -> /2020/01/01/dated",
    "_posts/2024-02-09-moved.md": "permalink: /there/:title/ -> /there/moved",
    "_posts/2024-02-10-named.md": "permalink: pretty -> /pretty",
    "_posts/sub/2024-02-06-sub.md": "/2024/02/06/sub",
    "_posts/no-date.md": "",
    "_drafts/draft.md": "",
    "blog/_posts/2024-05-06-nested.md": "/blog/2024/05/06/nested",
    "_includes/part.md": "",
}
NUXT = {
    "nuxt.config.ts": "export default { modules: ['@nuxt/content'] }",
    "content/index.md": "/",
    "content/1.guide/2.start.md": "/guide/start",
    "content/1.guide/1.index.md": "/guide",
    "content/2.0-notes.md": "/0-notes",
    "content/blog/10-years.md": "/blog/10-years",
    "README.md": "",
}
JEKYLL_WITH_TEMPLATE = {
    "_config.yml": "title: J\npermalink: /journal/:year/:title/\n",
    "_posts/2024-01-02-first.md": "categories: a -> /journal/2024/first",
}
ELEVENTY = {
    "eleventy.config.js": "module.exports = () => ({ dir: { input: 'site' } });",
    "site/index.md": "/",
    "site/blog/blog.md": "/blog",
    "site/blog/README.md": "/blog/README",
    "site/blog/2024-01-02-post.md": "/blog/2024-01-02-post",
    "site/blog/perm.md": "permalink: /else/where/ -> /else/where",
    "site/blog/none.md": "permalink: false -> ",
    "site/My Page.md": "/My%20Page",
    "site/_part.md": "/_part",
    "site/_includes/x.md": "",
    "README.md": "",
}
PROJECTS = {
    "VitePress": VITEPRESS,
    "Docusaurus": DOCUSAURUS,
    "Docusaurus, documents at the root": DOCUSAURUS_AT_THE_ROOT,
    "Starlight": STARLIGHT,
    "Astro": ASTRO,
    "MkDocs": MKDOCS,
    "mdBook": MDBOOK,
    "Hugo": HUGO,
    "Jekyll": JEKYLL,
    "Jekyll, template": JEKYLL_WITH_TEMPLATE,
    "Nuxt": NUXT,
    "Eleventy": ELEVENTY,
}
GLOBS = ContentFilesSettings().globs


def write(root: Path, project: dict[str, str]) -> dict[str, str]:
    """Write a project whose first file is a configuration, and return the expected address of each page."""
    expected = {}
    for name, text in project.items():
        front, _, url = text.rpartition(" -> ")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        is_page = name.endswith((".md", ".mdx", ".markdown"))
        (root / name).write_text(f"---\n{front}\n---\n\n{name}\n" if is_page else text)
        if is_page and url:
            expected[name] = url
    return expected


@pytest.mark.parametrize("name", PROJECTS)
def test_a_page_has_the_address_of_the_build(tmp_path: Path, name: str) -> None:
    expected = write(tmp_path, PROJECTS[name])
    source = ContentFilesSource(tmp_path, GLOBS, are_globs_chosen=False)
    assert {page.locator: page.url for page in source.pages()} == {
        locator_of(path): url for path, url in expected.items()
    }
    assert source.origin.generator


@pytest.mark.parametrize("name", ["Docusaurus", "Hugo"])
def test_a_commit_has_the_same_addresses(tmp_path: Path, name: str) -> None:
    expected = write(tmp_path, PROJECTS[name])
    git(tmp_path, "init", "-q")
    commit(tmp_path, {})
    source = GitBranchSource(tmp_path, "HEAD", GLOBS, are_globs_chosen=False)
    assert sorted(page.url for page in source.pages()) == sorted(expected.values())
    assert source.origin.generator


def test_chosen_globs_stay_and_names_follow_the_generator(tmp_path: Path) -> None:
    write(tmp_path, {"hugo.toml": "title = 'H'", "content/a.md": "", "text/_index.md": "", "text/B c.md": ""})
    source = ContentFilesSource(tmp_path, ["text/**/*.md"])
    assert [page.url for page in source.pages()] == ["/", "/b-c"]


def test_routes_of_sveltekit_stay_beside_another_generator(tmp_path: Path) -> None:
    write(tmp_path, {"svelte.config.js": "export default {};", "docs/mkdocs.yml": "site_name: M"})
    expected = write(tmp_path, {"src/routes/guide/+page.md": "/guide", "docs/a.md": "/a"})
    source = ContentFilesSource(tmp_path, GLOBS, are_globs_chosen=False)
    assert sorted(page.url for page in source.pages()) == sorted(expected.values())


@pytest.mark.parametrize("route", ["../../etc", "//host/x", "a\\0b", "%2e%2e/x"])
def test_a_hostile_route_stays_on_the_site(tmp_path: Path, route: str) -> None:
    config = f"module.exports = {{ presets: [['classic', {{ docs: {{ routeBasePath: '{route}' }} }}]] }};"
    write(tmp_path, {"docusaurus.config.js": config, "docs/a.md": "-> "})
    [page] = ContentFilesSource(tmp_path, GLOBS, are_globs_chosen=False).pages()
    assert page.url == canonical_path(page.url)
    assert ".." not in page.url


def test_links_between_files_are_relative_to_their_paths(tmp_path: Path) -> None:
    write(tmp_path, {"hugo.toml": "title = 'H'", "content/a/b.md": "url: /c -> "})
    [page] = ContentFilesSource(tmp_path, GLOBS, are_globs_chosen=False).pages()
    assert (page.url, page.served_url) == ("/c", "/a/b")


def test_lists_of_pages_are_no_pages(tmp_path: Path) -> None:
    """GitBook and Docsify have no configuration that shows their use."""
    write(tmp_path, {f"docs/{name}.md": "" for name in ("README", "SUMMARY", "guide/_sidebar", "_navbar", "_own")})
    source = ContentFilesSource(tmp_path, ["docs/**/*.md"])
    assert [page.url for page in source.pages()] == ["/", "/_own"]
    assert sorted(source.report.skipped) == ["docs/SUMMARY.md", "docs/_navbar.md", "docs/guide/_sidebar.md"]


def test_ids_of_headings_follow_the_generator(tmp_path: Path) -> None:
    """Unless its configuration has a function for them, which only a build could run."""
    assert heading_ids_of(tmp_path) == ""
    (tmp_path / "mkdocs.yml").write_text("site_name: H")
    assert heading_ids_of(tmp_path) == "MkDocs"
    (tmp_path / "mkdocs.yml").write_text("slugify: !!python/name:pymdownx.slugs.uslugify")
    assert heading_ids_of(tmp_path) == ""

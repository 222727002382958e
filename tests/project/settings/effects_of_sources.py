"""Effects of `project`, `scope`, `source` and `routes`: which pages there are, and what they are called."""

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, EntryPoints
from itertools import count
from pathlib import Path

import pytest

from searchsocket.extensions.crawl.source import CrawlSource
from searchsocket.extensions.records.source import GROUP
from tests.project.settings.lab import OTHER_HOST, WEB, Effect, Lab, other_host, outcome
from tests.sources.pdf_files import pdf
from tests.sources.web import Answer, Request, Web

BUILT = ["/", "/blog/first", "/blog/second", "/docs/faq", "/docs/install", "/docs/usage"]


def scope(environ: dict[str, str], override: str | None = None) -> Callable[[Lab], str]:
    """The scope's name that a run would work on."""
    return lambda lab: lab.project.scope(environ, override).name


def links_to(url: str) -> Callable[[Lab], int]:
    """Pages that link to a page, after a run."""

    def observe(lab: Lab) -> int:
        lab.index()
        return {record.page.url: record.page.incoming_links for record in lab.site.records()}[url]

    return observe


def route_file(lab: Lab) -> str:
    lab.index()
    return {record.page.url: record.page.route_file for record in lab.site.records()}["/docs/install"]


def addresses(lab: Lab) -> list[str]:
    """Return the addresses of the pages of the index, after a run."""
    lab.index()
    return sorted({record.page.address or record.page.url for record in lab.site.records()})


def project_ids(lab: Lab) -> set[str]:
    lab.index()
    return {record.project_id for record in lab.site.records()}


def write_content(lab: Lab) -> None:
    lab.write("docs/boats.md", "# Boats\n\nWhaling boats.\n")
    lab.write("notes/lamps.md", "# Lamps\n\nThe lantern.\n")
    lab.write("site/docs/ropes.md", "# Ropes\n\nA bowline.\n")


def write_repositories(lab: Lab) -> None:
    """A repository with the branches `main` and `draft`, and another one inside it."""
    for folder, branch, page in (("", "main", "boats"), ("", "draft", "lamps"), ("other", "main", "ropes")):
        where = f"{folder}/docs" if folder else "docs"
        lab.write(f"{where}/{page}.md", f"# {page}\n\nAll about {page}.\n")
        if branch == "main":
            git(lab, folder, "init", "-q")
        else:
            git(lab, folder, "checkout", "-q", "-b", branch)
        git(lab, folder, "add", "docs")
        git(lab, folder, "commit", "-qm", page)


def write_records(lab: Lab) -> None:
    lab.write("records/boats.jsonl", '{"url": "/boats", "markdown": "Whaling boats."}\n')


def install_reader(lab: Lab) -> None:
    """A package whose entry point `boats` yields one record."""
    point = EntryPoint("boats", f"{__name__}:boats", GROUP)
    lab.patch.setattr("searchsocket.system.plugins.entry_points", lambda **_: EntryPoints([point]))


def boats(root: Path, scope: str) -> list[dict[str, str]]:
    return [{"url": "/boats", "markdown": f"The boats of {root.name}, branch {scope}."}]


def records(lab: Lab) -> str:
    return outcome(lab.listed, naming="source.records.reader")


def git(lab: Lab, folder: str, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *who, *arguments], cwd=lab.root / folder, check=True, capture_output=True)


def harbour(web: Web) -> None:
    """Three pages that link to one another in a row, and one that nothing links to."""
    web.html("/", "<a href='/docs'>Docs</a>")
    web.html("/docs", "<a href='/docs/deep'>Deep</a>")
    web.html("/docs/deep", "<p>The end.</p>")
    web.html("/hidden", "<p>Only the sitemap tells of it.</p>")
    web.pages["/map.xml"] = Answer(200, f"<urlset><url><loc>{web.base_url}/hidden</loc></url></urlset>".encode())
    web.pages["/robots.txt"] = Answer(200, b"User-agent: *\nDisallow: /docs/deep\n", {"Content-Type": "text/plain"})


def paged(web: Web) -> None:
    web.html("/", "<a href='/list?page=2'>List</a>")
    web.html("/list?page=2", "<p>More boats.</p>")


def listed_for_agents(web: Web) -> None:
    harbour(web)
    web.pages["/llms.txt"] = Answer(200, b"- [Home](/)\n- [Hidden](/hidden.md)\n", {"Content-Type": "text/plain"})


def scripted(web: Web) -> None:
    """A page without text, until its scripts add a link."""
    add = b"document.body.insertAdjacentHTML('beforeend', '<p>A page and <a href=\"%s\">the next</a></p>')"
    web.pages["/library.js"] = Answer(200, add % b"/library", {"Content-Type": "text/javascript"})
    source = f"http://{other_host(web)}/library.js"
    web.html("/", f"<script>{(add % b'/own').decode()}</script><script src='{source}'></script>")
    web.html("/own", "")
    web.html("/library", "")


def rendered(lab: Lab) -> list[str]:
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("no Chromium: apt-get install chromium")
    return lab.listed()


def wide(web: Web) -> None:
    web.html("/", "".join(f"<a href='/{number}'>{number}</a>" for number in range(16)))


def at_once(lab: Lab) -> int:
    """Most requests that the server had before it at one time."""
    expected = lab.project.settings.source.crawl.concurrency
    gate, open_now, peak = threading.Condition(), 0, 0

    def meet(_: Request) -> Answer:
        """Answer when as many as should come at one time have been here; give up when they do not come."""
        nonlocal open_now, peak
        with gate:
            open_now += 1
            peak = max(peak, open_now)
            gate.notify_all()
            gate.wait_for(lambda: peak >= expected, timeout=60)
            open_now -= 1
        return Answer(200, b"<main><p>Here.</p></main>")

    lab.web.pages.update({f"/{number}": meet for number in range(16)})
    assert len(lab.listed()) == 17
    return peak


@contextmanager
def ticking(lab: Lab) -> Iterator[None]:
    """A clock in which a second passes whenever a crawl looks at it."""
    seconds = count()
    with lab.patch.context() as patch:
        patch.setitem(CrawlSource.__init__.__kwdefaults__, "monotonic", lambda: float(next(seconds)))
        patch.setitem(CrawlSource.__init__.__kwdefaults__, "sleep", lambda _: None)
        yield


def slow_crawl(lab: Lab) -> str:
    with ticking(lab):
        return outcome(lab.listed)


def write_copied(lab: Lab) -> None:
    lab.write("src/routes/docs/[slug]/+page.svelte", "<h1>Install</h1>")
    lab.write("copied/docs/install.html", "<h1>Install</h1>")


def short_crawl(lab: Lab) -> str:
    with ticking(lab):
        return outcome(lab.listed, naming="source.crawl.max_seconds")


def broken(web: Web) -> None:
    web.html("/", "<a href='/boats'>Boats</a> <a href='/lamps'>Lamps</a>")
    web.pages["/boats"] = Answer(500)
    web.html("/lamps", "<p>The lantern.</p>")


def patient_crawl(lab: Lab) -> list[str]:
    with ticking(lab):
        return lab.listed()


def write_routes(lab: Lab) -> None:
    lab.write("src/routes/docs/install/+page.svelte", "<h1>Install</h1>")
    lab.write("app/pages/docs/install/+page.svelte", "<h1>Install</h1>")


def crawl(key: str, value: object, after: list[str], **given: object) -> Effect:
    """An effect on which pages of the harbour are crawled."""
    keys = {"source.mode": "crawl", "source.crawl.base_url": WEB, "source.crawl.respect_robots_txt": False}
    before = ["/", "/docs", "/docs/deep"]
    return Effect(f"source.crawl.{key}", value, Lab.listed, before, after, given=keys | given, web=harbour)


CONTENT = {"source.mode": "content-files"}
GIT = {"source.mode": "git-branch"}
CRAWL = {"source.mode": "crawl", "source.crawl.base_url": WEB}

EFFECTS = (
    Effect("project.id", "museum", project_ids, {"site"}, {"museum"}, anew=True),
    Effect("project.base_url", "https://museum.example", links_to("/docs/faq"), 0, 1,
           prepare=lambda lab: lab.page("about.html", "<main><a href='https://museum.example/docs/faq'>FAQ</a></main>")),
    Effect("scope.mode", "env", scope({"SEARCHSOCKET_SCOPE": "preview"}), "main", "preview"),
    Effect("scope.fixed", "trunk", scope({}), "main", "trunk"),
    Effect("scope.env_var", "BRANCH", scope({"SEARCHSOCKET_SCOPE": "a", "BRANCH": "b"}), "a", "b",
           given={"scope.mode": "env"}),
    Effect("scope.sanitize", False, lambda lab: outcome(lambda: lab.project.scope({}, "feature/boats")),
           "ok", "INVALID_SCOPE"),
    Effect("source.mode", "content-files", Lab.urls, BUILT, ["/boats"],
           prepare=write_content),
    Effect("source.static_output_dir", "elsewhere", Lab.urls, BUILT, ["/boats"],
           prepare=lambda lab: lab.write("elsewhere/boats.html", "<main><p>Whaling boats.</p></main>")),
    Effect("source.base_path", "/museum", links_to("/docs/faq"), 0, 1,
           prepare=lambda lab: lab.page("about.html", "<main><a href='/museum/docs/faq'>FAQ</a></main>")),
    Effect("source.exclude", ["/blog/**"], Lab.urls, BUILT, [url for url in BUILT if "blog" not in url]),
    Effect("source.max_page_bytes", 1000, Lab.urls, [*BUILT[:3], "/boats", *BUILT[3:]], BUILT,
           prepare=lambda lab: lab.page("boats.html", f"<main><p>{'Whaling boats. ' * 100}</p></main>"), anew=True),
    Effect("source.documents", True, Lab.urls, BUILT, [*BUILT[:5], "/docs/tides.pdf", *BUILT[5:]],
           prepare=lambda lab: (lab.root / "build/docs/tides.pdf").write_bytes(pdf([(10, "High water at noon.")]))),
    Effect("source.content_files.globs", ["notes/**/*.md"], Lab.urls, ["/boats"], ["/lamps"],
           given=CONTENT, prepare=write_content),
    Effect("source.content_files.base_dir", "site", Lab.urls, ["/boats"], ["/ropes"],
           given=CONTENT, prepare=write_content),
    Effect("source.git.branch", "draft", Lab.urls, ["/boats"], ["/boats", "/lamps"],
           given=GIT, prepare=write_repositories),
    Effect("source.git.repo_dir", "other", Lab.urls, ["/boats"], ["/ropes"], given=GIT, prepare=write_repositories),
    Effect("source.records.files", ["records/*.jsonl"], records, "CONFIG_MISSING", "ok",
           given={"source.mode": "records"}, prepare=write_records),
    Effect("source.records.reader", "boats", records, "CONFIG_MISSING", "ok",
           given={"source.mode": "records"}, prepare=install_reader),
    Effect("source.crawl.base_url", WEB, lambda lab: outcome(lab.listed, naming="source.crawl.base_url"),
           "CONFIG_MISSING", "ok", given={"source.mode": "crawl"}, web=harbour),
    crawl("routes", ["/hidden", "/docs/deep"], ["/docs/deep", "/hidden"]),
    crawl("sitemap_url", "/map.xml", ["/hidden"]),
    crawl("discover", False, ["/"]),
    Effect("source.crawl.query_parameters", ["page"], Lab.listed, ["/"], ["/", "/list%3Fpage=2"],
           given=CRAWL, web=paged),
    crawl("max_depth", 1, ["/", "/docs"]),
    crawl("max_pages", 2, ["/", "/docs"]),
    Effect("source.crawl.concurrency", 16, at_once, 8, 16, given=CRAWL, web=wide),
    Effect("source.crawl.timeout_s", 0.5, slow_crawl, "ok", "SOURCE_UNAVAILABLE", given=CRAWL, web=harbour),
    Effect("source.crawl.max_seconds", 0.5, short_crawl, "ok", "SOURCE_UNAVAILABLE",
           given=CRAWL | {"source.crawl.respect_robots_txt": False}, web=harbour),
    Effect("source.crawl.max_failures_in_row", 1, patient_crawl, ["/", "/lamps"], ["/"],
           given=CRAWL | {"source.crawl.concurrency": 1}, web=broken),
    Effect("source.crawl.respect_robots_txt", False, Lab.listed, ["/", "/docs"], ["/", "/docs", "/docs/deep"],
           given=CRAWL, web=harbour),
    Effect("source.crawl.render", "auto", rendered, ["/"], ["/", "/own"], given=CRAWL, web=scripted),
    Effect("source.crawl.render_hosts", [OTHER_HOST], rendered, ["/", "/own"], ["/", "/library", "/own"],
           given=CRAWL | {"source.crawl.render": True}, web=scripted),
    Effect("source.crawl.browser", "nowhere",
           lambda lab: outcome(lambda: rendered(lab), naming="browser = 'nowhere'"), "ok", "CONFIG_MISSING",
           given=CRAWL | {"source.crawl.render": True}, web=scripted),
    Effect("source.crawl.prefer", "markdown", Lab.listed,
           ["/", "/docs", "/docs/deep"], ["/", "/hidden", "/docs", "/docs/deep"],
           given=CRAWL | {"source.crawl.respect_robots_txt": False}, web=listed_for_agents),
    Effect("urls.style", "html", addresses, BUILT, ["/", *(f"{url}.html" for url in BUILT[1:])]),
    Effect("routes.dir", "app/pages", route_file, "src/routes/docs/install/+page.svelte",
           "app/pages/docs/install/+page.svelte", prepare=write_routes),
    Effect("routes.static_dir", "copied", route_file, "src/routes/docs/[slug]/+page.svelte", "",
           prepare=write_copied),
    Effect("routes.strict", True, lambda lab: outcome(lab.index), "ok", "ROUTES_NOT_EXACT", prepare=write_routes),
)  # fmt: skip

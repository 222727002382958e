"""The mirror has the words that a browser shows with everything opened (spec 8.3)."""

from pathlib import Path

from bench.reading.__main__ import compare, read_site
from tests.chromium import needs_chromium, open_chromium

BUILDS = Path(__file__).parent.parent / "generators" / "builds"
PAGE = """<!doctype html><meta charset=utf-8><title>Ferry</title><nav>Timetables of all our ferries and boats</nav>
<main><h1>Ferry</h1><style>.panel, .tab-pane { display: none }</style>
<p>Press <button>Save draft</button> to keep it.</p>
<h2><button aria-expanded="false" aria-controls="a">Is parking free?</button></h2>
<div id="a" class="panel" aria-hidden="true">Two coins.</div>
<dl><dt><button aria-controls="b">May dogs board?</button></dt><dd id="b" hidden>On a lead.</dd></dl>
<details><summary>Night boats</summary><p>Only with lanterns.</p></details>
<ul class="nav-tabs"><li><a data-toggle="tab" href="#p1">Debian</a></li>
<li><a data-toggle="tab" href="#p2">Suse</a></li></ul>
<div class="tab-pane" id="p1" style="display: block"><p>apt install ferry</p></div>
<div class="tab-pane" id="p2">zypper in ferry</div>
<dl><dt id="cleat">cleat <a href="#cleat">¶</a></dt><dd>Holds a rope.</dd></dl>
<svg width="400" height="90"><text x="9" y="20">Upper gate</text></svg>
<div role="heading" aria-level="2">Crew</div></main>"""


@needs_chromium
def test_each_word_that_a_browser_shows_is_in_the_mirror(tmp_path: Path) -> None:
    """Also on a page of a generator; sentences of navigation are not."""
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    with open_chromium() as browser:
        tab = browser.new_context(java_script_enabled=False).new_page()
        readings = [
            page for build in (tmp_path, BUILDS / "mkdocs-material" / "site") for page in read_site(tab, build, 3)
        ]
    assert len(readings) > 2
    for reading in readings:
        difference = compare(reading)
        assert (reading.url, dict(difference.missing), difference.navigation) == (reading.url, {}, [])
        assert difference.words > 20

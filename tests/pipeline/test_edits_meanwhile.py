"""Edits during a run are in the index after the next run at the latest (failure mode 76)."""

import pytest

from searchsocket.events import Event
from searchsocket.pipeline.run.index import index_scope
from tests.pipeline.conftest import Site

EDITED = "<p>Opening hours have changed to the evening.</p>"


@pytest.mark.parametrize("stage", ["site_pages", "page_mirror", "page_chunks", "search_index"])
def test_an_edit_during_a_run_is_never_lost(site: Site, stage: str) -> None:
    """One page is rewritten and another one appears at the worst moment of each stage."""

    def edit(event: Event) -> None:
        if event.name == "progress" and event.fields["stage"] == stage:
            site.write("docs/faq.html", "FAQ", EDITED)
            site.write("docs/tickets.html", "Tickets", "<p>Buy them at the door.</p>")

    index_scope(site.run(on_event=edit))
    site.index()
    text = {record.page.url: record.chunk.body.text for record in site.records()}
    assert "changed to the evening" in text["/docs/faq"]
    assert "Buy them at the door" in text["/docs/tickets"]
    assert site.index().chunks["changed"] == 0

"""Stages of extensions: after those of the site, while the extension is on."""

import pytest

from searchsocket.errors import ConfigError
from searchsocket.extensions.base import Extension
from searchsocket.pipeline.run.context import SITE
from searchsocket.pipeline.run.stages import STAGES, every_stage, publishing_stage, stages_of
from searchsocket.project.settings.model import Settings


def test_they_follow_the_stages_of_the_site_while_their_extension_is_on() -> None:
    settings = Settings.model_validate({"llms": {"enable": True}})
    assert list(stages_of(SITE, settings)) == [*STAGES, "llms_txt"]
    assert list(stages_of(SITE, Settings())) == list(STAGES)


def test_a_report_may_have_those_of_an_extension_that_is_off() -> None:
    assert {"llms_txt", "static_search"} <= every_stage(SITE).keys()
    assert publishing_stage(SITE) == "search_index"


def test_no_extension_replaces_a_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage with the name of ours would run in its place."""
    shelf = Extension(name="shelf", stages="searchsocket.extensions.llms.stage:STAGES")
    monkeypatch.setattr("searchsocket.pipeline.run.stages.extensions", lambda: (shelf,))
    assert list(every_stage(SITE)) == [*STAGES, "llms_txt"]
    other = {**STAGES, "llms_txt": STAGES["search_index"]}
    monkeypatch.setattr("searchsocket.pipeline.run.stages.STAGES", other)
    with pytest.raises(ConfigError, match="the extension 'shelf' brings a second stage 'llms_txt'; uninstall it"):
        every_stage(SITE)

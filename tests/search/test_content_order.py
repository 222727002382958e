"""Order of passages: by their rank in a plain search; equal ones by the share of the term's occurrences."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_site import DOCS, MAIN, NOW, Piece, Site, make_site

from searchsocket.models.embedders.queries import vector_for
from searchsocket.search.content.answer import ContentQuery
from searchsocket.search.content.folder import ContentFolder, PageFolder
from searchsocket.search.content.retrieve import ContentSearch, concept_vector, exact_hits, middle_of_concepts
from searchsocket.search.continuation import Continuations

NAMES = [f"other{n}Name" for n in range(40)]
LISTS = [Piece(f"/a/list{n}", f"All names: {' '.join(NAMES[n:])} keepAlive") for n in range(20)]
ITSELF = Piece("/z/keep", "keepAlive keeps a part alive while it is not shown.", title="keepAlive", section="keepAlive")


def corpus_of(site: Site) -> ContentFolder:
    reader = site.engine.opened(MAIN)
    return PageFolder("site", reader, partial(vector_for, site.engine.queries, reader.generation))


def result_paths(site: Site, **concepts: tuple[str, ...]) -> list[str]:
    search = ContentSearch(Continuations(lambda: b"a key"), lambda: NOW)
    return [result.file_path for result in search.search(corpus_of(site), ContentQuery(**concepts)).data.results]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("listed"), [*LISTS, ITSELF])


def test_explanations_of_a_term_rank_above_lists_with_it(listed: Site) -> None:
    """By path alone the indexes of a site and its release notes came first, and its documentation on a later page."""
    assert result_paths(listed, exact_terms=("keepAlive",))[0] == "z/keep.md"
    assert result_paths(listed, exact_terms=('"keepAlive"', "keepAlive"))[0] == "z/keep.md"


def test_two_terms_still_come_before_one(listed: Site) -> None:
    assert result_paths(listed, exact_terms=("keepAlive", "other39Name"))[-1] != "z/keep.md"
    assert "z/keep.md" not in result_paths(listed, exact_terms=("keepAlive", "other39Name"))


def test_concepts_look_for_what_is_like_that_which_a_search_finds_first(tmp_path: Path) -> None:
    """A heading that stands alone is nearest to its own few words, and says nothing."""
    care = f"Charging a battery takes an hour. {'Mind its contacts and its heat. ' * 12}"
    site = make_site(
        tmp_path, [*DOCS, Piece("/care", care, title="Care"), Piece("/stub", "Charging", title="Charging")]
    )
    folder = corpus_of(site)
    own, drawn = middle_of_concepts(folder, ["charging a battery"]), concept_vector(folder, ["charging a battery"])
    assert drawn is not None
    assert float(np.linalg.norm(drawn)) == pytest.approx(1.0, abs=1e-5)
    ids = [record.id for record in folder.reader.catalogue.page_records("/care")]
    [before], [after] = (folder.reader.vectors.similarities(vector, ids) for vector in (own, drawn))
    assert after > before
    assert concept_vector(folder, []) is None


def test_the_first_result_counts_most(tmp_path: Path) -> None:
    """Ten passages about a subject say more of it than three, if those that hardly are about it count for little."""
    about = [Piece(f"/charge{n}", f"charging a battery by cable {n} {'contacts ' * n}") for n in range(3)]
    beside = [Piece(f"/ropes{n}", f"ropes and knots and a battery {n} {'bowline hitch ' * 9}") for n in range(9)]
    site = make_site(tmp_path, [*about, *beside])
    folder = corpus_of(site)
    drawn = concept_vector(folder, ["charging a battery"])
    assert drawn is not None
    ids = {url: folder.reader.catalogue.page_records(url)[0].id for url in ("/charge0", "/ropes0")}
    near, far = folder.reader.vectors.similarities(drawn, list(ids.values()))
    assert near > far + 0.5  # counted alike, the nine draw it to ropes


def test_lists_of_links_are_found_by_their_terms_alone(tmp_path: Path) -> None:
    """Each is near all that its pages are about; but nothing that holds a term is left out of the count."""
    links = Piece("/api", "[keepAlive](/z/keep) [battery](/docs/battery)", title="Battery keepAlive", kind="links")
    site = make_site(tmp_path, [*DOCS, ITSELF, links])
    assert "api.md" not in result_paths(site, semantic_concepts=("keepAlive battery",))
    assert result_paths(site, exact_terms=("keepAlive",)) == ["z/keep.md", "api.md"]
    assert "api.md" in result_paths(site, semantic_concepts=("parts",), exact_terms=("keepAlive",))
    search = ContentSearch(Continuations(lambda: b"a key"), lambda: NOW)
    both = search.search(corpus_of(site), ContentQuery(("parts",), ("keepAlive",), 50))
    assert both.data.statistics.total_results == len(both.data.results) == len(DOCS) + 2


def test_concepts_that_nothing_holds_are_still_looked_for(tmp_path: Path) -> None:
    assert len(result_paths(make_site(tmp_path, DOCS), semantic_concepts=("zxqv wvut",))) == len(DOCS)


VALUES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=12)


class Values:
    """A reader whose chunks all hold the term, with the similarities that it is given."""

    def __init__(self, values: list[float]) -> None:
        self.words = self.vectors = self.generation = self
        self.versions = ()
        self._values = dict(zip([f"{97 * n % 13:02}" for n in range(len(values))], values, strict=True))

    def holding(self, *_: object, where: object) -> list[str]:
        return list(self._values)

    def similarities(self, _: object, ids: list[str]) -> list[float]:
        return [self._values[record_id] for record_id in ids]


@given(VALUES)
def test_equal_scores_come_by_rising_id(values: list[float]) -> None:
    """Whatever else is there, and in whatever part of the list they are asked for."""
    reader = Values(values)
    hits = exact_hits(PageFolder("site", reader, lambda _: None), ["a"], np.zeros(1, np.float32))  # type: ignore[arg-type,return-value]
    expected = sorted(((-1.5 * value, one) for one, value in reader._values.items()))
    assert [(-record.raw, record.id) for record in hits.best(0, 12)] == expected
    assert [(-hit.raw, hit.id) for start in range(12) for hit in hits.best(start, 1)] == expected

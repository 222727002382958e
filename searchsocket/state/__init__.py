"""State of a project between runs: its pages, chunks, problems and run reports, in one SQLite file.

All of it can be made again from the site. A page is in some of these states; each has one name here and one SQL definition
in `sql.py`:

| state | meaning |
|---|---|
| known | the source listed it, and it has not gone since |
| removed | a complete source lists it no more; stage `page_mirror` drops it |
| skipped | its extract says why it is not searched: noindex, redirect, empty, ... |
| copy | another page with the same text is indexed instead, or its version is excluded |
| searchable | known, extracted, not skipped and not a copy |
| mirrored | searchable, and its mirror file has been written |
| cut | mirrored, and its chunks are of that very file |

What is kept of a page, and which stage sets and clears it:

| of a page | set by | cleared by |
|---|---|---|
| `locator`, `served_url`, `address`, `kind`, `stamp`, `raw_hash`, `bytes` | `site_pages` | `stamp`: `page_mirror`, where it read newer bytes |
| `removed` | `site_pages`, after a complete listing | `site_pages`, when the page is listed again |
| `extract_key` | `page_mirror` | `site_pages`, when the served URL is another one |
| `skip`, `redirect_to`, facts, body, links, `heading`, `head_title` | `page_mirror` | |
| title, version, canonical URL and text hash in `version_pages` | `page_mirror` | |
| language and `hreflang` links in `language_pages` | `page_mirror` | |
| `language`, `original` | `page_mirror` | `page_mirror`, when the site says otherwise |
| `copy_of`, `labels` | `page_mirror` | `page_mirror`, when the page differs from the others again |
| `dirty`: the mirror file may have to change | `page_mirror`: itself, a page at the other end of a link, the routes or what names no page of the site changed, or its file is damaged; `site_pages`: it is back, or another address opens it | `page_mirror`, once its file is right, or it is skipped |
| `mirror_digest`, `mirror_stamp`, `generated_at`, `route_resolution` | `page_mirror` | `page_mirror`, when the page is skipped (all) or its file is damaged (digest); `page_chunks`, `search_index`: stamp, where they find the file damaged |
| problems of the page | `page_mirror` | |
| problems of its chunks | `page_chunks` | `page_mirror`, when the page is skipped |
| `chunk_key`, chunks | `page_chunks` | `page_mirror`, when the page is skipped |

| of a scope | set by | cleared by |
|---|---|---|
| `authoritative`: absence means removal | `site_pages`, after a complete listing | never |
| `page_set_changed`: links may lead elsewhere | `site_pages`, `page_mirror` | `page_mirror`, once links are resolved |
| `swept`: no mirror file is of a page that an older state knew | `page_mirror` | never |
| `url_form` | `site_pages` | |
| `branch`: what its name was made of | `site_pages`, of a run that knows | |
| `routes_digest`, `site_titles`, `versions` | `page_mirror` | |
| `published`, and what changed since | `search_index`; whoever changes chunks | `search_index` |
| `origin`: the scope that this one began from | `page_mirror`, of a new scope | `search_index`, once it is published |
| `cache_size` | `chunk_embeddings` | |
"""  # noqa: E501  tables

from searchsocket.state.errors import DamagedRow
from searchsocket.state.project import STATE_FILE, ProjectState
from searchsocket.state.scope import ScopeState

__all__ = ["STATE_FILE", "DamagedRow", "ProjectState", "ScopeState"]

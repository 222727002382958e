"""State of a project between runs: its pages, chunks, problems and run reports, in one SQLite file.

Everything in it can be rebuilt from the site. A page is in some of these states; each has one name here and one SQL
definition in `schema.py`:

| state | meaning |
|---|---|
| known | the source listed it, and has not removed it since |
| removed | a complete source no longer lists it; stage `page_mirror` deletes it |
| skipped | its extract has a reason against searching it: noindex, redirect, empty, ... |
| copy | another page with the same text is indexed instead, or its version is excluded |
| searchable | known, extracted, not skipped and not a copy |
| mirrored | searchable, and its mirror file has been written |
| cut | mirrored, and its chunks are made from that file |

Columns of a page, and the stages that set and clear them:

| of a page | set by | cleared by |
|---|---|---|
| `locator`, `served_url`, `address`, `kind`, `stamp`, `raw_hash`, `bytes` | `site_pages` | `stamp`: `page_mirror`, if it read newer bytes |
| `removed` | `site_pages`, after a complete listing | `site_pages`, if the page is listed again |
| `extract_key`, `content_id`, `skip`, `redirect_to` | `page_mirror` | |
| `language`, `original` | `page_mirror` | `page_mirror`, if the site states another one |
| `copy_of`, `labels` | `page_mirror` | `page_mirror`, if the page differs from the others again |
| `dirty`: the mirror file may have to change | `page_mirror`: itself, a linking or linked page, the routes or other inputs of the site changed, or its file is damaged; `site_pages`: it is back, or its address changed | `page_mirror`, once its file is correct, or it is skipped |
| `mirror_digest`, `mirror_stamp`, `generated_at`, `route_resolution` | `page_mirror` | `page_mirror`, if the page is skipped (all) or its file is damaged (digest); `page_chunks`, `search_index`: stamp, if they detect a damaged file |
| problems of the page | `page_mirror` | |
| problems of its chunks | `page_chunks` | `page_mirror`, if the page is skipped |
| `chunk_key`, chunks | `page_chunks` | `page_mirror`, if the page is skipped |

Scopes share what is equal: the content of a page with its facts, titles and links (`contents`, `bodies`, `links`), and
its chunks (`page_cuts`, `chunks`, `page_records`). Such rows are never changed; triggers delete those that nobody uses.
A scope has rows of its own for its pages, and for targets of links that do not lead to the page of their URL
(`resolutions`).

| of a scope | set by | cleared by |
|---|---|---|
| `authoritative`: absence means removal | `site_pages`, after a complete listing | never |
| `page_set_changed`: pages came, went, or changed more than their text | `site_pages`, `page_mirror` | `page_mirror`, once links, versions, languages and titles are those of these pages |
| `swept`: the mirror contains no file of a page that only an older state knew | `page_mirror` | never |
| `url_form` | `site_pages` | |
| `branch`: the branch that it is named after | `site_pages`, if the run knows it | |
| `routes_digest`, `site_titles`, `versions` | `page_mirror` | |
| `published`, and the changes since | `search_index`; triggers on `chunked` | `search_index` |
| `origin`: the scope that this one started from | `page_mirror`, of a new scope | `search_index`, once it is published |
| `cache_size` | `chunk_embeddings` | |
"""  # noqa: E501  tables

-- The tables of `state.db`, one statement per paragraph. Databases store these texts, and a database with other ones is
-- not ours: a change of a space needs a new SCHEMA_VERSION. The docstring of `searchsocket.state` gives the meaning and
-- writer of each column.
CREATE TABLE scopes (
        scope TEXT PRIMARY KEY,
        branch TEXT NOT NULL DEFAULT '',  -- what the scope's name was made of; '' = not known
        authoritative INTEGER NOT NULL DEFAULT 0,  -- a complete run has seen every page, so absence means removal
        page_set_changed INTEGER NOT NULL DEFAULT 1,  -- pages came or went since links were resolved
        swept INTEGER NOT NULL DEFAULT 0,  -- the mirror was searched for files of pages that an older state knew
        url_form TEXT NOT NULL DEFAULT '',  -- JSON: UrlForm, as read from the site's links
        routes_digest TEXT NOT NULL DEFAULT '',
        site_titles TEXT NOT NULL DEFAULT '',  -- JSON: SiteTitles, and a digest of the navigation
        versions TEXT NOT NULL DEFAULT '',  -- JSON: the version families of the site
        origin TEXT NOT NULL DEFAULT '',  -- the scope that this one began from, until it is indexed
        -- name and digest of the generation that holds what `chunks` holds, but for `unpublished`; '' = not known
        published TEXT NOT NULL DEFAULT '',
        cache_size INTEGER NOT NULL DEFAULT -1  -- of the embedding cache when it last held every text; -1 = never
    ) WITHOUT ROWID;

CREATE TABLE pages (
        id INTEGER PRIMARY KEY,
        scope TEXT NOT NULL,
        url TEXT NOT NULL,
        served_url TEXT NOT NULL,
        locator TEXT NOT NULL,
        kind TEXT NOT NULL,
        stamp TEXT NOT NULL,
        raw_hash TEXT NOT NULL,  -- a hash: as bytes, see `as_stored`
        bytes INTEGER NOT NULL,
        address TEXT NOT NULL DEFAULT '',  -- what opens it; '' = url
        removed INTEGER NOT NULL DEFAULT 0,  -- gone from a complete source; later stages drop what they hold
        extract_key BLOB NOT NULL DEFAULT '',  -- what the content was extracted from; '' = not extracted
        content_id INTEGER,  -- of `contents`
        skip TEXT NOT NULL DEFAULT '',
        redirect_to TEXT NOT NULL DEFAULT '',
        -- URL of the page that is indexed instead; '-' = its version is excluded; '~' = no mark, which other pages have
        copy_of TEXT NOT NULL DEFAULT '',
        labels TEXT NOT NULL DEFAULT '',  -- JSON: the labels of its versions; '' = the site has none
        language TEXT NOT NULL DEFAULT '',  -- of a page that states none itself; '' = unknown
        original TEXT NOT NULL DEFAULT '',  -- URL of the page that it translates, or its own; '' = no translations
        dirty INTEGER NOT NULL DEFAULT 0,  -- the mirror file may have to change
        mirror_digest TEXT NOT NULL DEFAULT '',  -- a hash
        mirror_stamp TEXT NOT NULL DEFAULT '',
        generated_at TEXT NOT NULL DEFAULT '',
        route_resolution TEXT NOT NULL DEFAULT '',
        chunk_key TEXT NOT NULL DEFAULT '',  -- mirror digest, settings and model that the page's chunks came from
        UNIQUE (scope, url)
    );

-- Finds the same page in another scope.
CREATE INDEX pages_extracted ON pages (extract_key);

CREATE INDEX pages_dirty ON pages (scope, dirty) WHERE dirty = 1;

CREATE INDEX pages_copies ON pages (scope, copy_of) WHERE copy_of != '';

CREATE INDEX pages_content ON pages (content_id, scope);

-- What pages say, once for all pages and scopes; a row is never changed, and is deleted when no page and no packed
-- records use it.
CREATE TABLE contents (
        id INTEGER PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,  -- a hash of facts, body and links
        heading TEXT NOT NULL,
        head_title TEXT NOT NULL,
        title TEXT NOT NULL,
        version TEXT NOT NULL,  -- that its metas state
        canonical TEXT NOT NULL,  -- URL path
        text_hash TEXT NOT NULL,  -- for comparing versions of a page
        language TEXT NOT NULL,  -- that the page states
        hreflang TEXT NOT NULL,  -- language that its `hreflang` links state
        hreflang_group TEXT NOT NULL,  -- equal for translations of a page
        is_default INTEGER NOT NULL,  -- the `x-default` of its group
        is_marked INTEGER NOT NULL  -- its content has `data-pagefind-body`
    );

-- In a table of their own, so that the columns of all contents are read without them.
CREATE TABLE bodies (
        id INTEGER PRIMARY KEY REFERENCES contents (id) ON DELETE CASCADE,
        facts BLOB NOT NULL,  -- zstd of JSON: ExtractedPage without body and links
        body BLOB NOT NULL  -- zstd
    );

CREATE TABLE links (
        content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,  -- on the page
        target TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (content_id, number)
    ) WITHOUT ROWID;

CREATE INDEX links_to_target ON links (target);

-- Where links lead in a scope; a target without a row leads to the searchable page of that URL.
CREATE TABLE resolutions (
        scope TEXT NOT NULL,
        target TEXT NOT NULL,
        resolved TEXT NOT NULL,  -- url of a searchable page; '' = there is none
        PRIMARY KEY (scope, target)
    ) WITHOUT ROWID;

CREATE INDEX resolutions_to_page ON resolutions (scope, resolved);

CREATE VIEW page_links AS
        SELECT pages.id AS page_id, COALESCE(resolved, links.target) AS resolved
        FROM pages CROSS JOIN links ON links.content_id = pages.content_id
        LEFT JOIN resolutions ON resolutions.scope = pages.scope AND resolutions.target = links.target;

CREATE TABLE problems (
        page_id INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
        part TEXT NOT NULL,
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (page_id, part, number)
    ) WITHOUT ROWID;

-- The chunks of one page as it was cut, once for all scopes that cut it the same; see `chunk_ids`.
CREATE TABLE page_cuts (
        id INTEGER PRIMARY KEY,
        url TEXT NOT NULL,
        chunks INTEGER NOT NULL,
        records_digest TEXT NOT NULL,  -- a hash: as bytes, see `as_stored`
        texts_digest TEXT NOT NULL
    );

CREATE INDEX page_cuts_digest ON page_cuts (records_digest);

CREATE TABLE chunks (
        records_id INTEGER NOT NULL REFERENCES page_cuts (id) ON DELETE CASCADE,
        line INTEGER NOT NULL,  -- of the page's `page_records`
        key TEXT NOT NULL,  -- what names it on its page; the hash of scope, url and key is its id
        content_hash TEXT NOT NULL,
        tokens INTEGER NOT NULL,  -- of the embedded text, as the model counts them
        record_hash TEXT NOT NULL  -- the sha256 of the record's canonical text
    );

CREATE INDEX chunks_of_records ON chunks (records_id);

CREATE INDEX chunks_content ON chunks (content_hash);

CREATE TABLE page_records (
        id INTEGER PRIMARY KEY REFERENCES page_cuts (id) ON DELETE CASCADE,
        content_id INTEGER NOT NULL,  -- of `contents`; 0 = none
        -- zstd of the canonical texts of a page's chunks, a line each; the body is its dictionary
        records BLOB NOT NULL
    );

CREATE INDEX page_records_content ON page_records (content_id);

CREATE TRIGGER content_unused_0 AFTER DELETE ON pages
        WHEN NOT EXISTS (SELECT 1 FROM pages WHERE content_id = old.content_id)
        AND NOT EXISTS (SELECT 1 FROM page_records WHERE content_id = old.content_id)
        BEGIN DELETE FROM contents WHERE id = old.content_id; END;

CREATE TRIGGER content_unused_1 AFTER UPDATE OF content_id ON pages
        WHEN NOT EXISTS (SELECT 1 FROM pages WHERE content_id = old.content_id)
        AND NOT EXISTS (SELECT 1 FROM page_records WHERE content_id = old.content_id)
        BEGIN DELETE FROM contents WHERE id = old.content_id; END;

CREATE TRIGGER content_unused_2 AFTER DELETE ON page_records
        WHEN NOT EXISTS (SELECT 1 FROM pages WHERE content_id = old.content_id)
        AND NOT EXISTS (SELECT 1 FROM page_records WHERE content_id = old.content_id)
        BEGIN DELETE FROM contents WHERE id = old.content_id; END;

-- One row per page with chunks.
CREATE TABLE chunked (
        scope TEXT NOT NULL,
        page_id INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
        records_id INTEGER NOT NULL,  -- of `page_cuts`
        PRIMARY KEY (scope, page_id)
    ) WITHOUT ROWID;

CREATE INDEX chunked_page ON chunked (page_id);

CREATE INDEX chunked_records ON chunked (records_id);

-- Pages whose chunks were added, deleted or changed since `scopes.published`; triggers maintain it.
CREATE TABLE unpublished (
        scope TEXT NOT NULL,
        url TEXT NOT NULL,
        records_id INTEGER NOT NULL,  -- of the `page_cuts` whose records are in the generation; 0 = none
        PRIMARY KEY (scope, url)
    ) WITHOUT ROWID;

CREATE INDEX unpublished_records ON unpublished (records_id);

CREATE TRIGGER chunked_came AFTER INSERT ON chunked
    WHEN (SELECT published FROM scopes WHERE scope = new.scope) != ''
    BEGIN INSERT OR IGNORE INTO unpublished SELECT new.scope, url, 0 FROM page_cuts WHERE id = new.records_id; END;

CREATE TRIGGER chunked_went AFTER DELETE ON chunked BEGIN
        INSERT OR IGNORE INTO unpublished SELECT old.scope, url, id FROM page_cuts
        WHERE id = old.records_id AND (SELECT published FROM scopes WHERE scope = old.scope) != '';
        DELETE FROM page_cuts WHERE id = old.records_id
        AND NOT EXISTS (SELECT 1 FROM chunked WHERE records_id = old.records_id)
        AND NOT EXISTS (SELECT 1 FROM unpublished WHERE records_id = old.records_id);
    END;

CREATE TRIGGER unpublished_went AFTER DELETE ON unpublished BEGIN DELETE FROM page_cuts WHERE id = old.records_id
        AND NOT EXISTS (SELECT 1 FROM chunked WHERE records_id = old.records_id)
        AND NOT EXISTS (SELECT 1 FROM unpublished WHERE records_id = old.records_id); END;

CREATE TABLE stage_results (
        run_id TEXT NOT NULL,
        scope TEXT NOT NULL,
        stage TEXT NOT NULL,
        finished_at TEXT NOT NULL,
        result TEXT NOT NULL,  -- JSON: StageResult
        PRIMARY KEY (run_id, stage)
    );

CREATE INDEX stage_results_of_scope ON stage_results (scope, stage, finished_at);

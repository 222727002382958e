"""43 tasks from issues of the example sites' repositories, each with the call that fits.

Issues are of sveltejs/kit (K), huntabyte/bits-ui (B) and janosh/svelte-widgets (M). The call is the first one for the
issue, or the next one after an answer that the task quotes.
"""

from bench.agents.calls import Call, Only, Task, Words

_KINDS = frozenset({"kinds", "languages", "exported"})  # what a careful reader may add where a function is looked for

TASKS: tuple[Task, ...] = (
    Task("K7167", "What do the docs say about trailingSlash 'always' and the files that a build writes?",
         Call("search", {"query": Words("trailingSlash")})),
    Task("K12272", "How does one get about/index.html instead of about.html from a build? Which pages say so?",
         Call("search", {"query": Words("index.html")})),
    Task("K8755", "Where is it documented that prerendered pages are redirected to the URL without a slash?",
         Call("search", {"query": Words("prerender")})),
    Task("M158", "Find what the docs say about options that are disabled.",
         Call("search", {"query": Words("disabled")})),
    Task("B397", "How is a Combobox filtered? Find it, but only in the part of the site below /docs/components.",
         Call("search", {"query": Words("combobox"), "path_prefix": Only("/docs/components", "/docs/components/")})),
    Task("K9598", "Find pages tagged 'hooks' that are about errors thrown in the browser.",
         Call("search", {"query": Words("error"), "tags": ["hooks"]})),
    Task("B1414", "Which source file has to be edited to fix what the site says about a reusable Combobox? Its address"
         " is not known yet.", Call("search", {"query": Words("combobox")})),
    Task("K7725", "The page /docs/page-options is named in the issue: what does it say?",
         Call("get_page", {"url": "/docs/page-options"})),
    Task("K12869", "The issue links https://svelte.dev/docs/kit/adapters; read it.",
         Call("get_page", {"url": Words("docs/kit/adapters")})),
    Task("K10169", "Read the page behind https://kit.svelte.dev/docs/hooks#shared-hooks-handleerror, with no more than"
         " 3000 tokens at once.", Call("get_page", {"url": Words("docs/hooks"), "max_tokens": 3000})),
    Task("B397", "The answer with the text of the page /docs/components/combobox ended with continuation_token"
         " 'Zm9v.YmFy': get the rest of it.",
         Call("get_page", {"url": "/docs/components/combobox", "continuation_token": "Zm9v.YmFy"})),
    Task("K5906", "The home page of the site, as text.", Call("get_page", {"url": Only("/", "index")})),
    Task("B1414", "The page /docs/components/combobox is fixed: which other pages near it may need the same?",
         Call("related", {"url": "/docs/components/combobox"})),
    Task("K10169", "What is linked from the page /docs/errors, or is like it? Three will do.",
         Call("related", {"url": "/docs/errors", "limit": 3})),
    Task("K8839", "Which pages are neighbours of /docs/adapter-static?",
         Call("related", {"url": "/docs/adapter-static"})),
    Task("K4294", "Which code decides the file name of a prerendered page?",
         Call("search_code", {"query": Words("prerender")}, _KINDS)),
    Task("K8839", "How does the preview server answer trailing slashes: find the implementation.",
         Call("search_code", {"query": Words("preview", "slash")}, _KINDS)),
    Task("M225", "Where is the function that removes a selected option defined? It is in a file below src/lib.",
         Call("search_code", {"query": Words("remove"), "path": Words("src/lib")}, _KINDS)),
    Task("B1644", "Where is the Enter key handled in the Combobox's source?",
         Call("search_code", {"query": Words("enter")}, _KINDS | {"path"})),
    Task("B1083", "Which functions lock scrolling while a Select is open? Functions alone, at most 10.",
         Call("search_code", {"query": Words("scroll"), "kinds": ["function"], "limit": 10}, _KINDS)),
    Task("K14971", "Definition of deserialize_binary_form.",
         Call("search_code", {"query": Words("deserialize_binary_form")}, _KINDS)),
    Task("B600", "TypeScript definitions that parse dates and that other files can use.",
         Call("search_code", {"query": Words("date"), "languages": ["typescript"], "exported": True}, _KINDS)),
    Task("B1083", "List every line of the source files, as they are now, that holds the text noMatchingOptionsMsg.",
         Call("find_code", {"query": Words("noMatchingOptionsMsg")})),
    Task("M158", "A function that was written a minute ago is not among the results: is the index of the code current?",
         Call("status", {})),
    Task("M203", "An answer about code says that 120 files changed and were not searched. What comes before asking"
         " again?", Call("sync", {})),
    Task("M225", "An answer named src/lib/MultiSelect.svelte, lines 210-260: what stands there?",
         Call("fetch", {"file": "src/lib/MultiSelect.svelte", "lines": "210-260"})),
    Task("K13349", "The issue links packages/kit/src/runtime/app/forms.js at line 201: show 40 lines from there on.",
         Call("fetch", {"file": "packages/kit/src/runtime/app/forms.js", "lines": Only("201-240", "201-241")})),
    Task("K13675", "A passage of code was found, with the id 2704855563: show the lines of it as they are now.",
         Call("fetch", {"ids": ["2704855563"]})),
    Task("K14971", "Lines 1 to 120 of packages/kit/src/runtime/form-utils.js were read: those that follow, 120 again.",
         Call("fetch", {"file": "packages/kit/src/runtime/form-utils.js", "lines": "121-240"})),
    Task("K6480", "Give each passage of the site with the words 'Encountered dynamic routes', to the letter.",
         Call("search_content", {"folder_id": Words("site"), "exact_terms": ["Encountered dynamic routes"]})),
    Task("M203", "Every passage of the docs that holds the identifier noMatchingOptionsMsg, with a count.",
         Call("search_content", {"folder_id": Words("site"), "exact_terms": ["noMatchingOptionsMsg"]})),
    Task("K8523", "All passages of source code with the word non-POJOs in them.",
         Call("search_content", {"folder_id": Words("code"), "exact_terms": Words("POJOs")})),
    Task("B1124", "Whole texts of up to 20 passages of the docs that mean highlighting or touch, in one call.",
         Call("search_content", {"folder_id": Words("site"), "semantic_concepts": Words("highlight", "touch"),
                                 "limit": 20})),
    Task("K13675", "Passages of the docs that mean form submission and hold the exact identifier deserialize.",
         Call("search_content", {"folder_id": Words("site"), "semantic_concepts": Words("form"),
                                 "exact_terms": ["deserialize"]})),
    Task("K4758", "What pages are there about adapters? A list with summaries, to choose from.",
         Call("find_documents", {"folder_id": Words("site"), "query": Words("adapter")})),
    Task("M158", "Source files that are about testing the multiselect component, with a line about each, not their"
         " code.", Call("find_documents", {"folder_id": Words("code"), "query": Words("test")})),
    Task("B279", "On the branch next: which documents of the site are about a Combobox? Titles and key phrases.",
         Call("find_documents", {"folder_id": "next/site", "query": Words("combobox")})),
    Task("B279", "Passages were found in file_path docs/components/select.md of the site: read that document on from"
         " the chunk_id '/docs/components/select#positioning~0@1f0c2a9b3d4e'.",
         Call("get_document_text", {"folder_id": Words("site"), "file_path": "docs/components/select.md",
                                    "chunk_id": "/docs/components/select#positioning~0@1f0c2a9b3d4e"})),
    Task("K7488", "A list of documents has file_path src/runtime/app/forms.js (folder code): its whole text.",
         Call("get_document_text", {"folder_id": Words("code"), "file_path": "src/runtime/app/forms.js"})),
    Task("B640", "docs/components/date-field.md of the site is long: which headings and chunk ids does it have?",
         Call("get_document_data", {"folder_id": Words("site"), "file_path": "docs/components/date-field.md"})),
    Task("K7566", "Which lines of which source file does each passage of docs/errors.md (site) come from?",
         Call("get_document_data", {"folder_id": Words("site"), "file_path": "docs/errors.md"})),
    Task("K7212", "What status does an unexpected error have? One answer is wanted, a sentence or two with where they"
         " stand.", Call("ask", {"question": Words("status", "error")})),
    Task("K12829", "Can json() be used in a form action? If the docs or the code say nothing of it, that should be"
         " said rather than pages listed.", Call("ask", {"question": Words("json", "action")})),
)  # fmt: skip

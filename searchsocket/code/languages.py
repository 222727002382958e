"""The language of a file by its name, for the languages of source code."""

_EXTENSIONS = {
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "javascript": "js mjs cjs jsx",
    "svelte": "svelte",
    "vue": "vue",
    "python": "py pyi pyw",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl",
    "csharp": "cs",
    "php": "php",
    "ruby": "rb rake gemspec",
    "bash": "sh bash zsh ksh bats",
    "css": "css",
    "html": "html htm",
    "json": "json jsonc json5 webmanifest",
    "yaml": "yaml yml",
    "toml": "toml",
    "markdown": "md markdown mdx svx",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala sc",
    "lua": "lua",
    "elixir": "ex exs",
    "zig": "zig",
    # Split at blank lines: the extra has no grammars for them.
    "scss": "scss sass",
    "less": "less",
    "dart": "dart",
    "perl": "pl pm",
    "r": "r",
    "julia": "jl",
    "erlang": "erl hrl",
    "haskell": "hs",
    "ocaml": "ml mli",
    "clojure": "clj cljs cljc edn",
    "fsharp": "fs fsi fsx",
    "objective-c": "m mm",
    "nim": "nim",
    "sql": "sql",
    "graphql": "graphql gql",
    "protobuf": "proto",
    "terraform": "tf tfvars hcl",
    "powershell": "ps1 psm1",
    "groovy": "groovy gradle",
    "astro": "astro",
    "cmake": "cmake",
    "make": "mk",
    "xml": "xml xsd xsl",
    "ini": "ini cfg conf properties",
    "text": "txt rst adoc",
}
_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "jenkinsfile": "groovy",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".zshrc": "bash",
    ".profile": "bash",
    ".prettierrc": "json",
    ".eslintrc": "json",
    ".babelrc": "json",
}
_LANGUAGES = {extension: name for name, extensions in _EXTENSIONS.items() for extension in extensions.split()}
LANGUAGES = frozenset({*_EXTENSIONS, *_NAMES.values()})


def language_of(name: str) -> str:
    """The language of a file by its name, without folders; "" if it is not source code."""
    folded = name.casefold()
    if language := _NAMES.get(folded):
        return language
    return _LANGUAGES.get(folded.rpartition(".")[2], "") if "." in folded.lstrip(".") else ""

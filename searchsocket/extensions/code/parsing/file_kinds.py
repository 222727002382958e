"""The kind of a source file, from its path: its language, and if it contains tests or was generated."""

import re

# Languages with a grammar, then languages that are split at blank lines. A language without a grammar of its own is
# listed with one whose grammar reads it, such as CUDA with C++.
_EXTENSIONS = {
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "javascript": "js mjs cjs jsx es6 jsm pac",
    "svelte": "svelte",
    "vue": "vue",
    "python": "py pyi pyw pyp gyp gypi bzl star wsgi sage xsh ipynb",
    "go": "go",
    "rust": "rs",
    "java": "java jav",
    "c": "c h",
    "cpp": "cc cpp cxx c++ cppm ixx hh hpp hxx h++ ipp inl tcc tpp txx cu cuh hip ino metal",
    "csharp": "cs csx cake",
    "php": "php php3 php4 php5 phtml phpt ctp hack",
    "ruby": "rb rake gemspec podspec ru rbi jbuilder builder rabl thor rbw",
    "bash": "sh bash zsh ksh bats command ebuild eclass zsh-theme",
    "css": "css pcss postcss",
    "html": "html htm xhtml hta",
    "json": "json jsonc json5 webmanifest avsc jsonld arb importmap code-workspace code-snippets hujson",
    "yaml": "yaml yml cff cwl",
    "toml": "toml",
    "markdown": "md markdown mdx svx mdown mkd mdc qmd rmd livemd",
    "kotlin": "kt kts ktm",
    "swift": "swift swiftinterface",
    "scala": "scala sc sbt",
    "lua": "lua luau rockspec nse wlua",
    "elixir": "ex exs",
    "zig": "zig zon",
    "abap": "abap",
    "actionscript": "as",
    "ada": "adb ads ada gpr",
    "agda": "agda lagda",
    "antlr": "g4",
    "apacheconf": "htaccess apacheconf vhost",
    "apex": "apex trigger",
    "apl": "apl dyalog",
    "applescript": "applescript",
    "asciidoc": "adoc asciidoc",
    "asn1": "asn asn1",
    "assembly": "asm s nasm nas a51 masm",
    "astro": "astro",
    "autohotkey": "ahk ahkl",
    "autoit": "au3",
    "awk": "awk gawk mawk nawk",
    "ballerina": "bal",
    "batch": "bat cmd",
    "bibtex": "bib bibtex",
    "bicep": "bicep bicepparam",
    "bitbake": "bb bbappend bbclass",
    "blade": "blade blade.php",
    "cabal": "cabal",
    "caddyfile": "caddyfile",
    "cairo": "cairo",
    "capnp": "capnp",
    "carbon": "carbon",
    "chapel": "chpl",
    "circom": "circom",
    "clojure": "clj cljs cljc edn boot cljd",
    "cmake": "cmake",
    "cobol": "cob cbl cobol cpy",
    "coffeescript": "coffee cjsx litcoffee iced",
    "coldfusion": "cfm cfc cfml",
    "crystal": "cr ecr",
    "cue": "cue",
    "cypher": "cypher cyp",
    "cython": "pyx pxd pxi",
    "d": "d di",
    "dafny": "dfy",
    "dart": "dart",
    "devicetree": "dts dtsi dtso",
    "dhall": "dhall",
    "diagram": "puml plantuml iuml mmd mermaid dot gv d2",
    "diff": "diff patch",
    "dockerfile": "dockerfile containerfile",
    "eex": "eex heex leex",
    "ejs": "ejs ect jst",
    "elisp": "el emacs",
    "elm": "elm",
    "erb": "erb rhtml",
    "erlang": "erl hrl escript xrl yrl app.src",
    "factor": "factor",
    "fennel": "fnl",
    "fish": "fish",
    "flatbuffers": "fbs",
    "forth": "fth 4th forth frt",
    "fortran": "f f77 f90 f95 f03 f08 f18 for ftn fpp",
    "freemarker": "ftl ftlh",
    "fsharp": "fs fsi fsx",
    "fstar": "fst fsti",
    "gdscript": "gd gdshader gdshaderinc",
    "gherkin": "feature",
    "gleam": "gleam",
    "glimmer": "gjs gts",
    "glsl": "glsl vert frag geom comp tesc tese vsh fsh frg mesh rgen rchit rahit rmiss glslv glslf",
    "gn": "gn gni",
    "gnuplot": "gp gnuplot plt",
    "godot": "tscn tres",
    "graphql": "graphql gql graphqls",
    "groovy": "groovy gradle gvy nf gsp",
    "haml": "haml",
    "handlebars": "hbs handlebars mustache",
    "hare": "ha",
    "haskell": "hs lhs hsc hs-boot chs",
    "haxe": "hx hxml",
    "hlsl": "hlsl hlsli fx fxh cginc",
    "hocon": "hocon",
    "http": "http rest hurl",
    "hy": "hy",
    "idl": "idl webidl aidl hal odl midl",
    "idris": "idr lidr",
    "ini": "ini cfg conf cnf properties service socket timer mount target desktop gitconfig editorconfig prefs reg",
    "isabelle": "thy",
    "janet": "janet",
    "jinja": "jinja jinja2 j2 njk jnj",
    "jq": "jq",
    "jsonnet": "jsonnet libsonnet",
    "jsp": "jsp jspx jspf tag tagx",
    "julia": "jl",
    "just": "just",
    "kdl": "kdl",
    "kusto": "kql csl",
    "latex": "tex sty ltx dtx cls",
    "lean": "lean hlean",
    "less": "less",
    "lilypond": "ly ily",
    "linker-script": "ld lds",
    "liquid": "liquid",
    "lisp": "lisp lsp cl asd sexp dune",
    "livescript": "ls",
    "llvm": "ll mlir td",
    "m4": "m4 ac",
    "make": "mk mak make am",
    "mako": "mako latte marko soy vm vtl",
    "mathematica": "wl wls mathematica wlt",
    "matlab": "matlab sci sce",
    "modelica": "mo",
    "mojo": "mojo",
    "moonbit": "mbt",
    "moonscript": "moon tl",
    "move": "move",
    "nginx": "nginx nginxconf",
    "nim": "nim nims nimble",
    "ninja": "ninja",
    "nix": "nix",
    "nsis": "nsi nsh iss",
    "nushell": "nu",
    "objective-c": "m mm",
    "ocaml": "ml mli mll mly eliom eliomi",
    "odin": "odin",
    "opencl": "opencl",
    "openscad": "scad",
    "org": "org",
    "p4": "p4",
    "pascal": "pas dpr lpr pascal dfm lfm",
    "peg": "peg pegjs peggy ebnf abnf bnf lark ne jison",
    "perl": "pl pm t psgi perl plx pod xs",
    "pike": "pike pmod",
    "plist": "plist strings xcconfig pbxproj entitlements tmlanguage tmtheme",
    "pony": "pony",
    "powershell": "ps1 psm1 psd1",
    "prisma": "prisma zmodel",
    "processing": "pde",
    "prolog": "prolog",
    "protobuf": "proto textproto txtpb pbtxt",
    "pug": "pug jade",
    "puppet": "pp",
    "purescript": "purs",
    "qmake": "pro pri prf",
    "qml": "qml qbs",
    "qsharp": "qs",
    "quakec": "qc",
    "r": "r rd rprofile",
    "racket": "rkt rktl rktd scrbl",
    "ragel": "rl",
    "raku": "raku rakumod rakutest p6 pl6 pm6",
    "razor": "cshtml razor vbhtml",
    "rbs": "rbs",
    "reason": "re rei",
    "red": "red reds reb rebol",
    "rego": "rego",
    "rescript": "res resi",
    "rexx": "rexx rex",
    "robot": "robot resource",
    "roc": "roc",
    "roff": "roff man mdoc nroff",
    "ron": "ron",
    "rpm-spec": "spec",
    "sas": "sas",
    "scheme": "scm ss sld sps",
    "scss": "scss sass",
    "sed": "sed",
    "shaderlab": "shader",
    "slim": "slim",
    "slint": "slint",
    "smali": "smali",
    "smalltalk": "st",
    "smarty": "smarty",
    "smithy": "smithy",
    "sml": "sml sig fun",
    "smt": "smt2 smt als",
    "snakemake": "smk snakefile",
    "solidity": "sol yul",
    "sparql": "sparql rq",
    "sql": "sql pgsql psql mysql plsql pls pks pkb hql cql ddl dml surql edgeql esdl viw udf",
    "stan": "stan",
    "starlark-config": "bazelrc bazelproject",
    "stata": "do ado doh",
    "stylus": "styl",
    "supercollider": "scd",
    "systemverilog": "sv svh vh",
    "tcl": "tcl tk sdc xdc tm",
    "tcsh": "csh tcsh",
    "template": "tmpl tpl gotmpl gohtml tftpl templ vto mjml",
    "terraform": "tf tfvars hcl tofu nomad",
    "texinfo": "texi texinfo",
    "text": "txt rst textile inc",
    "thrift": "thrift avdl",
    "tla": "tla",
    "twig": "twig volt",
    "typespec": "tsp",
    "typst": "typ",
    "v": "vsh vv",
    "vala": "vala vapi",
    "verilog": "v veo",
    "vhdl": "vhd vhdl vho vht",
    "vim": "vim vimrc",
    "visual-basic": "vb vbs bas frm vba",
    "visual-studio": "sln",
    "vyper": "vy",
    "wasm": "wat wast wit",
    "web-forms": "asp aspx ascx asax ashx asmx master",
    "wgsl": "wgsl",
    "wren": "wren",
    "xml": "xml xsd xsl xslt wsdl dtd rnc rng xaml axaml csproj vbproj fsproj vcxproj props targets nuspec resx "
    "storyboard xib iml pom fxml qrc ui glade xul rdf owl dita gpx mxml launch urdf",
    "yacc": "y yy yacc l lex ll4 flex bison",
    "yang": "yang",
    "yara": "yar yara",
    "zeek": "zeek bro",
}
_FILE_NAMES = {
    "bash": ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .zshrc .zshenv .zprofile "
    ".zlogin .zlogout .kshrc .profile .xinitrc .xprofile .xsession pkgbuild apkbuild gradlew mvnw",
    "caddyfile": "caddyfile",
    "cmake": "cmakelists.txt",
    "coffeescript": "cakefile",
    "dockerfile": "dockerfile containerfile earthfile",
    "elisp": ".emacs .spacemacs .gnus cask eask",
    "erlang": "rebar.config emakefile",
    "go-module": "go.mod go.work",
    "groovy": "jenkinsfile",
    "ini": ".editorconfig .gitconfig .gitmodules .coveragerc .flake8 .pylintrc .buckconfig .shellcheckrc "
    ".hgrc .inputrc .wgetrc .curlrc .luacov procfile",
    "javascript": "jakefile",
    "json": ".prettierrc .eslintrc .babelrc .swcrc .nycrc .stylelintrc .lintstagedrc .jshintrc .jscsrc .bowerrc "
    ".htmlhintrc .tern-project .tern-config .watchmanconfig .arcconfig .all-contributorsrc .auto-changelog .c8rc",
    "just": "justfile .justfile",
    "kconfig": "kconfig",
    "lisp": "dune dune-project dune-workspace",
    "lua": ".luacheckrc .busted",
    "make": "makefile gnumakefile bsdmakefile kbuild mkfile",
    "meson": "meson.build meson_options.txt meson.options",
    "perl": "cpanfile rexfile .latexmkrc latexmkrc",
    "python": "sconstruct sconscript wscript build build.bazel workspace workspace.bazel module.bazel buck tiltfile "
    "deps",
    "r": ".rprofile",
    "ruby": "rakefile gemfile vagrantfile brewfile podfile fastfile appfile matchfile deliverfile snapfile scanfile "
    "gymfile guardfile capfile berksfile dangerfile thorfile puppetfile cheffile appraisals steepfile buildfile "
    "mavenfile .irbrc .pryrc .simplecov",
    "snakemake": "snakefile",
    "soong": "android.bp",
    "starlark-config": ".bazelrc .bazelignore .bazelversion",
    "text": "readme license licence copying notice authors contributors maintainers changelog changes news todo "
    "install hacking contributing codeowners thanks credits version py.typed .gitattributes .mailmap .dockerignore "
    ".npmignore .eslintignore .prettierignore .stylelintignore .helmignore .gcloudignore .vscodeignore .hgignore "
    ".ignore .rgignore .nvmrc .node-version .python-version .ruby-version .tool-versions .browserslistrc .rspec "
    ".yardopts .ackrc .git-blame-ignore-revs",
    "toml": "pipfile",
    "vim": ".vimrc .gvimrc .nvimrc .exrc .ideavimrc",
    "yaml": ".clang-format .clang-tidy .clangd .yamllint .gemrc .releaserc",
}
# Names with anything after the dot, such as `Dockerfile.dev`.
_VARIANTS = {"dockerfile": "dockerfile", "containerfile": "dockerfile", "makefile": "make", "jenkinsfile": "groovy"}
# Endings of examples and inputs of generators: the ending before them tells the language.
_WRAPPERS = frozenset(("in", "example", "sample", "dist", "default", "template", "tmpl", "tpl", "tt"))
_LANGUAGES = {extension: name for name, extensions in _EXTENSIONS.items() for extension in extensions.split()}
_NAMES = {file: name for name, files in _FILE_NAMES.items() for file in files.split()}
LANGUAGES = frozenset({*_EXTENSIONS, *_FILE_NAMES})
_SCRIPTS = {
    "bash": "sh bash zsh ksh dash ash bats",
    "python": "python pypy uv",
    "javascript": "node nodejs bun gjs qjs zx",
    "typescript": "deno ts-node tsx",
    "ruby": "ruby jruby rake",
    "perl": "perl",
    "php": "php",
    "lua": "lua luajit texlua",
    "make": "make",
    "fish": "fish",
    "nushell": "nu",
    "tcl": "tclsh wish expect",
    "awk": "awk gawk mawk nawk",
    "r": "Rscript",
    "julia": "julia",
    "elixir": "elixir",
    "erlang": "escript",
    "groovy": "groovy",
    "haskell": "runhaskell runghc stack",
    "ocaml": "ocaml ocamlrun",
    "scala": "scala scala-cli amm",
    "kotlin": "kotlin kscript",
    "swift": "swift",
    "powershell": "pwsh powershell",
    "racket": "racket",
    "scheme": "guile csi",
    "lisp": "sbcl clisp",
    "clojure": "bb clojure",
    "crystal": "crystal",
    "nix": "nix-shell",
    "sed": "sed",
    "just": "just",
    "d": "rdmd",
    "go": "gorun",
    "dart": "dart",
}
_INTERPRETERS = {program: name for name, programs in _SCRIPTS.items() for program in programs.split()}
# `#!/bin/bash`, `#! /usr/bin/env -S NAME=value python3.11 -u`; the number of a version is dropped.
_INTERPRETER = re.compile(
    rb"#![ \t]*(?:[^\s]*/)?(?:env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*(?:[^\s]*/)?)?([A-Za-z][A-Za-z-]*)[\d.]*(?:\s|\Z)"
)
_TESTS = re.compile(
    r"(?:^|/)(?:_?tests?|__tests__|specs?|testing|e2e|fixtures|__mocks__|benchmarks?|examples?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:go|py|rb|dart|cc|cpp)$|_spec\.rb$|\.(?:test|spec|cy|stories)\.\w+$"
    r"|(?:Test|Tests|IT|Spec)\.(?:java|cs|kt|scala|php|swift)$"
)
_GENERATED_NAME = re.compile(
    r"(?:\.|-|_)min\.[a-z]+$|\.bundle\.(?:js|css)$|\.(?:pb|g|gen|generated|designer)\.[a-z]+$|_pb2(?:_grpc)?\.pyi?$"
    r"|_generated\.[a-z]+$|\.pb\.(?:go|cc|h)$|^(?:parser|lextab|parsetab)\.out$",
    re.IGNORECASE,
)
_GENERATED_HEAD = re.compile(
    r"@generated\b|<auto-generated|\bcode generated .{0,80}do not edit|\b(?:auto(?:matically)?[- ]?generated|"
    r"generated automatically|this file (?:is|was) (?:auto)?generated|generated by)\b.{0,200}\bdo not (?:edit|modify)"
    r"|do not (?:edit|modify).{0,120}\bgenerated\b",
    re.IGNORECASE | re.DOTALL,
)
_GENERATED_HEAD_CHARS = 1_000
_LONG_LINE = 5_000  # characters; longer lines are not written by hand
_MEAN_LINE = 300


def language_of(name: str) -> str:
    """The language of a file by its name, without folders; "" if it is not known to be source code."""
    folded = name.casefold()
    if language := _NAMES.get(folded):
        return language
    stem, _, extension = folded.lstrip(".").rpartition(".")
    if not stem:
        return ""
    compound = f"{stem.rpartition('.')[2]}.{extension}"  # of `view.blade.php`
    if extension in _WRAPPERS and (language := language_of(stem)):
        return language
    known = _LANGUAGES.get(compound) or _LANGUAGES.get(extension)
    return known or _VARIANTS.get(folded.partition(".")[0], "")


def is_without_extension(name: str) -> bool:
    """Return True if the first line of a file may tell its language; see `language_of_file`."""
    return "." not in name.lstrip(".")


def language_of_file(name: str, head: bytes) -> str:
    """The language of a file by its name and its first bytes; "" if it is not known to be source code."""
    return (language_of_script(head) if is_without_extension(name) else "") or language_of(name)


def language_of_script(head: bytes) -> str:
    """The language of a script by the interpreter in its first line; "" if there is none, or it is unknown."""
    match = _INTERPRETER.match(head)
    return _INTERPRETERS.get(match[1].decode("ascii"), "") if match else ""


def is_test(path: str) -> bool:
    """Return True if a file contains tests or examples."""
    return _TESTS.search(path) is not None


def is_generated(name: str, text: str) -> bool:
    """Return True if a file was generated or minified; it ranks below all other files."""
    if _GENERATED_NAME.search(name) or _GENERATED_HEAD.search(text, 0, _GENERATED_HEAD_CHARS):
        return True
    lines = text.count("\n") + 1
    return len(text) > _LONG_LINE and (len(text) / lines > _MEAN_LINE or _has_long_line(text))


def _has_long_line(text: str) -> bool:
    start = 0
    while len(text) - start > _LONG_LINE:
        end = text.rfind("\n", start, start + _LONG_LINE)
        if end < 0:
            return True
        start = end + 1
    return False

"""Definitions of source files: the forms of each language, damaged files, and what other programs find."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.code import definitions as bench
from searchsocket.extensions.code.parsing.chunks import chunk_source
from searchsocket.extensions.code.parsing.definitions.grammars import parser_of, without_macros
from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.extensions.code.parsing.languages import header_language, is_header
from searchsocket.types import Chunk, Lines
from tests.extensions.code.code_project import CodeProject

GOLDEN = Path(__file__).parent / "golden"
PROGRAMS = ("bash", "kotlin", "c", "cpp", "csharp", "elixir", "go", "java", "javascript", "lua", "php", "python",
            "ruby", "rust", "scala", "swift", "tsx", "typescript")  # fmt: skip


def language_in(path: Path, text: str) -> str:
    return header_language(text) if is_header(path.name) else language_of(path.name)


def chunks_of(name: str, text: str) -> list[Chunk]:
    return chunk_source(name, text, language_in(Path(name), text))


def defined(name: str, text: str) -> dict[str, str]:
    """Kinds of the definitions, by qualified name."""
    ats = [chunk.at for chunk in chunks_of(name, text) if isinstance(chunk.at, Lines)]
    return {definition.split(":", 2)[2]: definition.split(":", 2)[1] for at in ats for definition in at.defines}


FORMS = {
    "types with parameters in Python": (
        "shelf.py",
        "type Pair[T] = tuple[T, T]\ntype Name = str\n\ndef first[T](items: list[T]) -> T:\n    return items[0]\n\n"
        "class Box[T]:\n    lid: T\n",
        {"Pair": "type", "Name": "type", "first": "function", "Box": "class", "Box.lid": "field"},
    ),
    "a branch that the preprocessor may leave out": (
        "mode.c",
        "int pick(int a)\n{\n    if (a == 0)\n        return 0;\n#ifndef SMALL\n    else if (a == 1) {\n"
        "        return look(a);\n    }\n#endif\n    return 2;\n}\n\nint last(int a) { return a; }\n",
        {"pick": "function", "last": "function"},
    ),
    "constants of an enum with their own methods": (
        "Operation.java",
        "enum Operation {\n  PLUS {\n    int apply(int a) {\n      return a + 1;\n    }\n  },\n  NONE;\n"
        "  abstract int apply(int a);\n}\n",
        {
            "Operation": "enum",
            "Operation.PLUS": "class",
            "Operation.PLUS.apply": "method",
            "Operation.apply": "method",
        },
    ),
    "export macro before a class": (
        "output.hpp",
        "class MIXER_API Output final : public Device {\n public:\n  bool start(const char* name);\n"
        "  int level() const;\n};",
        {"Output": "class", "Output.start": "method", "Output.level": "method"},
    ),
    "export macro before a function": (
        "shop.h",
        "namespace shop {\nSHOP_API Cart* open_cart(const std::string& name);\n}\n",
        {"shop": "module", "shop.open_cart": "function"},
    ),
    "annotations of locks": (
        "cart.cc",
        "struct Cart {\n  int lines GUARDED_BY(lock);\n  bool add(int line) REQUIRES(lock) {\n    return true;\n"
        "  }\n};\n",
        {"Cart": "struct", "Cart.lines": "field", "Cart.add": "method"},
    ),
    "anonymous namespace": (
        "cart.cc",
        "namespace shop {\nnamespace {\nvoid DropOld(Cart* cart) {\n  cart->Drop();\n}\n}  // namespace\n}\n",
        {"shop": "module", "shop.DropOld": "function"},
    ),
    "tests of googletest": (
        "cart_test.cc",
        "TEST_F(CartTest, KeepsVoucher) {\n  Reload();\n}\nTYPED_TEST(PriceTest, Rounds) {\n  Round();\n}\n"
        "BENCHMARK_DEFINE_F(Fixture, Fill)(State& state) {\n  Run(state);\n}\n",
        {"CartTest.KeepsVoucher": "function", "PriceTest.Rounds": "function", "Fixture.Fill": "function"},
    ),
    "macros of the kernel": (
        "nodes.c",
        "SYSCALL_DEFINE2(node_count, struct node __user *, head, int, flags)\n{\n\treturn 0;\n}\n"
        "static int __init start_nodes(void)\n{\n\treturn 1;\n}\nmodule_init(start_nodes);\n"
        "static DEFINE_MUTEX(node_lock);\nDEFINE_PER_CPU(struct stats, node_stats);\n",
        {"node_count": "function", "start_nodes": "function", "node_lock": "variable", "node_stats": "variable"},
    ),
    "types with a tag": (
        "cart.c",
        "typedef struct cart {\n\tint lines;\n} cart_t, *cart_ptr;\nstruct cart *open_cart(void);\nstruct later;\n",
        {"cart": "struct", "cart_t": "struct", "cart_ptr": "struct", "open_cart": "function"},
    ),
    "pointers to functions": ("hooks.c", "static int (*on_open)(const char *name);\n", {"on_open": "variable"}),
    "conversions in C++": (
        "result.cc",
        "struct Result {\n  explicit operator bool() const { return ok; }\n"
        "  bool operator<(const Result& other) const;\n};\n",
        {"Result": "struct", "Result.operator bool": "method", "Result.operator<": "method"},
    ),
    "methods in class << self and in arguments": (
        "account.rb",
        "class Account\n  class << self\n    def open_with(cents)\n      new(cents)\n    end\n  end\n\n"
        "  private def audit_trail\n    bookings.to_s\n  end\n\n  memoize def balance\n    bookings.sum\n  end\n\n"
        "  private_class_method def self.rebuild\n    Cache.clear\n  end\nend\n",
        {"Account": "class", "Account.open_with": "method", "Account.audit_trail": "method",
         "Account.balance": "method", "Account.rebuild": "method"},
    ),
    "methods by calls in Ruby": (
        "point.rb",
        "Point = Struct.new(:x, :y) do\n  attr_reader :name, :label\n  alias to_text to_s\n"
        "  alias_method :area, :size\n"
        "  define_method(:far?) do |other|\n    x > other.x\n  end\nend\n",
        {"Point": "class", "Point.name": "method", "Point.label": "method", "Point.to_text": "method",
         "Point.area": "method", "Point.far?": "method"},
    ),
    "a class with its module": (
        "a.rb",
        "class Shop::Cart\n  def add(line)\n    lines << line\n  end\nend\n",
        {"Shop.Cart": "class", "Shop.Cart.add": "method"},
    ),
    "a local variable of Ruby": (
        "a.rb", "def run\n  handler = ->(env) { env.to_s }\n  handler.call\nend\n", {"run": "method"},
    ),
    "methods of objects in JavaScript": (
        "store.js",
        "function Store(db) {\n  this.add = function (item) {\n    return db.insert(item);\n  };\n"
        "  this.remove = (id) => db.delete(id);\n}\nStore.prototype.count = function () {\n  return 1;\n};\n"
        "exports.open = function openStore() {\n  return new Store();\n};\n",
        {"Store": "function", "Store.add": "method", "Store.remove": "method", "Store.count": "method",
         "open": "function", "openStore": "function"},
    ),
    "functions in short wrappers": (
        "wrapped.js",
        "(function () {\n  function start() {}\n  const stop = () => 1;\n})();\n"
        "export const store = define({ state: () => ({}), actions: { async apply(code) {} } });\n",
        {"start": "function", "stop": "function", "store": "constant", "store.state": "method",
         "store.apply": "method"},
    ),
    "components in calls": (
        "row.tsx",
        "export const Row = memo(function CartRow({ line }: Props) {\n  return <tr>{line.name}</tr>;\n});\n",
        {"Row": "constant", "Row.CartRow": "function"},
    ),
    "functions of test files": (
        "cart.test.ts",
        "describe('cart', () => {\n  it('adds', () => {\n    class Line { total() { return 1; } }\n"
        "    interface Price { x: 1 }\n"
        "  });\n});\n",
        {"Line": "class", "Line.total": "method", "Price": "interface"},
    ),
    "operators of C#": (
        "money.cs",
        "struct Money {\n  public static bool operator ==(Money a, Money b) => true;\n"
        "  public static implicit operator string(Money m) => \"\";\n}\n",
        {"Money": "struct", "Money.operator ==": "method", "Money.operator string": "method"},
    ),
    "subscripts of Swift": (
        "grid.swift",
        "class Grid {\n  init(size: Int) { self.size = size }\n  deinit { close() }\n"
        "  subscript(row: Int) -> Int { return rows[row] }\n}\n",
        {"Grid": "class", "Grid.init": "method", "Grid.deinit": "method", "Grid.subscript": "method"},
    ),
    "anonymous classes of Java": (
        "Cart.java",
        "class Cart {\n  Visitor v() {\n    return new Visitor() {\n      public void visit(Line line) { }\n"
        "    };\n  }\n}\n"
        "@interface Kind { String value(); }\n",
        {"Cart": "class", "Cart.v": "method", "Cart.v.visit": "method", "Kind": "interface", "Kind.value": "method"},
    ),
    "callbacks and types of Elixir": (
        "store.ex",
        "defmodule Store do\n  @type key :: atom\n  @doc \"Reads it.\"\n"
        "  @callback fetch(key, term) :: term when term: var\nend\n",
        {"Store": "module", "Store.key": "type", "Store.fetch": "function"},
    ),
    "two modules of one name": (
        "a.ex",
        "if ready?() do\n  defmodule Cart do\n    def add(line), do: line\n  end\nelse\n  defmodule Cart do\n"
        "    def drop(line), do: line\n  end\nend\n",
        {"Cart": "module", "Cart.add": "function", "Cart.drop": "function"},
    ),
    "tables of Lua": (
        "cart.lua",
        "local cart = {\n  add = function(line) return line end,\n  size = 3,\n}\n",
        {"cart": "variable", "cart.add": "method"},
    ),
    "generic functions of Zig": (
        "list.zig",
        "pub fn List(comptime T: type) type {\n    return struct {\n        pub fn append(item: T) void {\n"
        "            _ = item;\n"
        "        }\n    };\n}\n",
        {"List": "function", "List.append": "function"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_definition_gives_its_name(form: str) -> None:
    name, text, expected = FORMS[form]
    assert defined(name, text) == expected


HEADERS = {
    "cpp": [
        "template <typename T>\nclass Ring {\n};\n",
        "namespace audio {\nint level();\n}\n",
        "#pragma once\n#include <vector>\nint level(int a);\n",
        "struct Output : public Device {\n  int level;\n};\n",
        "inline int level(const Output& output) { return 1; }\n",
        "std::string name();\n",
        "struct A {\n public:\n  int level;\n};\n",
        "enum class Kind { A };\n",
        "struct A { A() = default; };\n",
    ],
    "c": [
        "#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint level(void);\n#endif\n",
        "#ifdef __cplusplus\nclass Cart;\nnamespace shop {}\n#else\ntypedef struct Cart Cart;\n#endif\n",
        "/* class Cart : see std::vector */\nstruct cart {\n\tint class;\n\tunsigned small : 3;\n};\n",
        "#define LABEL \"a::b\"\n#include <stdio.h>\nenum kind { A };\n",
        "",
    ],
    "objective-c": ["#import <Foundation/Foundation.h>\n@interface Cart : NSObject\n- (void)add;\n@end\n"],
}  # fmt: skip


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in HEADERS.items() for text in texts])
def test_the_text_of_a_header_tells_its_language(language: str, text: str) -> None:
    assert header_language(text) == language


def test_a_header_is_found_by_its_language_before_and_after_an_edit(tmp_path: Path) -> None:
    """Only the text decides, so a run over changed files gives what a run over all gives."""
    code = CodeProject(tmp_path / "site")
    header = code.root / "src" / "ring.h"
    header.write_text("int count_of_the_ring(void);\nint capacity_of_the_whole_ring(int slots, int used);\n")
    code.index()
    assert languages_of(code) == {"c"}
    header.write_text(
        "namespace audio {\nclass RING_API Ring {\n public:\n  int capacity_of_the_ring() const;\n};\n}\n"
    )
    code.index()
    assert languages_of(code) == {"cpp"}


def languages_of(code: CodeProject) -> set[str]:
    return {record.page.language for record in code.records() if record.page.url.endswith("ring.h")}


DAMAGED = {
    "fun interface before an annotated class": (
        "a.kt",
        "fun interface Clock { fun now(): Long }\n@JvmInline\n"
        "value class UserId(val raw: String) { fun short() = raw }\n\n"
        "class Timer(val clock: Clock) {\n    fun elapsed(start: Long): Long = clock.now() - start\n}\n",
        {"Clock", "UserId", "Timer", "Timer.elapsed"},
    ),
    "an annotation with arguments on the line of its class": (
        "a.kt", "@Retention(RUNTIME) annotation class Kind\n\nclass Timer\n", {"Kind", "Timer"}
    ),
    "a line of data": (
        "a.go",
        'package a\n\nconst data = "' + "x" * 3_000 + '"\n\n'
        + "func Total(c Cart) int {\n\treturn c.total + 1\n}\n" * 70,
        {"Total"},
    ),
    "a getter on one line": (
        "a.kt",
        "class A {\n    val b get() = 1\n}\n\nclass Timer {\n    fun elapsed(start: Long): Long = start\n}\n",
        {"A", "Timer", "Timer.elapsed"},
    ),
    "a macro without a semicolon in C++": (
        "a.cc",
        "namespace shop {\nREGISTER(int, 1) %% (\nclass Cart {\n  void add(int line) {\n    lines++;\n  }\n};\n"
        "int total(const Cart& cart) {\n  return 1;\n}\n}\n",
        {"Cart", "total"},
    ),
    "a condition that splits a function in C": (
        "a.c",
        "int first(int a)\n{\n#ifdef FAST\n\tif (a) {\n#else\n\tif (!a) {\n#endif\n\t\treturn 1;\n\t}\n"
        "\treturn 2;\n}\n\n"
        "static int\nsecond(struct cart *cart)\n{\n\treturn 3;\n}\n",
        {"first", "second"},
    ),
    "zsh": ("a.zsh", "x=${(@f)$(<(}\n\nstart() {\n  run it\n}\n\nfunction stop {\n  end it\n}\n", {"start", "stop"}),
    "JavaScript": (
        "a.js",
        "const broken = {{{ ;\n\nfunction start(a) {\n  return a;\n}\n\nclass Cart {\n  add(line) {\n"
        "    return line;\n  }\n}\n",
        {"start", "Cart"},
    ),
    "Python": ("a.py", "def broken(:\n    pass )\n\nclass Cart:\n    def add(self, line):\n        return line\n",
               {"Cart", "Cart.add"}),
    "Ruby": ("a.rb", "def broken(((\nend\n\nclass Cart\n  def add(line)\n    line\n  end\nend\n", {"Cart"}),
    "Rust": ("a.rs", "fn broken(<<< {\n\npub struct Cart {\n    a: u8,\n}\n\npub fn total(c: &Cart) -> u8 {\n"
    "    1\n}\n",
             {"Cart", "total"}),
    "Go": ("a.go", "package a\n\nfunc broken(]] {\n\nfunc Total(c Cart) int {\n\treturn 1\n}\n", {"Total"}),
    "C#": ("a.cs", "class A {\n  void Broken(((;\n}\n\nclass Cart {\n  int Total(int line) {\n    return 1;\n"
    "  }\n}\n",
           {"Cart"}),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_part_that_no_grammar_reads_costs_only_itself(damage: str) -> None:
    name, text, expected = DAMAGED[damage]
    names = defined(name, text)
    assert {item for item in expected if not any(name == item or name.endswith(f".{item}") for name in names)} == set()


def test_code_in_comments_and_variables_of_a_type_are_no_definitions_of_a_damaged_file() -> None:
    text = (
        "int broken(((;\n\n/*\nstruct in_comment {\n};\nint text_function(int a) {\n*/\n"
        "static struct cart first = { 1 };\n\nint\nrun(struct args *args,\n    struct cart *cart)\n{\n"
        "\tif (args) {\n\t\treturn 1;\n\t} else if (cart) {\n\t\tcall(args);\n\t}\n\treturn 0;\n}\n"
    )
    assert {name.rpartition(".")[2] for name in defined("a.c", text)} <= {"broken", "first", "run"}


C_TEXT = st.lists(
    st.sampled_from(
        ["TEST_F(A, b) {", "class API C {", "FOO(", "((((", "))))", ") GUARDED_BY(x);", "int a", "typedef", "struct X",
         "\n", "#define A B \\", "DEFINE_MUTEX(x);", "MACRO", "é", "__init f(", "<", ">", ";", "{", "}", "static", " "]
    ),
    max_size=80,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(C_TEXT, st.sampled_from(["", " ", "\n"]), st.sampled_from(["c", "cpp"]))
def test_code_without_macros_has_the_same_lines_and_length(parts: list[str], between: str, language: str) -> None:
    """Positions in the tree are positions in the file."""
    source = between.join(parts).encode()
    plain = without_macros(source, language)
    assert len(plain) == len(source)
    assert [len(line) for line in plain.split(b"\n")] == [len(line) for line in source.split(b"\n")]


@pytest.mark.parametrize(
    "unit", ["A1(", "A1 (a\n", "class a ", "struct A : ", "#ifdef __cplusplus\n", "A1 ", "a A1(<", "(("]
)
def test_a_hostile_header_takes_no_minutes(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert header_language(text) in ("c", "cpp")
    assert len(without_macros(text.encode(), "cpp")) == len(text)


SCRIPTS = {
    "cart.svelte": "<script>\n  let lines = $state([]);\n\n  function clearTheCart(event) {\n"
    "    lines = event.lines ?? [];\n"
    "  }\n</script>\n\n<button onclick={clearTheCart}>Remove every line of the cart</button>\n",
    "cart.vue": "<template>\n  <button @click=\"clearTheCart\">Remove every line of the cart</button>\n"
    "</template>\n\n"
    "<script setup>\nfunction clearTheCart(event) {\n  lines.value = event.lines ?? [];\n}\n</script>\n",
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_last_function_of_a_script_ends_at_its_own_last_line(name: str) -> None:
    [chunk] = [chunk for chunk in chunks_of(name, SCRIPTS[name]) if "function" in chunk.body.text]
    assert chunk.body.text.rstrip().endswith("}")


CTAGS = shutil.which("ctags")
WITH_TAGS = [path for path in sorted(GOLDEN.glob("*.*")) if language_of(path.name) in PROGRAMS[2:]]


def missed(path: Path, oracle: set[bench.Named]) -> list[bench.Named]:
    text = path.read_text()
    language = language_in(path, text)
    chunks = chunks_of(path.name, text)
    ours = bench.our_definitions(chunks)
    return [
        item for item in sorted(oracle) if not bench.has(item, ours, language) and not bench.is_in_chunk(item, chunks)
    ]


@pytest.mark.parametrize("path", WITH_TAGS, ids=lambda path: path.name)
def test_the_query_of_each_grammar_finds_nothing_that_we_miss(path: Path) -> None:
    """`tags.scm` is what other tools jump to."""
    text = path.read_text()
    language = language_in(path, text)
    parser = parser_of(language)
    assert parser is not None
    oracle = set(bench.tags_of_grammar(language, parser.parse(text.encode())))
    assert oracle
    assert missed(path, oracle) == []


@pytest.mark.skipif(CTAGS is None, reason="Universal Ctags is not installed")
def test_ctags_finds_no_definition_that_we_miss(tmp_path: Path) -> None:
    """In the files of all languages, and in the forms above."""
    for path in GOLDEN.glob("*.*"):
        if language_of(path.name) in PROGRAMS:
            shutil.copy(path, tmp_path / path.name)
    for number, (name, text, _) in enumerate(FORMS.values()):
        (tmp_path / f"{number}-{name}").write_text(text)
    tags = bench.tags_of_ctags(tmp_path)
    assert len(tags) > len(FORMS) / 2
    lacking = {}
    for (name, language), oracle in tags.items():
        path = tmp_path / name
        if language_in(path, path.read_text()) == language:
            lacking[name] = missed(path, oracle)
    assert {name: names for name, names in lacking.items() if names} == {}

"""Configuration: found, read, refused with words that help (spec 7)."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import ConfigError
from searchsocket.project.location import project_here
from searchsocket.project.settings.load import all_keys, effective_settings, load_settings
from searchsocket.project.settings.model import Settings
from searchsocket.sources import configured_site


def write(root: Path, text: str, name: str = "searchsocket.toml") -> Path:
    (root / name).write_text(text, encoding="utf-8")
    return root


def test_no_file_and_an_empty_file_mean_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}) == Settings()
    assert load_settings(write(tmp_path, ""), {}) == Settings()


def test_snake_case_and_camel_case_say_the_same(tmp_path: Path) -> None:
    snake = load_settings(write(tmp_path, "[chunking]\nmax_chars = 900\n"), {})
    camel = load_settings(write(tmp_path, "[chunking]\nmaxChars = 900\n"), {})
    assert snake == camel
    assert snake.chunking.max_chars == 900


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="max_chars is set twice"):
        load_settings(write(tmp_path, "[chunking]\nmax_chars = 900\nmaxChars = 901\n"), {})


def test_pyproject_can_hold_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, "[tool.searchsocket.state]\ndir = '.index'\n", "pyproject.toml")
    assert load_settings(tmp_path, {}).state.dir == ".index"


@pytest.mark.parametrize("name", ["searchsocket.toml", "pyproject.toml"])
def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path, name: str) -> None:
    """Windows' editors and PowerShell write it; it was an invalid statement at line 1, column 1."""
    table = "" if name == "searchsocket.toml" else "tool.searchsocket."
    (tmp_path / name).write_bytes(f"[{table}state]\r\ndir = '.index'\r\n".encode("utf-8-sig"))
    assert load_settings(tmp_path, {}).state.dir == ".index"
    assert project_here(tmp_path) == tmp_path
    lines = {setting.key: setting.origin for setting in effective_settings(tmp_path, {})}
    assert lines["state.dir"] == f"{name}:2"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "latin-1"])
def test_a_file_in_another_encoding_is_refused_with_its_fix(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "searchsocket.toml").write_bytes("# Häfen\n[state]\ndir = '.index'\n".encode(encoding))
    with pytest.raises(ConfigError, match="save it as UTF-8"):
        load_settings(tmp_path, {})


def test_two_places_at_once_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "[tool.searchsocket]\n", "pyproject.toml")
    with pytest.raises(ConfigError, match="keep one"):
        load_settings(write(tmp_path, ""), {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[chunking]\nmax_char = 900\n", ["max_char", "900", "did you mean chunking.max_chars?"]),
        ("[chunkin]\nmax_chars = 900\n", ["chunkin", "chunking"]),
        ("[chunking]\nmax_chars = '900'\n", ["chunking.max_chars", '"900"', "must be a whole number"]),
        ("[chunking]\nmax_chars = 0\n", ["chunking.max_chars", "0", "must be 1 or more"]),
        ("[chunking]\noverlap_chars = 3000\n", ["overlap_chars (3000)", "max_chars (2200)"]),
        ("[source]\nmode = 'ftp'\n", ["source.mode", "ftp", "static-output"]),
        ("source = 3\n", ["source", "3"]),
        ("[facets]\nversion = 'text'\n", ["facets.version", "text", "'string', 'number'"]),
        ("[facets]\nkind = 'string'\n", ["facets", "'kind' is a built-in filter; choose another name"]),
        ("[facets]\n'a=b' = 'string'\n", ["facets.a=b", "must have the form ^[A-Za-z]"]),
        ("[state]\ndir = '.'\n", ["state.dir", "must not be the project folder"]),
        ("[ranking]\nsynonyms = [['alone']]\n", ["ranking.synonyms.0", "alone", "2 entries or more"]),
        ("[ranking]\nsynonyms = [['a', 'far too many words here']]\n", ["ranking.synonyms", "1 to 4 words"]),
        ("[ranking]\nsynonyms = [['a', '?!']]\n", ["ranking.synonyms", "1 to 4 words"]),
        ("[ranking]\nsynonyms = [['same', 'Same']]\n", ["ranking.synonyms", "two different entries"]),
        (f"[ranking]\nsynonyms = [{[f'w{n}' for n in range(21)]}]\n", ["ranking.synonyms.0", "20 entries or fewer"]),
        (f"[ranking]\nsynonyms = {[['a', 'b']] * 1001}\n", ["ranking.synonyms", "1,000 entries or fewer"]),
        ("[source\n", ["not valid TOML"]),
    ],
)
def test_a_wrong_key_or_value_is_named(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(write(tmp_path, text), {})
    message = str(caught.value)
    assert "searchsocket.toml" in message
    assert all(word in message for word in words), message


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    write(tmp_path, "[chunking]\nmax_chars = 900\n")
    environ = {"SEARCHSOCKET__CHUNKING__MAX_CHARS": "1500", "SEARCHSOCKET__SOURCE__EXCLUDE": '["/a/**"]'}
    settings = load_settings(tmp_path, environ)
    assert settings.chunking.max_chars == 1500
    assert settings.source.exclude == ("/a/**",)


def test_synonyms_are_groups_of_words(tmp_path: Path) -> None:
    root = write(tmp_path, '[ranking]\nsynonyms = [["delete", "remove"], ["sign in", "login"]]\n')
    assert load_settings(root, {}).ranking.synonyms == (("delete", "remove"), ("sign in", "login"))


def test_an_unknown_override_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SEARCHSOCKET__CHUNKING__MAX_CHAR"):
        load_settings(tmp_path, {"SEARCHSOCKET__CHUNKING__MAX_CHAR": "1500"})


@pytest.mark.parametrize(
    ("file", "environ"),
    [("[api]\ntrust_loopback = true\n", {}), ("[api]\ntrustLoopback = false\n", {}),
     ("", {"SEARCHSOCKET__API__TRUST_LOOPBACK": "true"})],
)  # fmt: skip
def test_a_key_that_was_taken_away_names_what_replaces_it(tmp_path: Path, file: str, environ: dict[str, str]) -> None:
    (tmp_path / "searchsocket.toml").write_text(file)
    with pytest.raises(ConfigError, match=r"unknown key api\.trust_loopback = .*serve --dev"):
        load_settings(tmp_path, environ)


def test_every_key_is_listed_once() -> None:
    keys = list(all_keys())
    assert len(keys) == len(set(keys)) > 40
    assert {"chunking.max_chars", "source.content_files.globs", "api.cors.allow_origins"} <= set(keys)


@given(st.text(max_size=300))
def test_any_text_gives_settings_or_a_typed_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.mktemp("config")
    (root / "searchsocket.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        assert isinstance(load_settings(root, {}), Settings)
    except ConfigError as error:
        assert str(error)  # noqa: PT017  either outcome is right; only other exceptions are not


WORDS = st.sampled_from(
    ["", "/", "..", "{scope}", "http://h/p", "main", "*", "[", "\0", "é" * 300, "2026-01-01", "0x1"]
)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=20), WORDS),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(all_keys())), VALUES)
def test_any_value_of_any_key_is_taken_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """From the file and from the environment alike; what is taken says where the site lies, or why not."""
    root = tmp_path_factory.mktemp("config")
    text = json.dumps(value, ensure_ascii=False).replace("Infinity", "inf").replace("NaN", "nan")
    variable = "SEARCHSOCKET__" + key.upper().replace(".", "__")
    for file, environ in ((f"{key} = {text}", {}), ("", {variable: text})):
        (root / "searchsocket.toml").write_text(file, encoding="utf-8")
        try:
            settings = load_settings(root, environ)
            configured_site(settings, None, "main")
        except ConfigError as error:
            message = str(error).lower()
            assert key.rpartition(".")[2] in message or "not valid toml" in message


@pytest.mark.parametrize("value", ["javascript:alert(1)", "ftp://a.example", "file:///etc", "https://", "a.example"])
@pytest.mark.parametrize(
    "key",
    ["project.base_url", "embeddings.base_url", "rerank.jina.base_url", "api.public_url", "source.crawl.base_url"],
)
def test_an_address_is_one_of_the_web(tmp_path: Path, key: str, value: str) -> None:
    (tmp_path / "searchsocket.toml").write_text(f'{key} = "{value}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"must be a URL"):
        load_settings(tmp_path, {})


@pytest.mark.parametrize(
    "pattern", ["/docs", "/{version}/{version}", "/docs/v{version}", "/a*/{version}", "/{version}/x"]
)
def test_a_pattern_of_versions_names_one_segment(tmp_path: Path, pattern: str) -> None:
    """It is no regular expression, so none can take long."""
    (tmp_path / "searchsocket.toml").write_text(f'[versions]\npattern = "{pattern}"\n')
    with pytest.raises(ConfigError, match=r"versions\.pattern"):
        load_settings(tmp_path, {})


@pytest.mark.parametrize(
    ("text", "provider"),
    [
        ('apiKeyEnv = "OPENAI_API_KEY"', "openai"),
        ('base_url = "http://localhost:11434/v1"', "openai"),
        ('api_key_env = ""', "openai"),
        ('base_url = ""', "builtin"),
        ('base_url = "http://localhost/v1"\nprovider = "auto"', "auto"),
        ("", "builtin"),
    ],
)
def test_a_key_or_an_address_alone_means_openai(tmp_path: Path, text: str, provider: str) -> None:
    """The minimal configuration names the variable of the key only."""
    (tmp_path / "searchsocket.toml").write_text(f"[embeddings]\n{text}\n")
    assert load_settings(tmp_path, {}).embeddings.provider == provider
    [setting] = [item for item in effective_settings(tmp_path, {}) if item.key == "embeddings.provider"]
    assert (setting.value, setting.source) == (provider, "default" if provider == "builtin" else "file")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('model = "text-embedding-3-large"', "embeddings.model"),
        ('provider = "hash"\nbase_url = "http://localhost/v1"', "embeddings.base_url"),
        ('provider = "onnx"\ndimensions = 384\nconcurrency = 2', "embeddings.dimensions, embeddings.concurrency"),
        ('provider = "builtin"\ncache_url = "file:///tmp/cache"', "embeddings.cache_url"),
    ],
)
def test_a_setting_without_effect_for_the_provider_is_refused(tmp_path: Path, text: str, keys: str) -> None:
    (tmp_path / "searchsocket.toml").write_text(f"[embeddings]\n{text}\n")
    with pytest.raises(ConfigError, match=f"searchsocket.toml: {keys} has no effect with embeddings.provider = "):
        load_settings(tmp_path, {})
    # The environment may choose another provider for one run.
    assert load_settings(tmp_path, {"EMBEDDINGS_PROVIDER": "local"}).embeddings.provider == "builtin"


def test_settings_at_their_defaults_are_accepted_for_every_provider(tmp_path: Path) -> None:
    """`config show` prints them all."""
    (tmp_path / "searchsocket.toml").write_text('[embeddings]\nprovider = "builtin"\nconcurrency = 8\nmodel = ""\n')
    assert load_settings(tmp_path, {}).embeddings.concurrency == 8

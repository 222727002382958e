"""Format search results for people."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from searchsocket.cli.output import count, safe
from searchsocket.search.wire import Wire
from searchsocket.serving.answers import to_json
from searchsocket.text.words import fold

if TYPE_CHECKING:
    from searchsocket.search.answer import AlikePage, AnswerModel, AppliedRule, Explanation, Note, SearchAnswer
    from searchsocket.search.wire import FileLines

Ranges = Sequence[tuple[int, int]]
_INDENT = "   "
_CODE_INDENT = "  "
_MAX_ALIKE = 3  # URLs
_MAX_RULE_PAGES = 5
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+")
_MIN_BEGINNING = 4  # letters; "the" does not begin "theme"
_mark = partial(click.style, fg="yellow", bold=True)


def print_answer(answer: Wire, lines: Iterable[str], *, as_json: bool, notes: "Iterable[Note]" = ()) -> None:
    """Print an answer: its notes to stderr, and to stdout the service's JSON, or lines for people."""
    for note in notes:
        click.echo(f"note: {note.message}", err=True)
    for line in [to_json(answer, sources=True).decode()] if as_json else lines:
        click.echo(line)


def answer_lines(answer: "SearchAnswer", width: int) -> Iterator[str]:
    """Yield the lines of each result: title and section, the snippet with its marks, its URL and its source."""
    if not answer.results:
        yield f"No results for “{safe(answer.q)}” in scope {answer.scope}."
        yield from _rule_lines(answer.curation or ())
        yield from _model_lines(answer.answer_model)
        return
    if answer.quality == "weak":
        yield click.style("No close match. Closest results:", fg="yellow")
    for facet, counts in (answer.facets or {}).items():
        yield click.style(
            f"{facet}: {', '.join(f'{safe(value)} ({pages})' for value, pages in counts.items())}", dim=True
        )
    for number, result in enumerate(answer.results, 1):
        # Marked words of the snippet: other forms of the query's words, and corrected ones.
        words = " ".join([*(result.snippet[start:end] for start, end in result.marks), answer.q])
        title = _marked_title(result.title or result.url, words, bold=True)
        has_section = result.section_title not in ("", result.title)
        section = f" › {_marked_title(result.section_title, words, bold=False)}" if has_section else ""
        yield f"{number}. {title}{section}  {click.style(f'{result.score:.3f}', dim=True)}"
        for line in mark_lines(result.snippet, result.marks, width - len(_INDENT), result.code):
            yield _INDENT + line
        file = _file(result.source, result.route_file) + changed_mark(changed=result.changed_since)
        yield f"{_INDENT}{click.style(safe(result.href), fg='cyan')}{file}"
        if result.explanation is not None:
            yield from (_INDENT + click.style(line, dim=True) for line in _score_lines(result.explanation))
        if result.alike:
            yield _INDENT + click.style(f"and {len(result.alike)} similar: {safe(_addresses(result.alike))}", dim=True)
        if len(result.languages) > 1:
            yield _INDENT + click.style(f"also in {safe(', '.join(result.languages[1:]))}", dim=True)
        for section_result in result.sections:
            if section_result.anchor != result.anchor:
                link = f"{click.style(safe(section_result.href), fg='cyan')}  {safe(section_result.title)}"
                yield f"{_INDENT}also {link}{_file(section_result.source)}"
        yield ""
    yield from _rule_lines(answer.curation or ())
    yield from _model_lines(answer.answer_model)
    noun = "page" if answer.group_by == "page" else "section"
    yield click.style(
        f"{count(len(answer.results), noun)} in {answer.meta.timings_ms.total:.0f} ms, scope {answer.scope}", dim=True
    )


def _marked_title(title: str, q: str, *, bold: bool) -> str:
    """Return a title with the words of a text marked, as the dialog marks them (`clients/js/src/text.ts`)."""
    words = [word for word in map(fold, _WORD.findall(q)) if len(word) > 1]
    beginnings = tuple(word for word in words if len(word) >= _MIN_BEGINNING or word is words[-1])
    parts, at = list[str](), 0
    for match in _WORD.finditer(title):
        word = fold(match[0])
        if word in words or word.startswith(beginnings):
            parts += [_styled(title[at : match.start()], bold=bold), _mark(safe(match[0]))]
            at = match.end()
    return "".join([*parts, _styled(title[at:], bold=bold)])


def _styled(text: str, *, bold: bool) -> str:
    return click.style(safe(text), bold=bold) if text and bold else safe(text)


def more_lines(token: str | None) -> Iterator[str]:
    """Yield a line that explains how to get further results, if there are any."""
    if token:
        yield click.style(f"more with --continue {token}", dim=True)


def _score_lines(parts: "Explanation") -> Iterator[str]:
    """Yield the parts of a score; the last line adds up to it."""
    yield (
        f"lists  meaning {parts.vector:.2f} × {parts.vector_share:g} (cosine {parts.cosine:.3f}), "
        f"words {parts.keyword:.2f} × {parts.keyword_share:g} (BM25 {parts.bm25:.1f}), "
        f"page {parts.page:.2f} × {parts.page_share:g} (BM25 {parts.page_bm25:.1f})"
    )
    if parts.rerank is not None:
        yield f"rerank {parts.rerank:.3f}, the largest part of the score"
    weight = f"; page weight {parts.weight:g}" if parts.weight != 1 else ""
    yield f"score  {' + '.join(f'{feature.name} {feature.part:.3f}' for feature in parts.features)}{weight}"


def _model_lines(model: "AnswerModel | None") -> Iterator[str]:
    """Yield the parts that decide if the site answers the query, the largest first."""
    if model is not None:
        parts = sorted(model.features, key=lambda feature: -abs(feature.part))
        line = ", ".join(f"{feature.name} {feature.part:+.2f}" for feature in parts if feature.part)
        bounds = f"weak below {model.weak_below:g}, rejected below {model.rejected_below:g}"
        yield click.style(f"log odds {model.log_odds:.2f} ({bounds}): {line}", dim=True)


def _rule_lines(rules: "Sequence[AppliedRule]") -> Iterator[str]:
    """Yield the owner's rules that apply to the query, with their pages."""
    for rule in rules:
        if rule.pages or not rule.unavailable:
            pages = ", ".join(rule.pages[:_MAX_RULE_PAGES]) or "none of these pages"
            more = ", …" if len(rule.pages) > _MAX_RULE_PAGES else ""
            yield click.style(f"{rule.rule} {rule.effect}s {safe(pages)}{more}", dim=True)
        for page in rule.unavailable:
            text = f"{rule.rule} pins {safe(page)}, which is not in the index or excluded by the filters"
            yield click.style(text, fg="yellow")


def _addresses(pages: "Sequence[AlikePage]") -> str:
    more = ", …" if len(pages) > _MAX_ALIKE else ""
    return ", ".join(page.href for page in pages[:_MAX_ALIKE]) + more


def changed_mark(*, changed: bool | None) -> str:
    return click.style("  changed since it was indexed", fg="yellow") if changed else ""


def _file(source: "FileLines | None", route_file: str | None = None) -> str:
    """Return the file to edit, with its line if known, as editors open it; else the route file."""
    if source and source.file and source.first_line:
        location = f"{source.file}:{source.first_line}"
    elif not route_file:
        return ""
    else:
        location = route_file
    return click.style(f"  ({safe(location)})", dim=True)


def mark_lines(text: str, marks: Ranges, width: int, code: Ranges = ()) -> Iterator[str]:
    """Wrap `text` to `width` with indented code and bold `marks`; characters that control a terminal are removed."""
    at = 0
    for line in text.split("\n"):
        indent = _CODE_INDENT if any(first <= at < last for first, last in code) else ""
        end = at
        for part in textwrap.wrap(
            line, max(width - len(indent), 20), break_on_hyphens=False, replace_whitespace=False, expand_tabs=False
        ):
            start = text.index(part, end)
            end = start + len(part)
            inside = [(max(a, start), min(b, end)) for a, b in marks if a < end and b > start]
            yield indent + _style_marks(text, inside, start, end)
        at += len(line) + 1


def _style_marks(text: str, marks: Ranges, start: int, end: int) -> str:
    parts = []
    for a, b in marks:
        parts += [safe(text[start:a]), _mark(safe(text[a:b]))]
        start = b
    return "".join([*parts, safe(text[start:end])])

"""The answer to a search as JSON, in one shape for every surface (spec 14.1).

Put together by hand: thirty models an answer took a tenth of a query.
"""

from typing import Any

from searchsocket.search.answer import Explanation, Result, SearchAnswer, Section
from searchsocket.search.quoting.snippet import Snippet

Json = dict[str, Any]


def search_json(answer: SearchAnswer, *, sources: bool) -> Json:
    """Args: sources: whether the caller may see source paths."""
    return {
        "q": answer.q,
        "scope": answer.scope,
        "groupBy": answer.group_by,
        "results": [_result(result, sources=sources) for result in answer.results],
        "meta": {
            "timingsMs": answer.timings_ms,
            "usedRerank": answer.used_rerank,
            "modelId": answer.model_id,
            "generation": answer.generation,
            "publishedAt": answer.published_at,
            "ageSeconds": answer.age_s,
        },
    }


def _result(result: Result, *, sources: bool) -> Json:
    return {
        "url": result.url,
        "href": result.href,
        "anchor": result.anchor,
        "title": result.title,
        "sectionTitle": result.section_title,
        "headingPath": result.heading_path,
        **_snippet(result.snippet),
        "score": result.score,
        "routeFile": (result.route_file or None) if sources else None,
        "routeResolution": result.route_resolution if sources else None,
        "scope": result.scope,
        "generation": result.generation,
        "ageSeconds": result.age_s,
        "tags": result.tags,
        "language": result.language,
        "modified": result.modified,
        "ref": result.ref,
        "sections": [_section(section) for section in result.sections],
        "explanation": _explanation(result.explanation) if result.explanation else None,
    }


def _section(section: Section) -> Json:
    return {
        "href": section.href,
        "anchor": section.anchor,
        "title": section.title,
        "headingPath": section.heading_path,
        **_snippet(section.snippet),
        "score": section.score,
        "ref": section.ref,
    }


def _snippet(snippet: Snippet) -> Json:
    return {"snippet": snippet.text, "snippetHtml": snippet.html, "marks": snippet.marks}


def _explanation(parts: Explanation) -> Json:
    return {
        "cosine": parts.cosine,
        "bm25": parts.bm25,
        "vector": parts.vector,
        "keyword": parts.keyword,
        "pageBm25": parts.page_bm25,
        "page": parts.page,
        "fused": parts.fused,
        "links": parts.links,
        "depth": parts.depth,
        "exact": parts.exact,
        "weight": parts.weight,
    }

"""The part of redaction that runs in worker processes: texts in, texts without secrets out."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from searchsocket.project.settings.model import RunSettings
from searchsocket.system.processes import limited
from searchsocket.text.redaction import Redactor


@dataclass(frozen=True, slots=True)
class RedactionJob:
    """The texts of a batch of pages, with everything that another process needs to redact them."""

    redactor: Redactor | None  # None: the texts stay on this machine
    limits: RunSettings
    pages: Sequence[Sequence[str]]
    owner: int = field(default_factory=os.getpid)  # the process that runs the stage


@dataclass(frozen=True, slots=True)
class RedactedPage:
    """The texts of one page without secrets, or the reason why it has none."""

    texts: Sequence[str] = ()
    secrets: int = 0  # values that were replaced
    error: str = ""


def redact_batch(job: RedactionJob) -> list[RedactedPage]:
    """Redact a batch within the limits of a page; a page over the limits does not affect the others."""
    if job.redactor is None:
        return [RedactedPage(texts) for texts in job.pages]
    limits = job.limits if job.owner != os.getpid() else None  # a limit may end the process
    return [_redact(job.redactor, texts, job.limits, limits) for texts in job.pages]


def one_page_each(job: RedactionJob) -> list[RedactionJob]:
    """Split a batch into batches of one page, to find the page that no worker survives."""
    return [replace(job, pages=[page]) for page in job.pages]


def pages_without_answer(job: RedactionJob) -> list[RedactedPage]:
    """The result for a page that no worker survived."""
    why = f"the search for secrets took more than {job.limits.max_page_seconds:g} s of CPU time (run.max_page_seconds)"
    return [RedactedPage(error=why) for _ in job.pages]


def _redact(
    redactor: Redactor, texts: Sequence[str], settings: RunSettings, limits: RunSettings | None
) -> RedactedPage:
    try:
        with limited(limits):
            redacted = [redactor.redact(text) for text in texts]
    except MemoryError:
        limit = f"{settings.max_page_memory_mb:,} MB of memory (run.max_page_memory_mb)"
        return RedactedPage(error=f"the search for secrets needs more than {limit}")
    return RedactedPage([text.text for text in redacted], sum(text.count for text in redacted))

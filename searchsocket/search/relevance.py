"""Whether what was found is worth showing: nonsense must get no answer, a hard paraphrase must get one."""

from dataclasses import dataclass

# Below this cosine a text that shares no word with the index is noise.
MIN_COSINE = 0.3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a query, over the whole scope: a filter must not make an answerable query nonsense."""

    words_found: bool  # the keyword list holds something: a word, a prefix or a near spelling is known
    best_cosine: float


def is_enough(evidence: Evidence) -> bool:
    """Whether the query may be answered at all."""
    return evidence.words_found or evidence.best_cosine >= MIN_COSINE

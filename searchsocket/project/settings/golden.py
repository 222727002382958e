"""`[golden]`: golden queries and the quality that they require before an index goes live."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.settings.section import Section

Share = Annotated[float, Field(ge=0, le=1)]


class GoldenSettings(Section):
    file: str = ""  # relative to the project; "" = golden-queries.toml, else golden-queries.tsv, where one is there
    min_recall: Share = 0.0  # share of the expected pages that are found, below which nothing is published
    min_mrr: Share = 0.0  # likewise of the mean of 1 / rank of the first one
    min_ndcg: Share = 0.0  # and of nDCG@10
    max_drop: Share = 0.05  # how far each of the three may fall against the live index

"""Effects of `demand`: what a service stores of the searches of its visitors."""

from datetime import UTC, date, datetime, timedelta

from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from tests.project.settings.lab import Effect, Lab

OLD = "old words"


def stored(lab: Lab, visitors: int = 8) -> list[str]:
    """The queries in the log after some visitors searched for one; two of them may count as the same visitor."""
    api = lab.api()
    for number in range(visitors):
        api.client = f"198.51.100.{number}"
        api.get("/api/search?q=lantern")
    if recorder := getattr(api.app.state, "demand", None):
        recorder.close()
    return [row.query for row in DemandLog(lab.project.state_dir).rows("main", "2000-01-01") if row.query]


def with_an_old_day(lab: Lab) -> list[str]:
    lab.index()
    day = datetime.now(UTC).date() - timedelta(days=60)
    log = DemandLog(lab.project.state_dir)
    if not log.rows("main", str(date.min)):
        log.add([DemandRow(day.isoformat(), "main", DemandCounts(9), OLD)])
    return stored(lab)


ON = {"demand.enable": True}
EFFECTS = (
    Effect("demand.enable", True, stored, [], ["lantern"]),
    Effect("demand.min_visitors", 3, lambda lab: stored(lab, 4), [], ["lantern"], given=ON),
    Effect("demand.keep_days", 30, with_an_old_day, ["lantern", OLD], ["lantern"], given=ON),
)

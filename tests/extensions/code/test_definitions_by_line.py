"""Definitions of languages without a grammar, by how their lines start."""

import pytest

from searchsocket.extensions.code.parsing.chunks import chunk_source
from searchsocket.extensions.code.parsing.definitions.by_line import definitions_by_line
from searchsocket.extensions.code.parsing.symbols import symbols_in
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.test_code_search import ask
from tests.extensions.code.trees import grow

TERRAFORM = """\
variable "ledger_region" {
  default = "eu-west-1"
}

locals {
  ledger_tags = { team = "quay" }
}

# Keeps the ledgers.
resource "aws_s3_bucket" "ledger_store" {
  bucket = "ledger-${var.ledger_region}"
}

data "aws_iam_policy_document" "reader" {}
module "tides" { source = "./tides" }
output "ledger_arn" { value = aws_s3_bucket.ledger_store.arn }
"""
PROTOBUF = """\
message BerthRequest {
  string vessel_name = 1;
  oneof unit {
    int32 metres = 2;
  }
  message Cargo {
    repeated string crates = 1;
  }
}
enum Tide { EBB = 0; }
service Pier {
  rpc ReserveBerth(BerthRequest) returns (BerthRequest);
}
"""
GRAPHQL = """\
type Vessel implements Floating {
  id: ID!
  crew(first: Int): [Person!]!
}
extend type Query {
  vesselsNearby: [Vessel!]!
}
directive @harbourOnly on FIELD_DEFINITION
union Moorable = Vessel | Pontoon
"""
SQL = """\
CREATE OR REPLACE FUNCTION ledger.settle_fees(account bigint) RETURNS numeric AS $$
  SELECT sum(id) FROM ledger."MooringFees"
$$;
create table if not exists ledger."MooringFees" (id bigint);
CREATE UNIQUE INDEX CONCURRENTLY idx_fees ON ledger."MooringFees" (id);
CREATE MATERIALIZED VIEW `fee_totals` AS SELECT 1;
-- CREATE TABLE nothing (id int);
SELECT * FROM fee_totals;
"""
SCSS = """\
$gap-wide: 2rem;
@mixin sticky-bar($top: 0) {
  top: $top;
}
%panel { margin: $gap-wide; }
.card { --tide-blue: #036; @include sticky-bar; }
@keyframes bob { from { top: 0; } }
"""
HASKELL = """\
data Flow = Ebb Int | Flood Int
class Show a => Drifting a where
  driftBy :: a -> Double -> a
(<+>) :: Flow -> Flow -> Flow
Ebb a <+> Ebb b = Ebb (a + b)
ebbRate :: Flow -> Double
ebbRate (Ebb n) = 1
"""
JULIA = """\
struct Swell{T<:Real}
    height::T
end
energy(s::Swell) = 0.5 * s.height^2
function fill!(s::Swell)
    energy(s) == 3
end
fill!(Swell(1))
"""
CASES = {
    "terraform": (
        TERRAFORM,
        "1 var.ledger_region, 5 local, 6 local.ledger_tags, 10 aws_s3_bucket.ledger_store, "
        "14 data.aws_iam_policy_document.reader, 15 module.tides, 16 output.ledger_arn",
    ),
    "protobuf": (
        PROTOBUF,
        "1 BerthRequest, 2 BerthRequest.vessel_name, 3 BerthRequest.unit, 4 BerthRequest.unit.metres, "
        "6 BerthRequest.Cargo, 7 BerthRequest.Cargo.crates, 10 Tide, 11 Pier, 12 Pier.ReserveBerth",
    ),
    "graphql": (
        GRAPHQL, "1 Vessel, 2 Vessel.id, 3 Vessel.crew, 5 Query, 6 Query.vesselsNearby, 8 harbourOnly, 9 Moorable"
    ),
    "sql": (SQL, "1 ledger.settle_fees, 4 ledger.MooringFees, 5 idx_fees, 6 fee_totals"),
    "scss": (SCSS, "1 $gap-wide, 2 sticky-bar, 5 %panel, 6 .card, 7 bob"),
    "haskell": (HASKELL, "1 Flow, 2 Drifting, 3 Drifting.driftBy, 4 <+>, 6 ebbRate"),
    "julia": (JULIA, "1 Swell, 4 energy, 5 fill!"),
}  # fmt: skip


@pytest.mark.parametrize("language", CASES)
def test_names_are_found_at_their_lines(language: str) -> None:
    text, names = CASES[language]
    found = definitions_by_line(text.split("\n"), language)
    symbols = [symbol for definition in found for symbol in definition.all_symbols]
    assert ", ".join(f"{symbol.line} {symbol.qualified}" for symbol in symbols) == names


@pytest.mark.parametrize("language", CASES)
def test_no_line_is_lost_or_twice_in_the_chunks(language: str) -> None:
    lines = CASES[language][0].split("\n")
    chunks = chunk_source(f"a.{language}", "\n".join(lines), language)
    covered = [line for chunk in chunks for line in range(chunk.at.first, chunk.at.last + 1)]  # type: ignore[union-attr]
    assert len(covered) == len(set(covered))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(covered)


def test_a_comment_above_a_definition_belongs_to_it() -> None:
    store = definitions_by_line(TERRAFORM.split("\n"), "terraform")[2]
    assert (store.first, store.last) == (9, 12)


def test_very_deep_nesting_is_text() -> None:
    """Each level would be a call in Python."""
    lines = [*(" " * depth + f"message M{depth} {{" for depth in range(3_000)), "}"]
    (top,) = definitions_by_line(lines, "protobuf")
    assert top.main.name == "M0"
    assert chunk_source("deep.proto", "\n".join(lines), "protobuf")


def test_a_language_without_rules_has_no_definitions() -> None:
    assert definitions_by_line(SQL.split("\n"), "cobol") == ()


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> CodeProject:
    code = CodeProject(tmp_path_factory.mktemp("code") / "site")
    uses = {
        "use.tf": "bucket = aws_s3_bucket.ledger_store.id\nregion = var.ledger_region\nname = var.ledger_region\n" * 4,
        "use.sql": 'SELECT ledger.settle_fees(1), settle_fees(2) FROM fee_totals, "MooringFees";\n' * 4,
        "use.ts": "export const pier = (p: Pier, b: BerthRequest): Tide => p.ReserveBerth(b).ReserveBerth(b);\n" * 4,
        "Use.hs": "total (x:xs) = x <+> total xs <+> x <+> x\nrate = ebbRate (Ebb 1) + ebbRate (Ebb 2)\n" * 4,
    }
    defined = {"main.tf": TERRAFORM, "schema.sql": SQL, "pier.proto": PROTOBUF, "Tide.hs": HASKELL}
    grow(code.root, {f"infra/{name}": text for name, text in {**uses, **defined}.items()})
    code.index()
    return code


@pytest.mark.parametrize(
    ("q", "file"),
    [
        ("ledger_region", "main.tf"), ("var.ledger_region", "main.tf"), ("aws_s3_bucket.ledger_store", "main.tf"),
        ("settle_fees", "schema.sql"), ("ledger.settle_fees", "schema.sql"), ("MooringFees", "schema.sql"),
        ("ReserveBerth", "pier.proto"), ("BerthRequest", "pier.proto"), ("Pier.ReserveBerth", "pier.proto"),
        ("ebbRate", "Tide.hs"), ("<+>", "Tide.hs"),
    ],
)  # fmt: skip
def test_a_definition_comes_before_its_uses(indexed: CodeProject, q: str, file: str) -> None:
    assert ask(indexed, q)[0].file == f"infra/{file}"


def test_an_operator_is_searched_by_its_qualified_name() -> None:
    assert "Tide.operator==" in symbols_in("Tide::operator==")

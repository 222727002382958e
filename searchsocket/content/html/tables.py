"""Tables: recognise data tables, and turn their cells into a Markdown grid."""

from dataclasses import dataclass

from searchsocket.content.html.tree import HEADINGS, Element

CELL, FIELD, ROW = "\x1d", "\x1e", "\x1f"  # the page's own control characters are already removed
_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")
_BLOCKS = ("p", "ul", "ol", "div", "center", "form")  # in a table of one row, these are columns of a page
_MAX_COLUMNS = 200
_MAX_FILL = 4  # limit for repeating merged cells, as a multiple of a table's cells


def prepare_table(table: Element) -> None:
    """Turn a layout table into plain blocks; keep a data table."""
    if table.get("role") in {"presentation", "none"} or _lays_out(table):
        for part in list(table.iter(*_PARTS)):
            if _owner(part) is table:
                part.tag = "div"
        table.tag = "div"


def _owner(part: Element) -> Element | None:
    return next(part.iterancestors("table"), None)


def _lays_out(table: Element) -> bool:
    rows = [row for row in table.iter("tr") if _owner(row) is table]
    widest = max((sum(1 for cell in row if cell.tag in {"td", "th"}) for row in rows), default=0)
    if widest <= 1:
        return True
    if next(table.iter("th"), None) is not None:
        return False
    if len(rows) == 1 and next(table.iterdescendants(*_BLOCKS), None) is not None:
        return True
    return any(True for _ in table.iterdescendants(*HEADINGS, "pre", "table", "dl"))


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as in the page."""

    text: str
    colspan: int
    rowspan: int
    header: bool


def encode_cell(text: str, colspan: str | None, rowspan: str | None, *, header: bool) -> str:
    """Encode a cell as text for the rule of the table around it."""
    return FIELD.join((text, str(_span(colspan)), str(_span(rowspan)), "h" if header else "d")) + CELL


def decode_rows(text: str) -> list[list[Cell]]:
    """Decode the rows of a table from encoded cells; text between them, such as a caption, is left out."""
    rows = []
    for line in text.split(ROW)[:-1]:
        cells = []
        for item in line.split(CELL)[:-1]:
            fields = item.split(FIELD)
            if len(fields) == 4:
                cells.append(Cell(fields[0], int(fields[1]), int(fields[2]), fields[3] == "h"))
        if cells:
            rows.append(cells)
    return rows


def expand(rows: list[list[Cell]]) -> list[list[str]]:
    """Return a rectangle of texts: a cell over several rows is repeated, over several columns followed by blanks."""
    limit = _MAX_FILL * sum(len(row) for row in rows) + 1000
    if all(cell.colspan == 1 == cell.rowspan for row in rows for cell in row):
        return _pad([[cell.text for cell in row[:_MAX_COLUMNS]] for row in rows], limit)
    filled = 0
    pending: dict[int, tuple[int, str]] = {}  # column -> rows still covered, text
    grid: list[list[str]] = []
    for row in rows:
        line: list[str] = []
        cells = iter(row)
        cell = next(cells, None)
        while (cell is not None or pending.keys() - range(len(line))) and len(line) < _MAX_COLUMNS:
            column = len(line)
            if column in pending:
                left, text = pending.pop(column)
                line.append(text)
                if left > 1 and filled < limit:
                    pending[column] = (left - 1, text)
                filled += 1
                continue
            if cell is None:
                line.append("")
                continue
            for offset in range(min(cell.colspan, _MAX_COLUMNS - column)):
                text = "" if offset else cell.text
                line.append(text)
                filled += 1
                if cell.rowspan > 1 and filled < limit:
                    pending[column + offset] = (cell.rowspan - 1, text)
                if filled >= limit:
                    break
            cell = next(cells, None)
        grid.append(line)
    return _pad(grid, limit)


def _pad(grid: list[list[str]], limit: int) -> list[list[str]]:
    width = max(map(len, grid), default=0)
    if width * len(grid) <= limit * 4:
        grid = [line + [""] * (width - len(line)) for line in grid]
    return grid


def as_markdown(rows: list[list[Cell]]) -> str:
    """A Markdown table; the header row is blank if the page has none."""
    grid = expand(rows)
    used = [
        column
        for column in range(max(map(len, grid), default=0))
        if any(line[column:] and line[column] for line in grid)
    ]
    if not used:
        return ""
    head = all(cell.header for cell in rows[0]) and len(rows) > 1
    lines = [_line([line[column] if column < len(line) else "" for column in used]) for line in grid]
    rule = _line(["---"] * len(used))
    return "\n".join([lines[0], rule, *lines[1:]] if head else [_line([""] * len(used)), rule, *lines])


def as_lines(rows: list[list[Cell]]) -> str:
    """One line of text per row, for `transform.preserve_tables = false`."""
    return "\n".join(", ".join(text for text in line if text) for line in expand(rows) if any(line))


def _line(texts: list[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _span(value: str | None) -> int:
    if not value:
        return 1
    text = value.strip()
    return min(int(text), 1000) if text.isdecimal() and len(text) < 6 and int(text) > 0 else 1

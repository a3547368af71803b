"""No sample of a legend is cut off: where the row is too long there are more rows."""

from __future__ import annotations

import pytest
from ladder_desktop.live.legend import BLOCKS, SPACE, Legend
from ladder_desktop.theme import Theme, load_theme


@pytest.fixture
def theme() -> Theme:
    return load_theme("light")


@pytest.mark.parametrize("width", [90, 150, 312, 400, 1000])
def test_every_sample_is_in_a_row_that_fits(qtbot, theme, width) -> None:
    legend = Legend(theme, BLOCKS)
    qtbot.addWidget(legend)
    widths, rows = legend._widths(), legend._rows(width)
    assert [place for row in rows for place in row] == list(range(len(BLOCKS)))
    assert all(len(row) == 1 or sum(widths[place] for place in row) - SPACE <= width for row in rows)
    assert legend.heightForWidth(width) == len(rows) * legend.minimumSizeHint().height()


def test_there_is_one_row_where_all_fit(qtbot, theme) -> None:
    legend = Legend(theme, BLOCKS)
    qtbot.addWidget(legend)
    assert len(legend._rows(legend.sizeHint().width())) == 1

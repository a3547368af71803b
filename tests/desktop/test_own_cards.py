"""A card kept in the lab, through the whole window: drilled, listed, found, undone; and the lab goes on."""

from __future__ import annotations

from ladder_content.model import Card, Expected
from ladder_desktop.app import Application
from ladder_desktop.study import Desk
from pytestqt.qtbot import QtBot

CARD = Card(
    id="prediction-batch",
    question="How many steps does the zebra batch need?",
    answer="Measured: 41 steps.",
    key_points=("41 steps",),
    follow_up="Why?",
    difficulty=2,
    tags=("prediction",),
    kind="numeric",
    expected=Expected(41.0, "steps", 0.25),
    lab="short-chats",
)
ITEM = "runtime-ladder/prediction-batch"


def keep(application: Application, qtbot: QtBot) -> None:
    application.keep_card("paging", CARD)
    qtbot.waitUntil(lambda: application.desk.own_cards.all() == application._own_cards, timeout=30_000)


def test_it_is_drilled_listed_and_found_and_the_lab_goes_on_with_its_run(application, qtbot):
    application.window.show_page("drill")
    application.window.show_page("live")
    lab = application.window.page("live")
    lab.head.say("Kept: the drill asks it again.", "good")
    keep(application, qtbot)
    renewed = application.window.page("live")
    assert renewed.live is lab.live
    assert renewed.head.message.text() == "Kept: the drill asks it again."
    assert application.window.current == "live"
    application.go("card:prediction-batch")
    drill = application.window.page("drill")
    assert drill.item.item_id == ITEM
    application.window.show_page("cards")
    listed = {entry.item_id for entry in application.window.page("cards")._entries}
    assert ITEM in listed
    assert any("zebra" in hit.title for hit in application.find("zebra", 5))
    assert ITEM in {state.item.item_id for state in application.desk.states()}


def test_undo_in_the_drill_takes_it_out_of_every_page(application, qtbot):
    keep(application, qtbot)
    application.go("card:prediction-batch")
    application.window.page("drill").undo()
    qtbot.waitUntil(lambda: not application._own_cards, timeout=30_000)
    assert ITEM not in application.window.page("drill")._cards
    assert not application.find("zebra", 5)


def test_it_is_there_at_the_next_start_and_a_card_of_no_study_here_stands_in_the_first(
    application, qtbot, tmp_path
):
    application.keep_card("a-study-of-another-pack", CARD)
    application.close()
    with Desk.open(tmp_path / "data") as desk:
        again = Application(tmp_path / "data", application._bare_pack, desk, application.theme)
        assert again.pack.studies[0].cards[-1] == CARD
        again.close()


def test_the_list_deletes_own_cards_only_and_undo_brings_them_back(application, qtbot):
    keep(application, qtbot)
    application.window.show_page("cards")
    page = application.window.page("cards")
    page.filter.setText("is:new study:paging")
    page.refilter()
    page.table.selectAll()
    page._select()
    assert not page.drop_action.isEnabled()
    page.filter.setText("is:own")
    page.refilter()
    page.table.selectAll()
    page._select()
    page.drop_action.trigger()
    qtbot.waitUntil(lambda: not application._own_cards, timeout=30_000)
    page = application.window.page("cards")
    assert ITEM not in {entry.item_id for entry in page._entries}
    page.undo()
    qtbot.waitUntil(lambda: bool(application._own_cards), timeout=30_000)
    assert ITEM in {entry.item_id for entry in application.window.page("cards")._entries}

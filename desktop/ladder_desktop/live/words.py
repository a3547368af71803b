"""What the live panel says in words, and which ink can be read on a colour."""

from __future__ import annotations

from ladder_engine.tracing.state import RunState, SequenceState, Step
from PySide6.QtGui import QColor, QFont

from ladder_desktop.live.batch_cells import fill
from ladder_desktop.live.canvas import red_green_blue
from ladder_desktop.theme import Theme

WAITS = {
    "no_free_blocks": "waits for free blocks",
    "token_budget": "waits for token budget",
    "max_num_seqs": "waits for a place in the batch",
    "static_batch": "waits until the whole batch is done",
    "decode_turn": "waits while others decode",
    "behind_earlier": "waits behind an earlier request",
    "behind_priority": "waits behind a more urgent request",
    "behind_fair": "waits behind a client that has been served less",
}
ENDS = {
    "stop": "finished",
    "length": "finished at max_tokens",
    "aborted": "aborted",
    "dropped": "dropped by the beam search",
}


SHORT = {
    "no_free_blocks": "waits: no free blocks",
    "token_budget": "waits: token budget",
    "max_num_seqs": "waits: batch is full",
    "static_batch": "waits: batch not done",
    "decode_turn": "waits: others decode",
    "behind_earlier": "waits behind others",
    "behind_priority": "waits behind urgent ones",
    "behind_fair": "waits for a fair turn",
}


def short_status(sequence: SequenceState) -> str:
    """Say the same as `status_words` in two or three words."""
    if sequence.status == "refused":
        return "refused"
    if sequence.finish_reason == "length":
        return "finished, length"
    if sequence.status == "preempted" and sequence.wait_reason is not None:
        return SHORT[sequence.wait_reason].replace("waits", "preempted", 1)
    if sequence.wait_reason is not None:
        return SHORT[sequence.wait_reason]
    return status_words(sequence)


def status_words(sequence: SequenceState) -> str:
    """Say where a request stands: "waits for free blocks", "decoding", "refused: …"."""
    match sequence.status:
        case "finished":
            return ENDS[sequence.finish_reason or "stop"]
        case "refused":
            return f"refused: {sequence.refusal}"
        case "running":
            return "decoding" if sequence.num_computed_tokens >= sequence.num_tokens - 1 else "prefilling"
        case "preempted":
            why = WAITS[sequence.wait_reason] if sequence.wait_reason else "waits"
            return f"preempted, {why}"
        case _:
            return WAITS[sequence.wait_reason] if sequence.wait_reason else "has arrived"


def step_words(state: RunState, number: int, seq_id: int | None) -> str:
    """Say what a step did, for one request or altogether."""
    step = state.steps[number - 1]
    if seq_id is None:
        took = seconds(step.schedule_s + step.execute_s + step.commit_s)
        budget = f", of a budget of {state.config.max_num_batched_tokens}" if state.config else ""
        return f"Step {number}: {_filled(step)}{budget}; {len(step.waiting)} waiting, {step.num_free_blocks} blocks free, {took}"
    parts = [
        f"{work.kind} of {work.num_tokens} token{'s' * (work.num_tokens != 1)} from position {work.start}"
        + (
            f", {work.num_draft_tokens} drafted and {work.num_accepted_tokens} accepted"
            if work.num_draft_tokens
            else ""
        )
        for work in step.work
        if work.seq_id == seq_id
    ]
    parts += [
        word for word, ids in (("preempted", step.preempted), ("finished", step.finished)) if seq_id in ids
    ]
    if not parts:
        parts = ["waiting" if seq_id in step.waiting else "not here"]
    return f"Step {number}, {state.sequences[seq_id].name}: {', '.join(parts)}"


def _filled(step: Step) -> str:
    """What filled the token budget of a step."""
    decoded, accepted, rejected, prefilled = fill(step)
    drafts = (
        f", {accepted} drafted and accepted, {rejected} drafted and rejected" if accepted + rejected else ""
    )
    return f"{prefilled} tokens prefilled, {decoded} decoded{drafts}"


def seconds(value: float | None) -> str:
    """Write a measured time with steady digits: "412 ms", "1.24 s"; "–" when there is none."""
    if value is None:
        return "–"
    return f"{value * 1000:.0f} ms" if value < 0.9995 else f"{value:.2f} s"


def readable_on(colour: QColor, theme: Theme) -> QColor:
    """Return whichever of the theme's inks has more contrast on a colour."""
    inks = [theme.colour("text"), theme.colour("surface")]
    return max(inks, key=lambda ink: contrast(ink, colour))


def contrast(a: QColor, b: QColor) -> float:
    """Return the WCAG 2 contrast ratio of two colours, 1 to 21."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in red_green_blue(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def steady_font(font: QFont) -> QFont:
    """Return the font with figures of equal width, so that nothing moves when a number changes."""
    steady = QFont(font)
    steady.setFeature(QFont.Tag("tnum"), 1)
    return steady

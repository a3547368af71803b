"""Do the programs of a pack run in the sealed interpreter, and give what they promise? For authors; no Qt."""

from __future__ import annotations

from ladder_content.model import Pack

from ladder_desktop.lessons.sandbox import Ending, Sandbox, Switch


def snippet_faults(pack: Pack) -> list[str]:
    """Run every snippet with its vectors; return one line for each that ends badly or gives another result."""
    faults: list[str] = []
    sandbox = Sandbox()
    try:
        for study in pack.studies:
            for snippet in study.snippets:
                outcome = sandbox.run(snippet.code, Switch(), snippet.vectors)
                if outcome.ending is not Ending.FINISHED:
                    faults.append(f"snippet {snippet.id}: {outcome.sentence}")
                faults += [
                    f"snippet {snippet.id}: {one.vector.call} gives {one.got}, not {one.vector.expected}"
                    for one in outcome.checked
                    if not one.right
                ]
    finally:
        sandbox.close()
    return faults

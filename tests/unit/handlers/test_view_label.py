"""The answer's footer says whose view it was given in."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.model import Completion, View
from handlers.render import final as render_final
from handlers.render import view_label
from tests.unit.handlers.samples import final


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"view": View.EVERYONE_HERE, "channel": "C1"}, "from what everyone in <#C1> can open"),
        ({"view": View.EVERYONE_HERE}, "from what everyone in this conversation can open"),
        ({"view": View.ALONE}, "from what you can open"),
        ({"view": View.OWN_FILES, "channel": "C1"}, "from the files shared in <#C1> alone"),
        ({"view": View.EVERYONE_HERE, "channel": "C1", "language": "zh"}, "依据 <#C1> 里每个人都能打开的内容"),
        ({"view": View.ALONE, "language": "zh"}, "依据你能打开的内容"),
        (
            {"view": View.EVERYONE_HERE, "channel": "C1", "completion": Completion.NOTHING_FOUND},
            "I looked in what everyone in <#C1> can open",
        ),
    ],
)
def test_the_view_in_words(changes: dict[str, Any], said: str) -> None:
    event = final("Five years [1].", 1, **changes)
    assert view_label(event) == said
    footer = render_final(event)[-1].blocks[-1]
    assert footer["elements"][1] == {"type": "mrkdwn", "text": said}


def test_where_no_files_were_looked_at_nothing_is_said_of_them() -> None:
    event = final("Hello!", evidence=None, completion=Completion.REFUSED)
    assert view_label(event) is None
    assert len(render_final(event)[-1].blocks[-1]["elements"]) == 1


def test_the_channel_can_be_called_by_name_where_slack_does_not() -> None:
    event = final("Five years [1].", 1, view=View.EVERYONE_HERE, channel="C1")
    assert view_label(event, place="#sales") == "from what everyone in #sales can open"

"""Generated workspaces: people of every kind, places of every kind, and questions that several files answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from bot.evaluation.permissions.markers import Markers
from bot.sandbox.model import ConversationKind
from bot.sandbox.state import Workspace

ELSEWHERE = "T09ELSEWHERE"
"""The home of people from another workspace."""

THINGS = (
    ("kiln", "窑炉"),
    ("boiler", "锅炉"),
    ("warehouse", "仓库"),
    ("canteen", "食堂"),
    ("showroom", "展厅"),
    ("laboratory", "实验室"),
    ("delivery van", "送货车"),
    ("parking garage", "停车库"),
    ("printing press", "印刷机"),
    ("server room", "机房"),
    ("paint workshop", "喷漆车间"),
    ("training centre", "培训中心"),
)
ASPECTS = (
    ("door code", "门禁密码"),
    ("emergency contact", "紧急联系人"),
    ("maintenance company", "维保公司"),
    ("insurance number", "保险单号"),
    ("spare key holder", "备用钥匙保管人"),
    ("colour of the seal", "封条颜色"),
)
TOWNS = ("Lisbon", "Bremen", "Turin", "Lyon", "Graz", "Porto")


@dataclass(frozen=True, slots=True)
class Topic:
    """Something to ask about; several files answer it, some better than others."""

    question: str
    thing: str
    aspect: str
    language: str

    def sentences(self, markers: list[str], *, manner: int) -> list[str]:
        """What a file says of it, the best manner first; each sentence carries a marker."""
        answer, second, third = markers
        if self.language == "zh":
            first = (
                f"{self.thing}的{self.aspect}是 {answer}。",
                f"关于{self.thing}：去年登记的{self.aspect}为 {answer}，以通知为准。",
                f"据{self.thing}管理员说，{self.aspect}一般写作 {answer}。",
            )[manner]
            return [first, f"这条记录由 {second} 负责更新。", f"如有疑问请找 {third}。"]
        first = (
            f"The {self.aspect} of the {self.thing} is {answer}.",
            f"For the {self.thing} an older list gives {answer} as its {self.aspect}.",
            f"People who run the {self.thing} usually write {answer} when asked for the {self.aspect}.",
        )[manner]
        return [first, f"This entry is kept up to date by {second}.", f"Questions about it go to {third}."]


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody is going to share, in numbers as those of a step: who, where, and what in which manner."""

    by: int
    place: int
    what: int


@dataclass(frozen=True, slots=True)
class Blueprint:
    """What a workspace starts with."""

    topics: tuple[Topic, ...]
    uploads: tuple[Upload, ...]


def blueprint(random: Random, *, topics: int, files: int) -> Blueprint:
    """Topics, and the files that answer them."""
    pairs = random.sample([(thing, aspect) for thing in THINGS for aspect in ASPECTS], topics)
    chosen = tuple(_topic(random, *pair) for pair in pairs)
    uploads = tuple(
        Upload(random.randrange(10**6), random.randrange(10**6), number % topics + topics * random.choice((0, 0, 1, 2)))
        for number in range(files)
    )
    return Blueprint(chosen, uploads)


def _topic(random: Random, thing: tuple[str, str], aspect: tuple[str, str]) -> Topic:
    if random.random() < 0.3:
        return Topic(f"{thing[1]}的{aspect[1]}是什么？", thing[1], aspect[1], "zh")
    town = random.choice(TOWNS)
    return Topic(f"What is the {aspect[0]} of the {town} {thing[0]}?", f"{town} {thing[0]}", aspect[0], "en")


def settle_in(workspace: Workspace, random: Random, *, members: int) -> None:
    """People, about ``members`` of them full members, and conversations. Nobody is told of them: they were there before
    the app came."""
    full = [_person(workspace, f"full{number}") for number in range(random.randint(members - 1, members + 1))]
    guests = [_person(workspace, f"guest{number}", is_guest=True) for number in range(random.randint(1, 2))]
    strangers = [_person(workspace, "stranger", team=ELSEWHERE, is_stranger=True)]
    strangers += [_person(workspace, "foreigner", team=ELSEWHERE)] if random.random() < 0.5 else []
    gone = _person(workspace, "gone")
    workspace.save_person(replace(workspace.people[gone], deleted=True))
    robot = _person(workspace, "robot")
    workspace.save_person(replace(workspace.people[robot], is_bot=True))

    def some(least: int, *others: str) -> list[str]:
        return [*random.sample(full, random.randint(least, len(full) - 1)), *others]

    _place(workspace, "public", "general", [*full, gone, robot, *random.sample(guests, random.randint(0, 1))])
    _place(workspace, "public", "projects", some(2))
    _place(workspace, "public", "visitors", some(2, guests[0]))
    _place(workspace, "private", "board", some(2, gone))
    _place(workspace, "private", "office", some(2, robot))
    _place(workspace, "private", "with-guest", some(2, guests[-1]))
    _place(workspace, "private" if random.random() < 0.6 else "public", "partners", some(2, *strangers), shared=True)
    _place(workspace, "group_dm", "", random.sample(full, 3))
    _place(workspace, "public", "elsewhere", some(2), with_bot=False)


def _person(
    workspace: Workspace, name: str, *, team: str | None = None, is_guest: bool = False, is_stranger: bool = False
) -> str:
    return workspace.add_person(name, real_name=name, team=team, is_guest=is_guest, is_stranger=is_stranger).id


def _place(
    workspace: Workspace,
    kind: ConversationKind,
    name: str,
    members: list[str],
    *,
    shared: bool = False,
    with_bot: bool = True,
) -> None:
    everybody = (*members, workspace.app.user) if with_bot else tuple(members)
    made = workspace.add_conversation(kind, name=name, members=everybody)
    if shared:
        workspace.save_conversation(replace(made, is_shared=True, connected_teams=(ELSEWHERE,)))


def text_of(topic: Topic, markers: Markers, *, manner: int) -> tuple[str, str, list[str]]:
    """A file about a topic: its text, the marker of its title, and those of its sentences."""
    title, *words = (markers.new() for _ in range(4))
    heading = f"# {topic.thing} {title}"
    return f"{heading}\n\n{' '.join(topic.sentences(words, manner=manner))}\n", title, words

"""The sentences that a run itself says, English and Chinese side by side."""

from __future__ import annotations

from typing import Final

from bot.agent.model import Language, SourceKind
from permissions.model import ScopeLimit, TroubleKind
from permissions.roles import AskRefusal

TextByLanguage = dict[Language, str]

INTRO: Final[TextByLanguage] = {
    "en": "This is what the documents say:",
    "zh": "资料里是这样写的：",
}
NOTHING_FOUND: Final[TextByLanguage] = {
    "en": "I found nothing about this in what everyone here may see. In a direct message I look in all that you may "
    "see.",
    "zh": "在这里每个人都能看到的资料中，没有找到相关内容。私信问我时，我会查找你能看到的全部资料。",
}
NOTHING_FOUND_HERE: Final[TextByLanguage] = {
    "en": "I found nothing about this in what everyone here may see. If somebody has a file about it, ask them to "
    "share it here.",
    "zh": "在这里每个人都能看到的资料中，没有找到相关内容。如果有人有这方面的文件，请让对方分享到这里。",
}
NOTHING_FOUND_ALONE: Final[TextByLanguage] = {
    "en": "I found nothing about this in what you may see. If somebody has a file about it, ask them to share it where "
    "you and I can see it.",
    "zh": "在你能看到的资料中，没有找到相关内容。如果有人有这方面的文件，请让对方分享到你我都能看到的地方。",
}
WELCOME: Final[TextByLanguage] = {
    "en": "Gladly! Ask me whenever there is more.",
    "zh": "不客气！有问题随时问我。",
}
HOW_TO: Final[TextByLanguage] = {
    "en": "Hello! Ask me something about the files that were shared here, for example: "
    "“How many days of annual leave do we have?” Several questions in one message are fine, and so is a voice note. "
    "To teach me something, share a file in a channel I am in.",
    "zh": "你好！可以问我这里共享过的文件里的内容，例如：“卫生间防水保修几年？”一条消息里可以问几个问题，也可以发语音。"
    "想让我了解新的内容，把文件发到我所在的频道即可。",
}
NOTHING_HEARD: Final[TextByLanguage] = {
    "en": "I could not hear any words in this recording. Please record it again, or write the question.",
    "zh": "这段录音里没有听到说话声。请再录一次，或者直接打字提问。",
}
CLIP_UNREADABLE: Final[TextByLanguage] = {
    "en": "I could not read this recording. Please record it again, or write the question.",
    "zh": "无法读取这段录音。请重新录一次，或者直接打字提问。",
}
CUT: Final[TextByLanguage] = {
    "en": "The message was very long: only its first {count} characters were read. Please ask the rest separately.",
    "zh": "消息太长，只读了前 {count} 个字。其余的问题请另发一条。",
}
DEGRADED: Final[TextByLanguage] = {
    "en": "A part of the search was not available just now, so something may be missing. Asking again later may help.",
    "zh": "部分检索刚才不可用，结果可能不全。稍后再问一次也许能找到更多。",
}
BEING_READ: Final[TextByLanguage] = {
    "en": "I am still reading files here ({count}). Asking again in a minute may find more.",
    "zh": "这里还有 {count} 个文件正在读取，过一会儿再问也许能找到更多。",
}
OTHER_LANGUAGE: Final[TextByLanguage] = {
    "en": "Some files here are in Chinese. I find things best in the language that they are written in: "
    "asking in Chinese may find more.",
    "zh": "这里有些文件是英文的。用文件本身的语言提问更容易找到：不妨用英文再问一次。",
}
TIMED_OUT: Final[TextByLanguage] = {
    "en": "This took too long and was stopped. Please try again.",
    "zh": "处理时间过长，已停止。请再试一次。",
}
BROKEN: Final[TextByLanguage] = {
    "en": "Something went wrong on my side and this question was not answered. Please try again.",
    "zh": "我这边出了问题，这个问题没有回答成。请再试一次。",
}
INTERRUPTED: Final[TextByLanguage] = {
    "en": "I was restarted while working on this question. Please try again.",
    "zh": "处理这个问题时我被重新启动了。请再试一次。",
}

LIMITS: Final[dict[ScopeLimit, TextByLanguage]] = {
    ScopeLimit.OUTSIDERS_PRESENT: {
        "en": "Guests or people from outside can read this channel, so I used only files shared in it. "
        "In a direct message I look in all that you may see.",
        "zh": "这个频道里有访客或外部人员，所以只用了在本频道共享的文件。私信问我时，我会查找你能看到的全部资料。",
    },
    ScopeLimit.MEMBERSHIP_UNKNOWN: {
        "en": "I could not confirm who can read this conversation, so I searched fewer files. "
        "Asking again later may help.",
        "zh": "暂时无法确认谁能看到这个会话，所以缩小了查找范围。稍后可以再问一次。",
    },
    ScopeLimit.ASKER_UNKNOWN: {
        "en": "I could not confirm your membership in this workspace, so I searched no files. "
        "Asking again later may help.",
        "zh": "暂时无法确认你在本工作区的身份，所以没有查找任何文件。稍后可以再问一次。",
    },
    ScopeLimit.NOT_A_MEMBER: {
        "en": "You are not a member of this conversation, so I searched no files for it. Join it, or ask somebody "
        "there to invite you.",
        "zh": "你不是这个会话的成员，所以没有为它查找文件。请先加入，或请其中的人邀请你。",
    },
}

TROUBLES: Final[dict[TroubleKind, TextByLanguage]] = {
    TroubleKind.SILENT: {
        "en": "Slack did not tell me in time who is here. If this goes on, an administrator can run `haitang doctor`.",
        "zh": "Slack 没有及时告诉我这里有哪些人。如果一直这样，请管理员运行 `haitang doctor`。",
    },
    TroubleKind.RATE_LIMITED: {
        "en": "Slack limits how often I may look who is here; in a few minutes it will let me again.",
        "zh": "Slack 限制了我查询成员的频率，过几分钟就会恢复。",
    },
    TroubleKind.MISSING_SCOPE: {
        "en": "Slack does not let me see who is here: my app lacks the permission `{detail}`. An administrator can "
        "add it (`haitang manifest` has them all) and install the app again.",
        "zh": "Slack 不让我查看这里有哪些人：应用缺少权限 `{detail}`。请管理员添加（`haitang manifest` 列出了全部权限）"
        "并重新安装应用。",
    },
    TroubleKind.NOT_INSTALLED: {
        "en": "Slack does not accept my token any more. An administrator can install the app again.",
        "zh": "Slack 不再接受我的令牌。请管理员重新安装应用。",
    },
    TroubleKind.NO_GROUPS: {
        "en": "This workspace's plan has no user groups.",
        "zh": "这个工作区的套餐不包含用户组。",
    },
    TroubleKind.ENDLESS: {
        "en": "Slack's list of members had no end. If this goes on, an administrator can run `haitang doctor`.",
        "zh": "Slack 给出的成员名单没有结尾。如果一直这样，请管理员运行 `haitang doctor`。",
    },
    TroubleKind.REFUSED: {
        "en": "Slack refused to tell me who is here (`{detail}`). An administrator can run `haitang doctor`.",
        "zh": "Slack 拒绝告诉我这里有哪些人（`{detail}`）。请管理员运行 `haitang doctor`。",
    },
}

MAY_NOT_ASK: Final[dict[AskRefusal, TextByLanguage]] = {
    AskRefusal.GUEST_NOWHERE: {
        "en": "Guests can't ask me in this workspace. Please let a full member ask for you; an administrator "
        "of mine can also allow it.",
        "zh": "在这个工作区里，访客不能向我提问。请让正式成员代为提问；我的管理员也可以开放。",
    },
    AskRefusal.GUEST_NOT_HERE: {
        "en": "Guests can ask me in the channels that they are in, but not in direct messages. Please ask in a "
        "channel; an administrator of mine can also allow it here.",
        "zh": "访客可以在自己所在的频道里向我提问，但不能私信提问。请到频道里问；我的管理员也可以开放私信。",
    },
    AskRefusal.OUTSIDER_NOWHERE: {
        "en": "People from other workspaces can't ask me. Please let somebody of this workspace ask for you; an "
        "administrator of mine can also allow it.",
        "zh": "其他工作区的人不能向我提问。请让本工作区的成员代为提问；我的管理员也可以开放。",
    },
    AskRefusal.OUTSIDER_NOT_HERE: {
        "en": "People from other workspaces can ask me in the channels that we share, but not in direct messages. "
        "Please ask in a channel.",
        "zh": "其他工作区的人可以在共享频道里向我提问，但不能私信提问。请到频道里问。",
    },
}

SOURCE_NAMES: Final[dict[SourceKind, TextByLanguage]] = {
    SourceKind.VIDEO: {"en": "Video", "zh": "视频"},
    SourceKind.AUDIO: {"en": "Recording", "zh": "录音"},
    SourceKind.IMAGE: {"en": "Picture", "zh": "图片"},
    SourceKind.PAGES: {"en": "PDF", "zh": "PDF"},
    SourceKind.SHEET: {"en": "Spreadsheet", "zh": "表格"},
    SourceKind.SLIDES: {"en": "Slides", "zh": "幻灯片"},
}


def in_both(text: TextByLanguage, first: Language) -> str:
    """For whoever has not shown a language yet."""
    return "\n\n".join(text[language] for language in (("zh", "en") if first == "zh" else ("en", "zh")))

"""What people read about their files and in App Home, English and Chinese side by side."""

from __future__ import annotations

from handlers.texts import Counted, Sentence

# Who can see a file.
WHO_CAN_SEE = Sentence("Who can see this?", "谁能看到？")
LOOKING = Sentence("One moment…", "请稍候……")
UNTITLED = Sentence("A file that is not open to you any more", "一个你已不能打开的文件")
SEEN_BY_MEMBERS = Sentence("every full member of this workspace", "本工作区的全部正式成员")
SEEN_IN_CHANNEL = Sentence("everyone in <#{id}>", "<#{id}> 里的每个人")
SEEN_IN_GROUP_DM = Sentence("everyone in a group message that you are in", "你所在的一个群聊里的每个人")
SEEN_BY_GROUP = Sentence("the members of the user group <!subteam^{id}>", "用户组 <!subteam^{id}> 的成员")
SEEN_BY_PERSON = Sentence("<@{id}>", "<@{id}>")
PEOPLE = Counted(" ({n} person)", " ({n} people)", "（{n} 人）")
SEEN_ELSEWHERE = Sentence("and people in other places that you can't see", "以及你看不到的其他地方的人")
SEEN_ELSEWHERE_ONLY = Sentence("people in places that you can't see", "你看不到的地方的人")
SEEN_BY_NOBODY = Sentence(
    "Nobody at the moment: I know of no place where it is shared.", "目前没有人：我不知道它分享在哪里。"
)
WHO_EXPLAINED = Sentence(
    "Whoever can see it in Slack can get answers from it. Administrators also see what it is called, but not what it "
    "says. To change who can see it, share it elsewhere or take it out of a channel.",
    "能在 Slack 里看到它的人，都能得到依据它的回答。管理员还能看到它的名称，但看不到内容。"
    "要改变谁能看到，请把它分享到别处，或从频道里移除。",
)
FILE_NOT_YOURS = Sentence(
    "This file is not open to you, so I can't tell you more. Ask whoever shared it.",
    "这个文件没有对你开放，所以不能告诉你更多。请问分享它的人。",
)
FILE_UNKNOWN = Sentence(
    "I know nothing of this file (any more). Share it where I am to have it learned.",
    "我不知道这个文件（或已不再知道）。要让我学习，请分享到我所在的地方。",
)
NO_FILE_HERE = Sentence(
    "I have learned no file from this message. Share a file where I am to have it learned.",
    "我没有从这条消息学习任何文件。要让我学习，请把文件分享到我所在的地方。",
)
FORGET = Sentence("Forget this file", "忘掉这个文件")
FORGET_SURE = Sentence(
    "I will delete all that I learned from it, and take back the answers that quote it. This can't be undone. The "
    "file itself stays in Slack; if somebody shares it again, I learn it again.",
    "我会删除从中学到的全部内容，并撤回引用它的回答。此操作无法撤销。"
    "文件本身仍留在 Slack；如果有人再次分享，我会重新学习。",
)
FORGET_YES = Sentence("Forget it", "忘掉")
FORGET_NO = Sentence("Keep it", "保留")
FORGOTTEN = Sentence(
    "Forgotten: nobody gets answers from this file any more.", "已忘掉：不再有人能得到依据这个文件的回答。"
)

# App Home. Each role's sentence says what it may, and how to get further.
HOME_TITLE = Sentence("Answers from your company's files", "依据公司文件回答问题")
HOME_WHAT = Sentence(
    "Ask me in a channel that I am in, or write to me directly. In a channel I use only what everyone there can open; "
    "in a direct message, what you can open. Every answer names its sources.",
    "可以在我所在的频道里问我，也可以直接发消息给我。在频道里，我只用那里每个人都能打开的内容；"
    "私信时，只用你能打开的内容。每个回答都注明来源。",
)
HOME_ROLE = Sentence("What you may do", "你可以做什么")
ROLES = {
    "reader": Sentence(
        "You are a reader. Files that you share are not learned; an administrator of mine can make you a contributor.",
        "你是读者。你分享的文件不会被学习；我的管理员可以把你设为贡献者。",
    ),
    "contributor": Sentence(
        "You are a contributor: you may ask, and I learn the files that you share where I am. You look after your own "
        "files and may have them forgotten.",
        "你是贡献者：可以提问；你在我所在的地方分享的文件，我都会学习。你管理自己的文件，可以让我忘掉它们。",
    ),
    "curator": Sentence(
        "You are a curator: besides asking and sharing files, you look after all files that are open to you, and may "
        "have them forgotten.",
        "你是资料管理员：除了提问和分享文件，你还管理对你开放的全部文件，可以让我忘掉它们。",
    ),
    "administrator": Sentence(
        "You are an administrator: you see which files I have learned and who did what, and may have any file "
        "forgotten. What a file says is open to you only where it is shared with you.",
        "你是管理员：可以看到我学习了哪些文件、谁做了什么，也可以让我忘掉任何文件。文件的内容，只有分享给你的你才能看。",
    ),
}
HOME_ALL_FILES = Sentence("All files that I know:", "我知道的全部文件：")
HOME_COMMANDS = Sentence(
    "On the machine that I run on, “haitang documents list --as {person}” lists them, and “haitang audit export "
    "--as {person}” gives the audit trail.",
    "在运行我的机器上，“haitang documents list --as {person}”列出全部文件，"
    "“haitang audit export --as {person}”导出审计记录。",
)
HOME_FILES = Sentence("Files that you look after", "你管理的文件")
HOME_NONE = Sentence("None.", "没有。")
HOME_NO_FILES = Sentence("None yet. Share a file where I am.", "还没有。把文件分享到我所在的地方即可。")
HOME_NO_MORE = Sentence("No more files here.", "这里没有更多文件。")
STATE_WAITING = Sentence("waiting to be read", "等待读取")
STATE_READING = Sentence("being read", "正在读取")
STATE_READY = Sentence("ready", "已就绪")
STATE_FAILED = Sentence("could not be read", "无法读取")
NEWER = Sentence("Newer", "较新的")
OLDER = Sentence("Older", "较早的")

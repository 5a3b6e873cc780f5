"""Every sentence that people see, English and Chinese side by side."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.model import View


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in both languages, with the same ``{names}`` in each."""

    en: str
    zh: str

    def __call__(self, language: str, **values: object) -> str:
        return (self.zh if language == "zh" else self.en).format(**values)


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of things, with English's singular."""

    one: str
    many: str
    zh: str

    def __call__(self, language: str, n: int) -> str:
        return (self.zh if language == "zh" else self.one if n == 1 else self.many).format(n=n)


# What a run is doing.
RECEIVED = Sentence("Got your question, starting…", "已收到你的问题，马上开始…")
TRANSCRIBING = Sentence("Listening to your voice message…", "正在听你的语音…")
UNDERSTANDING = Sentence("Working out what you are asking…", "正在理解你的问题…")
SEARCHING = Sentence("Searching the files that everyone here may see…", "正在查找这里每个人都能看的文件…")
SEARCHING_FOR = Sentence("Searching for “{detail}”…", "正在查找“{detail}”…")
CHECKING = Sentence("Checking what was found…", "正在核对找到的内容…")
WRITING = Sentence("Writing the answer…", "正在写答案…")
HEARD = Sentence("I heard: “{text}”", "我听到的是：“{text}”")

# How a run ended.
ANSWERED = Counted("Answered from {n} source", "Answered from {n} sources", "已回答，依据 {n} 处来源")
ANSWERED_PLAINLY = Sentence("Answered", "已回答")
VIEWS = {
    View.ALONE: Sentence("from what you can open", "依据你能打开的内容"),
    View.EVERYONE_HERE: Sentence("from what everyone in {place} can open", "依据{place}里每个人都能打开的内容"),
    View.OWN_FILES: Sentence("from the files shared in {place} alone", "只依据在{place}里分享的文件"),
}
LOOKED_IN = {
    View.ALONE: Sentence("I looked in what you can open", "查找范围：你能打开的内容"),
    View.EVERYONE_HERE: Sentence(
        "I looked in what everyone in {place} can open", "查找范围：{place}里每个人都能打开的内容"
    ),
    View.OWN_FILES: Sentence("I looked in the files shared in {place} alone", "查找范围：只有在{place}里分享的文件"),
}
THIS_CONVERSATION = Sentence("this conversation", "这个会话")
PARTIAL = Sentence("Partly answered: see above what is missing", "部分回答：缺少的内容见上")
NOTHING_FOUND = Sentence("Nothing found", "没有找到")
REFUSED = Sentence("Not answered", "未回答")
CANCELLED = Sentence("Stopped", "已停止")
FAILED = Sentence("Failed", "失败")
NOTHING_FOUND_TEXT = Sentence(
    "I found nothing about this in what everyone here may see.", "在这里每个人都能看的内容里，我没有找到相关信息。"
)
REFUSED_TEXT = Sentence("I can't answer this.", "这个问题我无法回答。")
CANCELLED_TEXT = Sentence("This question was stopped.", "这个问题已停止处理。")
FAILED_TEXT = Sentence(
    "Something went wrong and there is no answer. Please try again.", "出了点问题，没有得到答案。请再试一次。"
)
LEFT_BEFORE_END = Sentence(
    "The answer broke off. Please try again; if it happens again, tell your administrator.",
    "回答中断了。请再试一次；如果再次发生，请告诉管理员。",
)
GAPS = Sentence("Not answered:", "没有答到的部分：")
MORE_GAPS = Counted("… and {n} more", "… and {n} more", "……另有 {n} 项")
CONTINUED = Sentence("Continued below ({part}/{parts})", "下面继续（{part}/{parts}）")
DRAFT_CUT = Sentence("… (the whole answer follows when it is finished)", "……（写完后会给出全文）")

# What becomes of an answer later.
WITHDRAWN = Sentence(
    "This answer was withdrawn: not everyone here may see its sources any more, or a source was deleted. Ask again to "
    "get an answer from what everyone here may see today.",
    "这个回答已撤回：并非这里每个人都还能看它的来源，或者来源已被删除。重新提问即可得到依据今天这里人人可看内容的回答。",
)
WITHDRAWN_ALONE = Sentence(
    "This answer was withdrawn: you may not see its sources any more, or a source was deleted. Ask again to get an "
    "answer from what you may see today.",
    "这个回答已撤回：你已不能再看它的来源，或者来源已被删除。重新提问即可得到依据今天你能看到的内容的回答。",
)
NEWER_VERSION = Sentence(
    "A newer version of “{title}” has been published since; it may say otherwise.",
    "“{title}”在此之后有了新版本，内容可能已有变化。",
)

# Buttons.
STOP = Sentence("Stop", "停止")
TRY_AGAIN = Sentence("Try again", "再试一次")
ASK_AGAIN = Sentence("Ask again", "重新提问")
ANSWER_PRIVATELY = Sentence("Answer privately", "私下回答")
MORE_FOR_YOU = Sentence(
    "I can answer this more fully for you alone, in a direct message: you may read more than everyone here may.",
    "我可以私信给你更完整的回答：你能看到的内容比这里所有人都能看的更多。",
)
ASKED_IN = Sentence("You asked in {place}. This answer is for you alone:", "你在{place}的提问，以下回答只给你一个人：")
NOT_TO_ANSWER_PRIVATELY = Sentence(
    "This was asked by somebody else, or I have answered it in your direct messages already. Ask me there yourself.",
    "这是别人提的问题，或我已经在私信里回答过你。请直接在私信里问我。",
)
OPEN = Sentence("Open", "打开")
OPEN_FILE = Sentence("Open the file", "打开文件")
CLOSE = Sentence("Close", "关闭")

# Citations.
SOURCES = Sentence("Sources", "来源")
VERSION = Sentence("version {number}", "第 {number} 版")
SUPERSEDED = Sentence(
    "A newer version exists; this is what the answer was based on.", "已有新版本；回答依据的是这一版。"
)
SOURCE_TITLE = Sentence("Source [{number}]", "来源 [{number}]")
OPENING = Sentence("Opening the source…", "正在打开来源…")
READ_BY_OCR = Sentence("read from a picture", "由图片识别")
READ_BY_SPEECH = Sentence("heard in speech", "由语音识别")
READ_BY_VISION = Sentence("seen by a model, unconfirmed", "由模型看图得出，未经证实")
REFUSED_NOT_ALLOWED = Sentence(
    "You can't open this source: it is not shared with you. Ask whoever shared it to give you access.",
    "你不能打开这个来源：它没有分享给你。请让分享它的人给你权限。",
)
REFUSED_DELETED = Sentence(
    "This source has been deleted and can't be opened any more. Ask again to get an answer from today's files.",
    "这个来源已被删除，不能再打开。重新提问即可得到依据现有文件的回答。",
)
REFUSED_UNKNOWN = Sentence(
    "This source is not known any more. Ask again to get an answer from today's files.",
    "已找不到这个来源。重新提问即可得到依据现有文件的回答。",
)
OPENING_FAILED = Sentence(
    "The source could not be opened just now. Close this and try again in a moment.",
    "暂时打不开这个来源。请关闭后稍等片刻再试。",
)

# Places in a file.
PAGE = Sentence("page {page}", "第 {page} 页")
SLIDE = Sentence("slide {slide}", "第 {slide} 张幻灯片")
SHEET = Sentence("sheet “{sheet}”", "工作表“{sheet}”")
SHEET_CELLS = Sentence("sheet “{sheet}”, {cells}", "工作表“{sheet}” {cells}")
CELLS = Sentence("cells {cells}", "单元格 {cells}")
LINES = Sentence("lines {first}–{last}", "第 {first}–{last} 行")
LINE = Sentence("line {first}", "第 {first} 行")

# Ages.
JUST_NOW = Sentence("just now", "刚刚")
MINUTES_AGO = Counted("{n} minute ago", "{n} minutes ago", "{n} 分钟前")
HOURS_AGO = Counted("{n} hour ago", "{n} hours ago", "{n} 小时前")
DAYS_AGO = Counted("{n} day ago", "{n} days ago", "{n} 天前")
MONTHS_AGO = Counted("{n} month ago", "{n} months ago", "{n} 个月前")
YEARS_AGO = Counted("{n} year ago", "{n} years ago", "{n} 年前")

# Answers to clicks.
NOT_YOURS_TO_STOP = Sentence(
    "This can't be stopped: it has ended, or somebody else asked it.", "无法停止：它已结束，或是别人提的问题。"
)
NOT_YOURS_TO_RETRY = Sentence(
    "This can't be tried again: it is under way already, or somebody else asked it. Ask it anew in a message.",
    "无法再试：它已在处理中，或是别人提的问题。请发消息重新提问。",
)
NOT_TO_ASK_AGAIN = Sentence(
    "This can't be asked again here: it is being asked already, or you are not known to read along here. Ask it anew "
    "in a message.",
    "无法在这里重新提问：已有人在重新提问，或无法确认你能看到这里。请发消息重新提问。",
)
CLICK_FAILED = Sentence("That did not work just now. Please try again in a moment.", "刚才没有成功。请稍等片刻再试。")

# When a question can't be taken in, or its answer can't be shown where it was asked.
NOT_ACCEPTED = Sentence(
    "I can't take questions or files at the moment: my database does not answer. I will take this one up by myself "
    "when it is back within a few minutes; otherwise please send it again.",
    "我暂时无法接收问题或文件：数据库没有响应。如果几分钟内恢复，我会自动处理这一条；否则请再发一次。",
)
CANNOT_WRITE_THERE = Sentence(
    "You asked me something in <#{conversation}>, but I can't write there ({reason}). Invite me to the channel, or ask "
    "me here.",
    "你在 <#{conversation}> 里问了我，但我不能在那里发言（{reason}）。请把我邀请进频道，或直接在这里问我。",
)
MISSING_SCOPE = Sentence(
    "I am missing the Slack permission `{needed}` for this. An administrator can add it to the app and reinstall it.",
    "我缺少做这件事所需的 Slack 权限 `{needed}`。管理员可以给应用加上该权限并重新安装。",
)
GONE = Sentence(
    "What this is about is no longer in Slack, or I can't see it. Share it again where I am a member.",
    "相关内容在 Slack 里已不存在，或我看不到。请在我所在的频道里重新分享。",
)
TOO_BIG = Sentence("This file is too large for me. Send a smaller one.", "这个文件太大。请发小一点的。")
SLACK_FAILED = Sentence(
    "Slack did not answer as it should. Please try again in a moment.", "Slack 没有正常响应。请稍等片刻再试。"
)

# Uploads.
UPLOAD_WAITING = Sentence("I will read “{title}” in a moment…", "稍后就读“{title}”…")
UPLOAD_READING = Sentence("Reading “{title}”…", "正在阅读“{title}”…")
UPLOAD_INDEXING = Sentence("Making “{title}” searchable…", "正在为“{title}”建立索引…")
UPLOAD_READY = Sentence("“{title}” is ready: you can ask about it now.", "“{title}”已就绪：现在可以提问了。")
UPLOAD_FAILED = Sentence("I could not read “{title}”: {why}", "无法读取“{title}”：{why}")
NOT_A_CONTRIBUTOR = Sentence(
    "I did not learn this file: I learn the files of contributors, and you are none yet. Ask one of my "
    "administrators to make you one, or a contributor to share the file.",
    "我没有学习这个文件：我只学习贡献者上传的文件，而你还不是贡献者。请让我的管理员把你设为贡献者，或请贡献者来分享这个文件。",
)
UPLOADER_UNKNOWN = Sentence(
    "I did not learn this file: Slack did not tell me who you are in this workspace. Please share it again later.",
    "我没有学习这个文件：Slack 没有告诉我你在本工作区的身份。请稍后再分享一次。",
)
UPLOAD_UNSEEN = Sentence("I could not read this file: {why}", "无法读取这个文件：{why}")
LEFT_OUT = Sentence("Left out:", "没有读到的部分：")
PERCENT = Sentence("{line} {percent} %", "{line} {percent}%")

COUNTS: dict[str, Counted] = {
    "pages": Counted("{n} page", "{n} pages", "{n} 页"),
    "slides": Counted("{n} slide", "{n} slides", "{n} 张幻灯片"),
    "sheets": Counted("{n} sheet", "{n} sheets", "{n} 个工作表"),
    "tables": Counted("{n} table", "{n} tables", "{n} 个表格"),
    "rows": Counted("{n} row", "{n} rows", "{n} 行"),
    "images": Counted("{n} image", "{n} images", "{n} 张图片"),
    "minutes": Counted("{n} minute", "{n} minutes", "{n} 分钟"),
    "seconds": Counted("{n} second", "{n} seconds", "{n} 秒"),
    "chunks": Counted("{n} passage", "{n} passages", "{n} 段可检索内容"),
}

CAUSES: dict[str, Sentence] = {
    "empty": Sentence("it is empty. Check the file and upload it again.", "文件是空的。请检查后重新上传。"),
    "no_text": Sentence(
        "it holds no text that I can read, for example only pictures. Upload a version with text.",
        "里面没有我能读的文字，例如只有图片。请上传带文字的版本。",
    ),
    "encrypted": Sentence(
        "it is protected by a password. Remove the password and upload it again.",
        "文件有密码保护。请去掉密码后重新上传。",
    ),
    "damaged": Sentence(
        "it is damaged or not what its name says. Save it again from the program that made it and upload that.",
        "文件已损坏，或与文件名不符。请用原来的程序另存后重新上传。",
    ),
    "unsupported": Sentence(
        "I don't know this type of file. I read txt, md, html, csv, pdf, docx, pptx, xlsx, and audio or video with "
        "speech.",
        "我不认识这种文件。我能读 txt、md、html、csv、pdf、docx、pptx、xlsx，以及有语音的音频或视频。",
    ),
    "too_large": Sentence(
        "it is too large. Split it or make it smaller and upload it again.", "文件太大。请拆分或压缩后重新上传。"
    ),
    "too_long": Sentence(
        "it is too long. Split it into parts and upload them one by one.", "内容太长。请拆成几部分分别上传。"
    ),
    "timeout": Sentence(
        "reading it took too long, so I stopped. Split it or make it simpler and upload it again.",
        "读取时间太长，已停止。请拆分或简化后重新上传。",
    ),
    "out_of_memory": Sentence(
        "reading it took too much memory, so I stopped. Split it or make it smaller and upload it again.",
        "读取占用的内存太多，已停止。请拆分或压缩后重新上传。",
    ),
    "no_speech": Sentence(
        "I hear no speech in it. Check the sound and upload it again.", "里面没有听到语音。请检查声音后重新上传。"
    ),
    "html_instead": Sentence(
        "Slack sent me a web page in place of the file. An administrator should check that the app has the "
        "permission `files:read`; then upload it again.",
        "Slack 发来的是网页而不是文件。请管理员检查应用是否有 `files:read` 权限，然后重新上传。",
    ),
    "not_found": Sentence(
        "it is not there any more. Upload it again if it is still needed.", "文件已不存在。如仍需要，请重新上传。"
    ),
    "access_denied": Sentence(
        "Slack does not let me see it. Share it in a channel that I am in.", "Slack 不让我看它。请分享到我所在的频道。"
    ),
    "missing_scope": Sentence(
        "I am missing the Slack permission `files:read`. An administrator can add it to the app and reinstall it; "
        "then upload the file again.",
        "我缺少 Slack 权限 `files:read`。管理员给应用加上并重新安装后，请再上传一次。",
    ),
    "internal": Sentence(
        "something went wrong on my side. Upload it again; if it happens again, tell your administrator.",
        "我这边出了问题。请重新上传；如果再次发生，请告诉管理员。",
    ),
}

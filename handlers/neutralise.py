"""Text of documents and models made inert: it pings nobody, links nowhere, and hides nothing; it stays readable.

One form for each way that Slack reads text: :func:`markdown`, :func:`mrkdwn`, :func:`plain`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

# Controls but tab and newline; soft hyphen and fillers; zero-width and bidirectional characters; the tag block.
_RANGES = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180E), (0x200B, 0x200C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE0FFF),
)  # fmt: skip
_HIDDEN = {code: None for first, last in _RANGES for code in range(first, last + 1)}
# U+200D stays only between two symbols, where it joins emoji.
_JOINER = re.compile(
    "(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])"
)
_NEWLINES = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")

# "<" and "@" as themselves or as HTML entities, escaped however often.
_LT = r"(?:<|&(?:amp;)*(?:lt|LT|#0*60|#[xX]0*3[cC]);?)"
_GT = r"(?:>|&(?:amp;)*(?:gt|GT|#0*62|#[xX]0*3[eE]);?)"
_AT = r"(?:@|&(?:amp;)*(?:commat|#0*64|#[xX]0*40);?)"

# Slack's own forms: <!channel>, <!subteam^S1|@team>, <!date^…|text>, <@U1|name>, <#C1|name>.
_CONTROL = re.compile(rf"{_LT}(?P<sign>[!#]|{_AT})(?P<body>[^<>\n]{{0,300}}?){_GT}")
_CONTROL_OPEN = re.compile(rf"{_LT}(?=[!#]|{_AT}|&)")
_BROADCAST = re.compile(rf"(?<![\w.]){_AT}(?=channel|here|everyone)", re.IGNORECASE)

# <url|label>, <url>, <name@host>: anything in angle brackets that begins like a scheme or a mail address.
_ANGLED = re.compile(
    rf"{_LT}(?P<url>(?:[A-Za-z][A-Za-z0-9+.-]{{0,30}}:|[^\s<>|@]{{1,200}}@)[^\s<>|]{{0,2000}}?)"
    rf"(?:\|(?P<label>[^<>\n]{{0,500}}?))?{_GT}"
)
_URL = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]{0,30}://|(?<![A-Za-z0-9])(?:mailto|tel|javascript|data|vbscript|slack):(?=\S)|www\.(?=\w))"
    r"[^\s<>`\"'|，。；！？、）】》”’]*[^\s<>`\"'，。；！？、）】》”’.,;:!?)\]}*_~|]",
    re.IGNORECASE,
)
_TICKS = re.compile(r"`+")
_FENCE = re.compile(r"^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*(?:`{3,}[^`]*|~{3,}.*)$")
_NOTABLE = re.compile(r"[`:]|\](?=[(:])|www\.", re.IGNORECASE)
_BINDING = re.compile(r"\](?=[(:])")


def visible(text: str) -> str:
    """Only what can be seen: hidden characters gone, newlines as ``\\n``."""
    shown = _NEWLINES.sub("\n", text).translate(_HIDDEN)
    return _JOINER.sub("", shown) if "\u200d" in shown else shown


def plain(text: str) -> str:
    """``text`` for plain_text fields: mentions and Slack's links as words, hidden characters gone."""
    return _words(visible(text))


def mrkdwn(text: str) -> str:
    """``text`` for a mrkdwn field or a message's ``text``: as :func:`plain`, with Slack's three characters escaped."""
    return plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown(text: str) -> str:
    """``text`` for a markdown block: its formatting stays, mentions become words, links and pictures their plain URLs
    in code style, which Slack does not make clickable."""
    return "\n".join(_fenced(plain(text).split("\n")))


def _words(text: str) -> str:
    """Mentions and Slack's links as words."""
    if "<" in text or "&" in text:
        text = _CONTROL.sub(_control_word, text)
        text = _ANGLED.sub(lambda m: f"{m['label']} ({m['url']})" if m["label"] else m["url"], text)
        text = _CONTROL_OPEN.sub("‹", text)
    return _BROADCAST.sub("＠", text)


def _control_word(match: re.Match[str]) -> str:
    sign, (name, _, label) = match["sign"], match["body"].partition("|")
    if sign == "#":
        return f"#{label or name}"
    if sign == "!" and name.startswith("date^"):
        return label
    return "＠" + (label or name).lstrip("@")


def _fenced(lines: list[str]) -> list[str]:
    """Fences in one canonical form, closed at the end, so that what is code is beyond doubt; the rest line by line."""
    shown: list[str] = []
    inside = False
    for line in lines:
        if ("```" in line or "~~~" in line) and _FENCE.match(line):
            inside = not inside
            shown.append("```")
        else:
            shown.append(line.replace("```", "‵‵‵") if inside else _line(line))
    return [*shown, "```"] if inside else shown


def _line(line: str) -> str:
    """One line outside a fence: code spans stay, in single backticks; unpaired backticks go; links come apart."""
    if not _NOTABLE.search(line):
        return line
    pieces: list[tuple[str, bool]] = []
    position = 0
    for start, code_start, code_end, end in _code_spans(line):
        pieces += _unlinked(line[position:start])
        pieces.append((_TICKS.sub("‵", line[code_start:code_end]), True))
        position = end
    return _joined(pieces + _unlinked(line[position:]))


def _code_spans(line: str) -> Iterator[tuple[int, int, int, int]]:
    """Where backtick runs pair up (the next run of the same length closes): span start, code start, code end, end."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(line)]
    by_length: dict[int, deque[int]] = {}
    for index, (start, end) in enumerate(runs):
        by_length.setdefault(end - start, deque()).append(index)
    position = -1
    for index, (start, end) in enumerate(runs):
        same = by_length[end - start]
        while same and same[0] <= max(index, position):
            same.popleft()
        if index > position and same:
            position = same[0]
            yield start, end, *runs[position]


def _unlinked(text: str) -> list[tuple[str, bool]]:
    """Text outside code as (piece, is code): ``](`` and ``]:`` no longer bind, URLs become code."""
    text = _BINDING.sub("] ", _TICKS.sub("‵", text))
    pieces: list[tuple[str, bool]] = []
    position = 0
    for match in _URL.finditer(text):
        pieces += [(text[position : match.start()], False), (match[0], True)]
        position = match.end()
    return [*pieces, (text[position:], False)]


def _joined(pieces: list[tuple[str, bool]]) -> str:
    """Code in backticks, with a space after what would take the first of them away: a backtick or a backslash."""
    shown: list[str] = []
    last = ""
    for piece, is_code in pieces:
        if is_code and piece.strip():
            shown.append(f" `{piece}`" if last in ("`", "\\") else f"`{piece}`")
        else:
            shown.append(piece)
        last = shown[-1][-1:] or last
    return "".join(shown)

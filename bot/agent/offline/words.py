"""The words of asking, in English and Chinese: they say what kind of answer is wanted, never what it is about."""

from __future__ import annotations

import re
from typing import Final

ASKING_ZH: Final = re.compile(
    "为什么|为何|怎么样|怎么办|怎么|怎样|如何|什么时候|什么|何时|何地|何处|何种|何人|哪里|哪儿|哪些|哪个|哪家|哪种|哪一|哪"
    "|多少|多久|多长|多大|多高|多远|多宽|多厚|几|是谁|由谁|跟谁|找谁|向谁|谁|是否|能否|可否|有没有|是不是|能不能|可不可以|要不要|吗|呢"
)
"""Chinese interrogatives, longer ones first."""

FILLER_ZH: Final = re.compile(
    "请问|请教|请|现在|目前|当前|麻烦|帮我|帮忙|告诉我|告诉|我想知道|想知道|想了解|给我|给出|列出|提供|说明一下|介绍一下|一下|一共|分别|以及|并且|还有"
    "|应该|需要|可以|可能|关于|对于|根据|按照|其中|这个|那个|这些|那些|我们|你们|他们|它们|咱们|那么|所以|因为|但是|如果"
    "|的|了|着|是|在|由|被|把|和|与|及|或|也|都|就|还|吧|啊|呀|它|他|她|你|我|这|那"
)
"""Chinese function words and courtesies: no evidence either way when they are missing from a passage."""

_ASKING_EN = "who whom whose what which when where why how"
_FUNCTION_EN = (
    "a an the this that these those it its they them their he him his she her we us our you your i me my "
    "is are was were be been being am do does did done doing have has had having can could will would shall should may "
    "might must of in on at by for to from with without into onto over under about as than then and or but not no nor "
    "if so such there here both either neither each also too very just only some any all more most much many"
)
_SAYING_EN = (
    "please tell give show list explain say says said find know name want need let get got used use uses using called "
    "named s t d ll re ve"
)

ASKING_EN: Final = frozenset(_ASKING_EN.split())
STOP_EN: Final = ASKING_EN | frozenset(_FUNCTION_EN.split()) | frozenset(_SAYING_EN.split())
"""English function words and words of asking: no evidence either way when a passage lacks them."""

PRONOUN_ZH: Final = re.compile(
    "它|其(?!他|它|余|中|实)|这个|那个|这些|那些|(?<![应不本活])该(?=[一-鿿])|此(?!外|致)|上述|以上|前者|后者"
)
PRONOUN_EN: Final = re.compile(
    r"\b(it|its|they|them|their|this|that|these|those|one|he|she|his|her|him)\b", re.IGNORECASE
)

CONTINUES_ZH: Final = re.compile("^(那么|那|还有|另外|然后|以及|并且|由谁)")
CONTINUES_EN: Final = re.compile(
    r"^(and|also|then|so|but|what about|how about|what else|anything else|who else)\b", re.IGNORECASE
)

LEAD_IN: Final = re.compile(
    r"^(?:那么|那|还有|另外|然后|以及|并且|and\b|also\b|then\b|so\b|but\b|(?:what|how) about\b)[\s,，]*", re.IGNORECASE
)
"""What ties a message to the one before and says nothing by itself."""

INSTEAD: Final = re.compile(
    r"^(?:(?:那么|那|还有|然后)?[\s,，]*(?P<zh>.*\w.*?)呢"
    r"|(?:and\s+)?(?:(?:what|how) about|and(?: for)?)\s+(?P<en>.+))$",
    re.IGNORECASE | re.DOTALL,
)
"""Asks the same of another subject: "what about X", "and X", "那 X 呢"."""

GREETING: Final = re.compile(
    r"^\s*(?:(?:你好|您好|大家好|早上好|下午好|晚上好|早安|嗨|哈喽|哈啰|在吗|请问一下|请问|海棠(?=[,，:：!！])"
    r"|hi|hello|hey|good (?:morning|afternoon|evening)|dear|greetings)(?:\s+(?:there|all|team|everyone|haitang|bot))?"
    r"(?![a-z])[\s,，.。!！:：、~～]*)+",
    re.IGNORECASE,
)

COURTESY: Final = re.compile(
    r"^[\s,，.。!！~～]*(?:谢谢(?:你|您|大家|啦|了)?|多谢|感谢|辛苦了|好的|收到|明白了?"
    r"|thanks?(?: you)?(?: so much| a lot)?(?: in advance)?|thx|ty|ok(?:ay)?|got it|great|cheers)[\s,，.。!！~～]*$",
    re.IGNORECASE,
)

ABOUT_THE_BOT: Final = re.compile(
    r"^\W*(?:help(?: me)?|who are you|what (?:can|do) you do|what can i ask(?: you)?"
    r"|how (?:do|can) (?:you work|i use you)|帮助|你是谁|(?:我)?(?:该|要)?怎么(?:使)?用你"
    r"|(?:请问)?你(?:都)?(?:能|会|可以)(?:帮我)?(?:做|干|回答)些?(?:什么|啥|哪些(?:事|问题)?)"
    r"|(?:我)?(?:能|可以)问(?:你)?些?(?:什么|啥|哪些问题))(?:呢|啊|呀)?\W*$",
    re.IGNORECASE,
)
"""Asks what the bot is for, which no document says."""

REQUEST: Final = re.compile(
    r"请(?!问)|告诉我|列出|给出|提供|介绍|说明|解释一下|帮我|查一下|找一下"
    r"|\b(?:please|tell me|list|give me|show me|explain|describe|summari[sz]e|find|cite|point me to|name the)\b",
    re.IGNORECASE,
)

SOURCE_WANTED: Final = re.compile(
    r"出处|来源|引用|依据|原文|(?:请|给出|附上|提供|发).{0,6}(?:链接|视频|录音|文件)"
    r"|\b(?:sources?|citations?|cite|references?|quote|link to|where (?:is|does) it sa(?:y|id))\b",
    re.IGNORECASE,
)

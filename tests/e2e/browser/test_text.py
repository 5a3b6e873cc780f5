"""How Slack's text forms look in the page: the modules are asked directly, and their nodes read back as HTML."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import BrowserPage

pytestmark = pytest.mark.browser

NAMES = "{me: 'U1', person: (id) => ({U1: 'Mei', U2: 'Tom'})[id] ?? id, channel: (id) => ({C1: 'sales'})[id]}"


async def rendered(page: Page, module: str, text: str) -> str:
    """The HTML that `module` makes of a text, without what every link carries."""
    script = f"""async (text) => {{
        const {{ {module} }} = await import("/{module}.js");
        const box = document.createElement("div");
        box.append(...{module}(text, {NAMES}));
        return box.innerHTML;
    }}"""
    html = str(await page.evaluate(script, text))
    return html.replace(' target="_blank" rel="noopener noreferrer nofollow"', "")


MRKDWN = [
    ("*bold* _it_ ~no~ `a*b*`", "<strong>bold</strong> <em>it</em> <s>no</s> <code>a*b*</code>"),
    ("*_both_*", "<strong><em>both</em></strong>"),
    ("2*3*4 and snake_case_name", "2*3*4 and snake_case_name"),
    ("这是*粗体*字", "这是<strong>粗体</strong>字"),
    ("* not bold *", "* not bold *"),
    ("a\nb", "a<br>b"),
    ("```\nx = *1*\n```", '<pre class="code"><code>x = *1*</code></pre>'),
    ("&gt; said\n&gt; twice\nme", "<blockquote>said<br>twice</blockquote>me"),
    ("• one\n• two", "<ul><li>one</li><li>two</li></ul>"),
    ("3. three\n4. four", '<ol><li value="3">three</li><li value="4">four</li></ol>'),
    ("<@U1> <@U9>", '<span class="mention mention-me" data-person="U1">@Mei</span> '
     '<span class="mention" data-person="U9">@U9</span>'),
    ("<#C1> <#C9|gone>", '<span class="mention">#sales</span> <span class="mention">#gone</span>'),
    ("<!here>", '<span class="mention">@here</span>'),
    ("<https://a.example/x?a=1&amp;b=2|see *this*>", '<a href="https://a.example/x?a=1&amp;b=2">see *this*</a>'),
    ("见 https://a.example/x。好", '见 <a href="https://a.example/x">https://a.example/x</a>。好'),
    ("(https://a.example/a_(b))", '(<a href="https://a.example/a_(b)">https://a.example/a_(b)</a>)'),
    (":tada: :unknown_one:", '<span class="emoji" role="img" aria-label="tada">🎉</span> :unknown_one:'),
    ("1 &lt; 2 &amp;amp; 3", "1 &lt; 2 &amp;amp; 3"),
    ("*open", "*open"),
    ("", ""),
]  # fmt: skip

MARKDOWN = [
    ("# One\n## Two", '<h3 class="md-h1">One</h3><h4 class="md-h2">Two</h4>'),
    ("a\nb\n\nc", "<p>a<br>b</p><p>c</p>"),
    ("**b** *i* ***bi*** ~~s~~ __b__ _i_",
     "<p><strong>b</strong> <em>i</em> <strong><em>bi</em></strong> <s>s</s> <strong>b</strong> <em>i</em></p>"),
    ("**a *b***", "<p><strong>a <em>b</em></strong></p>"),
    ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
    ("snake_case_name 2 * 3 * 4", "<p>snake_case_name 2 * 3 * 4</p>"),
    (r"\*not\* \[x\]", "<p>*not* [x]</p>"),
    ("`a*b*` ``c`d``", "<p><code>a*b*</code> <code>c`d</code></p>"),
    ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
    ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    ("- a\n\n  b", "<ul><li>ab</li></ul>"),
    ("> q\n> - x", "<blockquote><p>q</p><ul><li>x</li></ul></blockquote>"),
    ("---", "<hr>"),
    ("```py\n<b>\n```", '<pre class="code"><code data-language="py">&lt;b&gt;</code></pre>'),
    ("```\nopen", '<pre class="code"><code>open</code></pre>'),
    ('[text](https://a.example "t") ![alt](https://a.example/i.png)',
     '<p><a href="https://a.example/">text</a> <a href="https://a.example/i.png">alt</a></p>'),
    ("[1] and [2](nowhere)", '<p>[1] and <span class="dead-link">2</span></p>'),
    ("<https://a.example|x> <@U2>",
     '<p><a href="https://a.example/">x</a> <span class="mention" data-person="U2">@Tom</span></p>'),
    ("a &lt;b&gt; &#21644; &nope;", "<p>a &lt;b&gt; 和 &amp;nope;</p>"),
    ("text | bar", "<p>text | bar</p>"),
]  # fmt: skip


async def test_mrkdwn(office: Sandbox, browser_page: BrowserPage) -> None:
    page = await browser_page("mei")
    assert {text: await rendered(page, "mrkdwn", text) for text, _ in MRKDWN} == dict(MRKDWN)


async def test_markdown(office: Sandbox, browser_page: BrowserPage) -> None:
    page = await browser_page("mei")
    assert {text: await rendered(page, "markdown", text) for text, _ in MARKDOWN} == dict(MARKDOWN)


async def test_a_markdown_table_has_sides_and_keeps_bars_inside_code(
    office: Sandbox, browser_page: BrowserPage
) -> None:
    page = await browser_page("mei")
    html = await rendered(page, "markdown", "| 区域 | n |\n|:--|--:|\n| `a|b` \\| c | **2** |\n| short |")
    assert html == (
        '<div class="table-scroll" tabindex="0" role="group"><table>'
        '<thead><tr><th>区域</th><th class="align-end">n</th></tr></thead>'
        '<tbody><tr><td><code>a|b</code> | c</td><td class="align-end"><strong>2</strong></td></tr>'
        '<tr><td>short</td><td class="align-end"></td></tr></tbody></table></div>'
    )


async def test_text_made_to_be_slow_or_deep_is_rendered_whole(office: Sandbox, browser_page: BrowserPage) -> None:
    page = await browser_page("mei")
    units = ["*a ", "**a ", "[", "> ", "&gt; ", "- ", "`", "_*", "<", "|-|\n", "  - x\n", "&", "![](", "1. "]
    texts = [unit * (12_000 // len(unit)) for unit in units]
    lengths = await page.evaluate(
        f"""async (texts) => {{
        const made = await Promise.all([import("/mrkdwn.js"), import("/markdown.js")]);
        const length = (text, render) => {{
            const box = document.createElement("div");
            box.append(...render(text, {NAMES}));
            return box.textContent.length;
        }};
        return texts.map((text) => [length(text, made[0].mrkdwn), length(text, made[1].markdown)]);
    }}""",
        texts,
    )
    assert [len(one) for one in lengths] == [2] * len(units)


async def test_every_text_of_the_page_exists_in_both_languages(office: Sandbox, browser_page: BrowserPage) -> None:
    page = await browser_page("mei")
    texts = await page.evaluate(
        "(async () => Object.entries((await import('/i18n.js')).allTexts()).map(([k, v]) => [k, v.map(String)]))()"
    )
    assert texts
    for key, both in texts:
        assert len(both) == 2, key
        assert all(both), key

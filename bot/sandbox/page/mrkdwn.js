// Slack's message text ("mrkdwn"): *bold* _italic_ ~struck~ `code`, ``` blocks, > quotes, lists, <@U…> and <url|label>.

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { bareUrl, link } from "./links.js";

const MAX_DEPTH = 12; // nesting beyond this is shown as written: text is anybody's, the call stack is ours

/** Undo the three escapes that Slack's text carries. */
export function unescape(text) {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

/** Apply the three escapes, so that what a person typed stays text. */
export function escape(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Render to a list of nodes. `names` gives `{person(id), channel(id)}` → name to show. */
export function mrkdwn(text, names) {
  const nodes = [];
  const parts = text.split(/```(?:\n)?([\s\S]*?)```/); // odd entries are the code blocks
  parts.forEach((part, i) => {
    if (i % 2) nodes.push(h("pre", { class: "code" }, h("code", null, plain(part.replace(/\n$/, "")))));
    else nodes.push(...lines(i ? part.replace(/^\n/, "") : part, names));
  });
  return nodes;
}

function lines(text, names, inQuote = false) {
  const nodes = [];
  const all = text.split("\n");
  for (let i = 0; i < all.length;) {
    const kind = lineKind(all[i], inQuote);
    let end = i + 1;
    while (end < all.length && lineKind(all[end], inQuote) === kind) end += 1;
    const group = all.slice(i, end);
    if (kind === "quote") nodes.push(quote(group, names));
    else if (kind !== "text") nodes.push(list(kind, group, names));
    else nodes.push(...paragraph(group, names, i > 0, end < all.length));
    i = end;
  }
  return nodes;
}

/** Slack's quotes do not nest: inside one, further marks are text. */
function lineKind(line, inQuote) {
  if (!inQuote && /^(&gt;|>)/.test(line)) return "quote";
  if (/^\s{0,8}[•◦▪‣-]\s+\S/.test(line)) return "bullets";
  if (/^\s{0,8}\d{1,3}[.)]\s+\S/.test(line)) return "numbers";
  return "text";
}

function quote(group, names) {
  const inner = group.map((line) => line.replace(/^(&gt;|>) ?/, "")).join("\n");
  return h("blockquote", null, lines(inner, names, true));
}

function list(kind, group, names) {
  const items = group.map((line) => {
    const [marker, indent, number] = /^(\s*)(?:[•◦▪‣-]|(\d+)[.)])\s+/.exec(line);
    const level = Math.min(3, Math.floor(indent.length / 2));
    const attributes = { value: number, class: level ? `level-${level}` : null };
    const item = h("li", { class: attributes.class }, inline(line.slice(marker.length), names, 0));
    if (number) item.value = Number(number);
    return item;
  });
  return h(kind === "numbers" ? "ol" : "ul", null, items);
}

function paragraph(group, names, afterBlock, beforeBlock) {
  const kept = [...group];
  if (afterBlock && kept[0] === "") kept.shift(); // a block already ends its line
  if (beforeBlock && kept.length && kept[kept.length - 1] === "") kept.pop();
  return kept.flatMap((line, i) => [...(i ? [h("br")] : []), ...inline(line, names, 0)]);
}

const MARKS = { "*": "strong", _: "em", "~": "s" };

function inline(text, names, depth) {
  const nodes = [];
  let plainStart = 0;
  for (let i = 0; i < text.length;) {
    const found = depth < MAX_DEPTH ? token(text, i, names, depth) : null;
    if (!found) {
      i += 1;
      continue;
    }
    if (i > plainStart) nodes.push(plain(text.slice(plainStart, i)));
    nodes.push(found.node);
    i = plainStart = found.end;
  }
  if (plainStart < text.length) nodes.push(plain(text.slice(plainStart)));
  return nodes;
}

/** What begins at `i`, as `{node, end}`; null when it is plain text. */
function token(text, i, names, depth) {
  const character = text[i];
  if (character === "`") return code(text, i);
  if (character === "<") return angle(text, i, names);
  if (character === ":") return emojiAt(text, i);
  if (character in MARKS) return marked(text, i, names, depth);
  if (character === "h" && !/\w/.test(text[i - 1] ?? "")) {
    const address = bareUrl(text.slice(i, i + 2000));
    return address && { node: link(plain(address), plain(address)), end: i + address.length };
  }
  return null;
}

function code(text, i) {
  const close = text.indexOf("`", i + 1);
  if (close <= i + 1) return null;
  return { node: h("code", null, plain(text.slice(i + 1, close))), end: close + 1 };
}

/** A pair of marks binds to its words from the outside: `a*b*c` is text, `a *b* c` is bold. */
function marked(text, i, names, depth) {
  const mark = text[i];
  const outside = /[\p{L}\p{N}]/u;
  const wordBefore = i > 0 && outside.test(text[i - 1]) && !isCjk(text[i - 1]);
  if (wordBefore || text[i + 1] === mark || /\s/.test(text[i + 1] ?? " ")) return null;
  for (let close = text.indexOf(mark, i + 2); close > 0; close = text.indexOf(mark, close + 1)) {
    const after = text[close + 1] ?? " ";
    if (/\s/.test(text[close - 1]) || (outside.test(after) && !isCjk(after))) continue;
    return { node: h(MARKS[mark], null, inline(text.slice(i + 1, close), names, depth + 1)), end: close + 1 };
  }
  return null;
}

function isCjk(character) {
  return /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/.test(character);
}

function emojiAt(text, i) {
  const found = /^:([a-z0-9_+'-]{1,60}(?:::skin-tone-\d)?):/.exec(text.slice(i, i + 80));
  const character = found && emoji(found[1]);
  if (!character) return null;
  return {
    node: h("span", { class: "emoji", role: "img", "aria-label": found[1].replace(/_/g, " ") }, character),
    end: i + found[0].length,
  };
}

/** `<@U…>`, `<#C…|name>`, `<!here>`, `<url|label>`; also used by the markdown block, which Slack lets carry them. */
export function angle(text, i, names) {
  const close = text.indexOf(">", i);
  if (close < 0 || close - i > 3000) return null;
  const [target, label] = splitOnce(text.slice(i + 1, close), "|");
  const end = close + 1;
  if (/^@[UW][A-Z0-9]+$/.test(target))
    return { node: mention(`@${names.person(target.slice(1))}`, target.slice(1), names), end };
  if (/^#C?[A-Z0-9]+$/.test(target))
    return {
      node: h("span", { class: "mention" }, `#${names.channel(target.slice(1)) ?? plain(label ?? target.slice(1))}`),
      end,
    };
  if (target.startsWith("!date^")) return { node: plain(label ?? target), end };
  if (/^!(here|channel|everyone)$/.test(target)) return { node: mention(`@${target.slice(1)}`), end };
  if (target.startsWith("!subteam^")) return { node: mention(plain(label ?? "@group")), end };
  if (/^(https?:|mailto:|javascript:|data:|[a-z][a-z0-9+.-]*:)/i.test(target)) {
    return { node: link(plain(target), plain(label ?? target.replace(/^mailto:/, ""))), end };
  }
  return null;
}

function mention(shown, person, names) {
  const isMe = person !== undefined && names.me === person;
  return h("span", { class: isMe ? "mention mention-me" : "mention", "data-person": person }, shown);
}

function splitOnce(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function plain(text) {
  return unescape(text);
}

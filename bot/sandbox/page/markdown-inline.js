// The inline half of Markdown: code, strong, emphasis, strike, links, escapes, entities, Slack's mentions.

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { bareUrl, link } from "./links.js";
import { angle } from "./mrkdwn.js";

const MAX_DEPTH = 12;
const MAX_LINK = 2000; // how far a bracket looks for its partner

/** Render one line of Markdown to a list of nodes. */
export function inlineMarkdown(text, names) {
  return inline(text, names, 0);
}

function inline(text, names, depth) {
  const nodes = [];
  let run = "";
  const flush = () => {
    if (run) nodes.push(run);
    run = "";
  };
  for (let i = 0; i < text.length;) {
    const found = depth < MAX_DEPTH ? token(text, i, names, depth) : null;
    if (found && found.node === undefined) run += found.text;
    else if (found) {
      flush();
      nodes.push(found.node);
    } else run += text[i];
    i = found ? found.end : i + 1;
  }
  flush();
  return nodes;
}

/** What begins at `i`: `{node, end}`, `{text, end}`, or null for plain text. */
function token(text, i, names, depth) {
  const character = text[i];
  if (character === "\\" && /[!-/:-@[-`{-~]/.test(text[i + 1] ?? "")) return { text: text[i + 1], end: i + 2 };
  if (character === "`") return code(text, i);
  if (character === "*" || character === "_" || character === "~") return emphasis(text, i, names, depth);
  if (character === "!" && text[i + 1] === "[") return bracket(text, i + 1, names, depth);
  if (character === "[") return bracket(text, i, names, depth);
  if (character === "<") return angle(text, i, names) ?? lineBreak(text, i);
  if (character === "&") return entity(text, i);
  if (character === ":") return emojiAt(text, i);
  if (character === "h" && !/\w/.test(text[i - 1] ?? "")) {
    const address = bareUrl(text.slice(i, i + MAX_LINK));
    return address && { node: link(address, address), end: i + address.length };
  }
  return null;
}

function code(text, i) {
  const marks = /^`+/.exec(text.slice(i))[0];
  let close = text.indexOf(marks, i + marks.length);
  while (close > 0 && text[close + marks.length] === "`") {
    close = text.indexOf(marks, close + marks.length + /^`+/.exec(text.slice(close + marks.length))[0].length);
  }
  if (close < 0) return { text: marks, end: i + marks.length };
  const inner = text.slice(i + marks.length, close).replace(/^ (.*[^ ].*) $/, "$1");
  return { node: h("code", null, inner), end: close + marks.length };
}

function emphasis(text, i, names, depth) {
  const mark = text[i];
  const width = mark === "~" ? 2 : Math.min(3, /^(\*+|_+)/.exec(text.slice(i))[0].length);
  const marks = mark.repeat(width);
  if (!text.startsWith(marks, i) || /\s/.test(text[i + width] ?? " ")) return null;
  if (mark === "_" && /[\p{L}\p{N}]/u.test(text[i - 1] ?? "")) return { text: marks, end: i + width };
  const close = closing(text, i + width, marks);
  if (close < 0) return { text: marks, end: i + width };
  const children = inline(text.slice(i + width, close), names, depth + 1);
  return { node: wrap(mark, width, children), end: close + width };
}

/** Where the closing marks begin. A run of the other length opens or closes something inside, so it is passed over. */
function closing(text, from, marks) {
  const runs = new RegExp(`\\${marks[0]}+`, "g");
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text)) {
    const { 0: found, index } = run;
    const fits = marks.length === 1 ? found.length % 2 === 1 : found.length >= marks.length;
    if (!fits || /[\s\\]/.test(text[index - 1])) continue;
    if (marks[0] === "_" && /[\p{L}\p{N}]/u.test(text[index + found.length] ?? "")) continue;
    return index + found.length - marks.length;
  }
  return -1;
}

function wrap(mark, width, children) {
  if (mark === "~") return h("s", null, children);
  if (width === 1) return h("em", null, children);
  if (width === 2) return h("strong", null, children);
  return h("strong", null, h("em", null, children));
}

/** `[label](url "title")`; an image becomes a link to it: nothing is loaded from outside. */
function bracket(text, i, names, depth) {
  const window = text.slice(i, i + MAX_LINK);
  const close = partner(window);
  if (close < 0 || window[close + 1] !== "(") return null;
  const target = /^\(\s*<?((?:[^\s()<>]|\([^\s()]*\))*)>?(?:\s+["'(][^"')]*["')])?\s*\)/.exec(window.slice(close + 1));
  if (!target) return null;
  const label = inline(window.slice(1, close), names, depth + 1);
  return { node: link(target[1], label.length ? label : target[1]), end: i + close + 1 + target[0].length };
}

function partner(text) {
  let open = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === "[") open += 1;
    else if (text[i] === "]" && (open -= 1) === 0) return i;
  }
  return -1;
}

function lineBreak(text, i) {
  const found = /^<br\s*\/?>/i.exec(text.slice(i, i + 8));
  return found && { node: h("br"), end: i + found[0].length };
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

function entity(text, i) {
  const found = /^&(?:(\w{2,6})|#(\d{1,7})|#x([\da-f]{1,6}));/i.exec(text.slice(i, i + 12));
  if (!found) return null;
  const end = i + found[0].length;
  if (found[1]) return Object.hasOwn(ENTITIES, found[1]) ? { text: ENTITIES[found[1]], end } : null;
  const point = found[2] ? Number(found[2]) : parseInt(found[3], 16);
  return point > 0 && point <= 0x10ffff ? { text: String.fromCodePoint(point), end } : null;
}

function emojiAt(text, i) {
  const found = /^:([a-z0-9_+-]{1,60}):/.exec(text.slice(i, i + 64));
  const character = found && emoji(found[1]);
  return character ? { node: h("span", { class: "emoji" }, character), end: i + found[0].length } : null;
}

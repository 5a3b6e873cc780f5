// Markdown as the `markdown` block carries it: headings, lists, tables, fenced code, quotes, rules, and inline marks.

import { h } from "./dom.js";
import { inlineMarkdown } from "./markdown-inline.js";

const MAX_DEPTH = 8; // quotes and lists nested deeper are shown flat

/** Render to a list of nodes; `names` as in mrkdwn.js. */
export function markdown(text, names) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), names, 0);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}(?:>|&gt;) ?/;
const ITEM = /^( *)([-*+•]|\d{1,9}[.)])( +|$)(.*)$/;
const TABLE_RULE = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

function blocks(lines, names, depth) {
  const nodes = [];
  for (let i = 0; i < lines.length;) {
    const [node, next] = block(lines, i, names, depth);
    if (node) nodes.push(node);
    i = next;
  }
  return nodes;
}

/** The block that begins at line `i`, and the line after it. */
function block(lines, i, names, depth) {
  const line = lines[i];
  if (!line.trim()) return [null, i + 1];
  if (FENCE.test(line)) return fence(lines, i);
  if (HEADING.test(line)) {
    const [, marks, text] = HEADING.exec(line);
    return [
      h(`h${Math.min(6, marks.length + 2)}`, { class: `md-h${marks.length}` }, inlineMarkdown(text ?? "", names)),
      i + 1,
    ];
  }
  if (RULE.test(line)) return [h("hr"), i + 1];
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quote(lines, i, names, depth);
  if (isTable(lines, i)) return table(lines, i, names);
  if (depth < MAX_DEPTH && ITEM.test(line)) return list(lines, i, names, depth);
  return paragraph(lines, i, names, depth);
}

function fence(lines, i) {
  const [, marks, info] = FENCE.exec(lines[i]);
  const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}\\s*$`);
  let end = i + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const code = h("code", { "data-language": info.trim() || null }, lines.slice(i + 1, end).join("\n"));
  return [h("pre", { class: "code" }, code), end + 1];
}

function quote(lines, i, names, depth) {
  let end = i;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(i, end).map((line) => line.replace(QUOTE, ""));
  return [h("blockquote", null, blocks(inner, names, depth + 1)), end];
}

function paragraph(lines, i, names, depth) {
  let end = i + 1;
  while (end < lines.length && !interrupts(lines, end, depth)) end += 1;
  const shown = lines
    .slice(i, end)
    .flatMap((line, n) => [...(n ? [h("br")] : []), ...inlineMarkdown(line.trim().replace(/\\$/, ""), names)]);
  return [h("p", null, shown), end];
}

function interrupts(lines, i, depth) {
  const line = lines[i];
  if (!line.trim() || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || isTable(lines, i)) return true;
  return depth < MAX_DEPTH && (QUOTE.test(line) || ITEM.test(line));
}

/** Items at one indentation; what is indented further belongs to the item above it. */
function list(lines, i, names, depth) {
  const [, indent, marker] = ITEM.exec(lines[i]);
  const ordered = /\d/.test(marker);
  const items = [];
  let at = i;
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (
      !found ||
      found[1].length > indent.length + 1 ||
      found[1].length < indent.length ||
      /\d/.test(found[2]) !== ordered
    )
      break;
    const content = found[1].length + found[2].length + Math.min(Math.max(found[3].length, 1), 4);
    const end = itemEnd(lines, at, found[1].length);
    items.push(listItem([found[4], ...lines.slice(at + 1, end).map((line) => outdent(line, content))], names, depth));
    at = end;
  }
  const node = h(ordered ? "ol" : "ul", null, items);
  if (ordered) node.start = parseInt(marker, 10);
  return [node, at];
}

function itemEnd(lines, start, indent) {
  let end = start + 1;
  while (end < lines.length) {
    const line = lines[end];
    const next = lines[end + 1] ?? "";
    if (!line.trim()) {
      if (leading(next) <= indent || !next.trim()) break;
    } else if (leading(line) <= indent && interrupts(lines, end, 0)) break;
    else if (leading(line) <= indent && !lines[end - 1].trim()) break;
    end += 1;
  }
  return end;
}

function listItem(lines, names, depth) {
  const task = /^\[([ xX])\]\s+/.exec(lines[0]);
  if (task) lines[0] = lines[0].slice(task[0].length);
  const nodes = blocks(lines, names, depth + 1);
  const tight = nodes.flatMap((node) => (node.tagName === "P" ? [...node.childNodes] : [node]));
  const box = task && h("input", { type: "checkbox", disabled: true, checked: task[1] !== " " });
  return h("li", { class: task ? "task" : null }, box, tight);
}

function leading(line) {
  return line.length - line.trimStart().length;
}

function outdent(line, width) {
  return line.slice(Math.min(width, leading(line)));
}

function isTable(lines, i) {
  const rule = lines[i + 1] ?? "";
  return (
    lines[i].includes("|") &&
    TABLE_RULE.test(rule) &&
    rule.includes("-") &&
    cells(lines[i]).length === cells(rule).length
  );
}

function table(lines, i, names) {
  const sides = cells(lines[i + 1]).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "end") : null,
  );
  let end = i + 2;
  while (end < lines.length && lines[end].trim() && lines[end].includes("|")) end += 1;
  const row = (line, tag) => {
    const found = cells(line);
    return h(
      "tr",
      null,
      sides.map((side, n) => h(tag, { class: side && `align-${side}` }, inlineMarkdown(found[n] ?? "", names))),
    );
  };
  const head = h("thead", null, row(lines[i], "th"));
  const body = h(
    "tbody",
    null,
    lines.slice(i + 2, end).map((line) => row(line, "td")),
  );
  return [h("div", { class: "table-scroll", tabindex: "0", role: "group" }, h("table", null, head, body)), end];
}

/** The cells of a row: `\|` and a bar inside `code` do not part cells. */
function cells(line) {
  const text = line.trim().replace(/^\|/, "");
  const found = [];
  let cell = "";
  let inCode = false;
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === "\\" && text[i + 1] === "|") cell += text[(i += 1)];
    else if (text[i] === "|" && !inCode) {
      found.push(cell.trim());
      cell = "";
    } else {
      if (text[i] === "`") inCode = !inCode && text.indexOf("`", i + 1) > 0;
      cell += text[i];
    }
  }
  if (cell.trim()) found.push(cell.trim());
  return found;
}

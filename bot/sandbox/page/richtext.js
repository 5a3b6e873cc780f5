// rich_text blocks: sections, lists, quotes and preformatted text, with styled pieces.

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { link } from "./links.js";

export function richText(block, names) {
  return (block.elements ?? []).map((part) => RENDERERS[part.type]?.(part, names) ?? null);
}

const RENDERERS = {
  rich_text_section: (part, names) => h("p", null, pieces(part, names)),
  rich_text_quote: (part, names) => h("blockquote", null, pieces(part, names)),
  rich_text_preformatted: (part, names) => h("pre", { class: "code" }, h("code", null, pieces(part, names))),
  rich_text_list: (part, names) => {
    const items = part.elements.map((item) =>
      h("li", { class: part.indent ? `level-${Math.min(3, part.indent)}` : null }, pieces(item, names)),
    );
    const node = h(part.style === "ordered" ? "ol" : "ul", null, items);
    if (part.offset) node.start = part.offset + 1;
    return node;
  },
};

function pieces(part, names) {
  return (part.elements ?? []).map((one) => styled(one.style, piece(one, names)));
}

function piece(one, names) {
  switch (one.type) {
    case "text":
      return one.text.split("\n").flatMap((line, i) => (i ? [h("br"), line] : [line]));
    case "link":
      return link(one.url, one.text || one.url);
    case "emoji":
      return emoji(one.name) ?? `:${one.name}:`;
    case "user":
      return h(
        "span",
        { class: one.user_id === names.me ? "mention mention-me" : "mention", "data-person": one.user_id },
        `@${names.person(one.user_id)}`,
      );
    case "channel":
      return h("span", { class: "mention" }, `#${names.channel(one.channel_id) ?? one.channel_id}`);
    case "broadcast":
      return h("span", { class: "mention" }, `@${one.range}`);
    case "usergroup":
      return h("span", { class: "mention" }, "@group");
    default:
      return one.fallback ?? one.text ?? "";
  }
}

const STYLES = { bold: "strong", italic: "em", strike: "s", code: "code" };

function styled(style, children) {
  return Object.keys(STYLES).reduce((inner, name) => (style?.[name] ? h(STYLES[name], null, inner) : inner), children);
}

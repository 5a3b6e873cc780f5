// Attachments: a bar in its colour, then pretext, author, title, text, fields, blocks and footer.

import { h } from "./dom.js";
import { renderBlocks } from "./blocks.js";
import { link } from "./links.js";
import { mrkdwn } from "./mrkdwn.js";

const NAMED = { good: "#2e8b57", warning: "#c98a1b", danger: "#b3261e" };

export function renderAttachment(attachment, context) {
  const body = h("div", { class: "attachment-body" }, parts(attachment, context));
  const colour = colourOf(attachment.color);
  if (colour) body.style.setProperty("--bar", colour);
  const pretext = attachment.pretext && h("div", { class: "pretext" }, mrkdwn(attachment.pretext, context.names));
  return h("div", { class: "attachment" }, pretext, body);
}

function colourOf(colour) {
  if (Object.hasOwn(NAMED, colour ?? "")) return NAMED[colour];
  const hex = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(colour ?? "");
  return hex ? `#${hex[1]}` : null;
}

function parts(attachment, context) {
  const text = (value) => mrkdwn(value, context.names);
  const { author_name: author, title, title_link: address, fields, footer, blocks } = attachment;
  const shown = [
    author && h("div", { class: "attachment-author" }, author),
    title && h("div", { class: "attachment-title" }, address ? link(address, title) : title),
    attachment.text && h("div", { class: "attachment-text" }, text(attachment.text)),
    fields?.length &&
      h(
        "div",
        { class: "fields" },
        fields.map((field) => fieldOf(field, text)),
      ),
    blocks?.length && renderBlocks(blocks, context),
    footer && h("div", { class: "attachment-footer" }, footer),
  ].filter(Boolean);
  return shown.length ? shown : text(attachment.fallback ?? "");
}

function fieldOf(field, text) {
  return h(
    "div",
    { class: field.short ? null : "wide" },
    h("strong", null, field.title ?? ""),
    h("div", null, text(field.value ?? "")),
  );
}

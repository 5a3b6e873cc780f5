// Which addresses may become links, and where an address ends in running text.

import { h } from "./dom.js";

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address if it may be a link, else null: `javascript:`, `data:` and friends stay text. */
export function safeUrl(address) {
  try {
    const url = new URL(address);
    return ALLOWED.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A link that gives the opened page no handle on this one; plain text where the address is not allowed. */
export function link(address, ...label) {
  const href = safeUrl(address);
  if (href === null) return h("span", { class: "dead-link" }, ...label);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...label);
}

/** A bare address at the start of `text`, without the punctuation that ends a sentence around it; "" if there is none. */
export function bareUrl(text) {
  const found = /^https?:\/\/[^\s<>"'`，。；：！？、）】」』《》\u3000]+/i.exec(text);
  if (!found) return "";
  let address = found[0].replace(/[.,;:!?*_~]+$/, "");
  while (address.endsWith(")") && count(address, ")") > count(address, "(")) address = address.slice(0, -1);
  return address;
}

function count(text, character) {
  return text.split(character).length - 1;
}

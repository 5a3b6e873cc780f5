// Short notes at the edge of the page; errors stay longer and are announced at once.

import { h } from "./dom.js";
import { t } from "./i18n.js";

let region;

/** Where the notes appear: the page, or the dialog on top of it (what lies under a modal dialog cannot be reached). */
function place() {
  region ??= h("div", { class: "toasts", role: "alert" });
  const top = [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;
  if (region.parentNode !== top) top.append(region);
  return region;
}

export function toast(text) {
  const note = h("div", { class: "toast" }, text);
  place().append(note);
  setTimeout(() => note.remove(), 7000);
}

/** Say why a call of the workspace was refused; anything else is a fault of this page and is raised on. */
export function toastError(error) {
  if (error?.code === undefined) throw error;
  if (error.code !== "cancelled") toast(t("failed", { reason: error.message }));
}

// Editing one's own message where it stands: Enter saves, Escape leaves it as it was.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { decodeMentions, encodeMentions } from "./mentions.js";

export function editor(message, view) {
  const { app, conversation } = view;
  const before = decodeMentions(message.text ?? "", app.store);
  const box = h("textarea", {
    class: "edit-box",
    "aria-label": t("edit"),
    rows: Math.min(12, before.split("\n").length + 1),
    value: before,
  });
  const save = async () => {
    const text = box.value.trim();
    if (text && text !== before)
      await app.attempt(() =>
        app.api.post("edit", { conversation: conversation.id, ts: message.ts, text: encodeMentions(text, app.store) }),
      );
    view.onEdit(null);
  };
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault(); // it closes the editor, not the thread around it
      view.onEdit(null);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      save();
    }
  });
  queueMicrotask(() => {
    box.focus();
    box.setSelectionRange(before.length, before.length);
  });
  const cancel = h("button", { type: "button", class: "button", onclick: () => view.onEdit(null) }, t("cancel"));
  return h(
    "div",
    { class: "edit" },
    box,
    h(
      "div",
      { class: "edit-buttons" },
      cancel,
      h("button", { type: "button", class: "button primary", onclick: save }, t("save")),
    ),
  );
}

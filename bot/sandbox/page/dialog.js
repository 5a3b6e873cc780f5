// Dialogs: the browser's own <dialog>, which keeps the focus inside and gives Escape its meaning.

import { fill, h, iconButton } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Open a dialog. `onClose` is called once, however it was closed. Returns `{node, close(), set({title, body, footer})}`;
 * `set` changes the content where it stands.
 */
export function openDialog({ onClose, className, ...content }) {
  const heading = h("h2", { id: `dialog-${Math.random().toString(36).slice(2)}` });
  const close = iconButton("close", t("close"), () => node.close());
  const body = h("div", { class: "dialog-body" });
  const footer = h("footer", { class: "dialog-footer" });
  const header = h("header", { class: "dialog-header" }, heading, close);
  const node = h("dialog", { class: `dialog ${className ?? ""}`, "aria-labelledby": heading.id }, header, body, footer);
  const set = (changed) => {
    heading.textContent = changed.title;
    fill(body, changed.body);
    fill(footer, changed.footer ?? []);
    footer.hidden = footer.childNodes.length === 0;
  };
  set(content);
  node.addEventListener("close", () => {
    node.remove();
    onClose?.();
  });
  node.addEventListener("pointerdown", (event) => event.target === node && node.close()); // the backdrop
  document.body.append(node);
  node.showModal();
  return { node, close: () => node.close(), set };
}

/** A form in a dialog: `onSubmit()` → promise; the dialog closes when it is fulfilled. */
export function openForm({ title, body, submit, onSubmit, attempt }) {
  const form = h("form", { method: "dialog", class: "form", id: `form-${Math.random().toString(36).slice(2)}` }, body);
  const done = h("button", { type: "submit", class: "button primary", form: form.id }, submit);
  const cancel = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("cancel"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await attempt(onSubmit)) dialog.close();
  });
  const dialog = openDialog({ title, body: form, footer: [cancel, done] });
  return dialog;
}

/** Ask a yes-or-no question; resolves to whether it was answered with yes. */
export function confirmDialog(question, yes, no = t("cancel"), title = yes) {
  return new Promise((resolve) => {
    let answer = false;
    const confirm = () => {
      answer = true;
      dialog.close();
    };
    const cancel = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, no);
    const agree = h("button", { type: "button", class: "button danger", onclick: confirm }, yes);
    const dialog = openDialog({
      title,
      body: h("p", null, question),
      footer: [cancel, agree],
      onClose: () => resolve(answer),
      className: "small",
    });
    agree.focus();
  });
}

// Modals of the app (views): the latest one on top, updated in place, submitted or closed.

import { renderBlocks } from "./blocks.js";
import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { readInputs } from "./inputs.js";

export class Modals {
  constructor(app) {
    this._app = app;
    this._shown = null; // {view, dialog}
  }

  destroy() {
    this._drop();
  }

  render() {
    const { views } = this._app.store;
    const top = views[views.length - 1];
    if (top === this._shown?.view) return;
    this._drop();
    if (top) this._show(top);
  }

  /** Take the dialog away without telling the app: the view was replaced or closed from the other side. */
  _drop() {
    const shown = this._shown;
    this._shown = null;
    shown?.dialog.close();
  }

  _show(view) {
    const inputs = new Map();
    const context = { names: this._app.store.names, people: this._people(), inputs, act: (...click) => this._act(view, ...click) };
    const body = h("div", { class: "view", "data-view": view.id }, renderBlocks(view.blocks ?? [], context));
    const close = h("button", { type: "button", class: "button", onclick: () => this._shown.dialog.close() }, view.close?.text ?? t("close"));
    const submit = view.submit && h("button", { type: "button", class: "button primary", onclick: () => this._submit(view, inputs) }, view.submit.text);
    const shown = { view };
    this._shown = shown;
    shown.dialog = openDialog({ title: view.title?.text ?? "", body, footer: [close, submit], onClose: () => this._closed(shown) });
  }

  _people() {
    return [...this._app.store.people.values()].filter((person) => !person.deleted && !person.is_bot);
  }

  _closed(shown) {
    if (this._shown !== shown) return;
    this._shown = null;
    const { store, api } = this._app;
    store.views = store.views.filter((view) => view.id !== shown.view.id);
    this._app.attempt(() => api.post("close_view", { view_id: shown.view.id }));
    store.changed();
  }

  _act(view, block, element, value) {
    return this._app.attempt(() => this._app.api.post("click", { view_id: view.id, block_id: block.block_id, action_id: element.action_id, value }));
  }

  async _submit(view, inputs) {
    const { values, missing } = readInputs(inputs);
    if (missing.length) this._again(view, Object.fromEntries(missing.map((block) => [block, t("required")])));
    else {
      await this._app.attempt(async () => {
        const answer = await this._app.api.post("submit", { view_id: view.id, values });
        if (answer.errors) this._again(view, answer.errors);
      });
    }
  }

  /** Show the reasons beside the fields, without losing what was entered. */
  _again(view, errors) {
    const { node } = this._shown.dialog;
    node.querySelectorAll(".field-error").forEach((one) => one.remove());
    for (const [block, reason] of Object.entries(errors)) {
      const place = [...node.querySelectorAll("[data-block]")].find((one) => one.dataset.block === block);
      place?.append(h("p", { class: "field-error", role: "alert" }, reason));
    }
  }
}

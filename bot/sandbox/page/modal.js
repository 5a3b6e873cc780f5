// Modals of the app (views): the latest one on top, updated in place, submitted or closed.

import { renderBlocks } from "./blocks.js";
import { busy } from "./busy.js";
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
    if (top && top.id === this._shown?.view.id) {
      this._shown.view = top;
      this._shown.dialog.set(this._content(top));
      return;
    }
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
    const shown = { view };
    this._shown = shown;
    shown.dialog = openDialog({ ...this._content(view), onClose: () => this._closed(shown) });
  }

  _content(view) {
    const inputs = new Map();
    const context = { names: this._app.store.names, inputs, act: (block, element) => this._act(view, block, element) };
    const close = h(
      "button",
      { type: "button", class: "button", onclick: () => this._shown.dialog.close() },
      view.close?.text ?? t("close"),
    );
    const press = (event) => busy(event.currentTarget, () => this._submit(view, inputs));
    const submit =
      view.submit && h("button", { type: "button", class: "button primary", onclick: press }, view.submit.text);
    return {
      title: view.title?.text ?? "",
      body: h("div", { class: "view", "data-view": view.id }, renderBlocks(view.blocks ?? [], context)),
      footer: submit ? [close, submit] : [close],
    };
  }

  _closed(shown) {
    if (this._shown !== shown) return;
    this._shown = null;
    const { store, api } = this._app;
    store.views = store.views.filter((view) => view.id !== shown.view.id);
    this._app.attempt(() => api.post("close_view", { view_id: shown.view.id }));
    store.changed();
  }

  _act(view, block, element) {
    return this._app.attempt(() =>
      this._app.api.post("click", { view_id: view.id, block_id: block.block_id, action_id: element.action_id }),
    );
  }

  async _submit(view, inputs) {
    const { values, missing } = readInputs(inputs);
    if (missing.length) {
      this._explain(Object.fromEntries(missing.map((block) => [block, t("required")])));
      return;
    }
    await this._app.attempt(async () => {
      const { errors } = await this._app.api.post("submit", { view_id: view.id, values });
      if (errors) this._explain(errors);
    });
  }

  /** Show the reasons beside the fields, without losing what was entered. */
  _explain(errors) {
    const { node } = this._shown.dialog;
    node.querySelectorAll(".field-error").forEach((one) => one.remove());
    for (const [block, reason] of Object.entries(errors)) {
      const place = [...node.querySelectorAll("[data-block]")].find((one) => one.dataset.block === block);
      place?.append(h("p", { class: "field-error", role: "alert" }, reason));
    }
  }
}

// The bot's Home tab: what the app published for the current person, drawn anew when it publishes again.

import { renderBlocks } from "./blocks.js";
import { h, iconButton, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { avatar } from "./people.js";

export const HOME = "home"; // stands in the address where a conversation's id would

export class HomePane {
  constructor(app) {
    this._app = app;
    this._header = h("header", { class: "pane-header" });
    this._body = h("div", { class: "home-blocks view" });
    this.node = h("main", { class: "pane conversation home", "aria-label": t("home") }, this._header, this._body);
    this._isVisited = false;
  }

  destroy() {}

  show() {}

  async _visit() {
    const { store, api } = this._app;
    await this._app.attempt(async () => {
      const { view } = await api.post("home", {});
      if (view && !store.home) store.home = view;
      store.changed();
    });
  }

  render() {
    const { store } = this._app;
    // Only once the stream is there: what the app publishes in answer must not be missed.
    if (store.connected && !this._isVisited) this._visit();
    this._isVisited = store.connected;
    redraw(this._header, [store.bot.user_id, store.nameOf(store.bot.user_id)], () => this._head());
    redraw(this._body, store.home?.hash ?? "", () => this._blocks(store.home));
  }

  _head() {
    const { store } = this._app;
    const name = store.nameOf(store.bot.user_id);
    const back = iconButton("back", t("backToChannels"), () => this._app.go({ conversation: null }), {
      class: "icon-button only-narrow",
    });
    const face = avatar(store.bot.user_id, name, { small: true, bot: true });
    return [back, h("h1", null, face, h("span", { class: "title" }, name)), h("p", { class: "topic" }, t("home"))];
  }

  _blocks(view) {
    if (!view) return h("div", { class: "empty" }, h("p", null, t("loading")));
    const { api, store } = this._app;
    const act = (block, element) =>
      this._app.attempt(() =>
        api.post("click", { view_id: view.id, block_id: block.block_id, action_id: element.action_id }),
      );
    return renderBlocks(view.blocks, { names: store.names, act });
  }
}

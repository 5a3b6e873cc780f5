// The pane of a conversation and the pane of a thread: header, messages, and where one writes.

import { append, fill, h, icon, iconButton, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { avatar, badges } from "./people.js";
import { Timeline } from "./timeline.js";
import { dropZone } from "./uploads.js";

export class ConversationPane {
  constructor(app, id) {
    this._app = app;
    this.id = id;
    this._header = h("header", { class: "pane-header" });
    this._foot = h("div", { class: "pane-foot" });
    this._timeline = new Timeline({
      app,
      conversation: { id },
      source: () => app.store.messages(id),
      empty: () => this._empty(),
      label: () => t("messages", { name: this._title() }),
    });
    const composer = app.composer(id);
    this.node = h("main", { class: "pane conversation" }, this._header, this._timeline.node, this._foot);
    append(this.node, [dropZone(this.node, (files) => this._conversation()?.is_member && composer.addFiles(files))]);
  }

  destroy() {
    this._timeline.destroy();
  }

  _conversation() {
    return this._app.store.conversations.get(this.id);
  }

  _title() {
    const conversation = this._conversation();
    return conversation ? this._app.store.titleOf(conversation) : "";
  }

  render() {
    const conversation = this._conversation();
    const { kind, topic, members } = conversation ?? {};
    const state = [kind, topic, members, this._title()];
    redraw(this._header, state, () => (conversation ? this._head(conversation) : []));
    this._timeline.render();
    if (conversation?.is_member) this._compose(conversation);
    redraw(this._foot, [Boolean(conversation), conversation?.is_member], () => this._footer(conversation));
  }

  show(ts) {
    this._timeline.show(ts);
  }

  _head(conversation) {
    const { store } = this._app;
    const back = iconButton("back", t("backToChannels"), () => this._app.go({ conversation: null }), {
      class: "icon-button only-narrow",
    });
    const title = h(
      "h1",
      null,
      conversationIcon(conversation, store),
      h("span", { class: "title" }, store.titleOf(conversation)),
    );
    const details = h(
      "button",
      {
        type: "button",
        class: "quiet members",
        title: t("details"),
        "aria-label": `${t("details")}: ${t("members", conversation.members.length)}`,
        onclick: () => this._app.showDetails(conversation.id),
      },
      icon("people"),
      conversation.members.length,
    );
    const badge = conversation.kind === "dm" ? badges(store.person(store.others(conversation)[0])) : [];
    append(title, [badge]);
    return [back, title, h("p", { class: "topic" }, conversation.topic), details];
  }

  _compose(conversation) {
    const { store } = this._app;
    this._app.composer(this.id).render((store.isChannel(conversation) ? "#" : "") + store.titleOf(conversation));
  }

  _footer(conversation) {
    if (!conversation) return [];
    return conversation.is_member ? this._app.composer(this.id).node : this._joinBar(conversation);
  }

  _joinBar(conversation) {
    const join = () => this._app.attempt(() => this._app.api.post("join", { conversation: this.id }));
    return h(
      "div",
      { class: "join-bar" },
      h("p", null, t("joinHint", { name: conversation.name })),
      h("button", { type: "button", class: "button primary", onclick: join }, t("join")),
    );
  }

  _empty() {
    const { store } = this._app;
    const list = store.list(this.id);
    if (!store.ready || !list || list.state === "loading") return hint(t("loading"));
    const conversation = this._conversation();
    if (list.state === "refused" || !conversation)
      return hint(list.error?.message || t("notThere", { name: store.nameOf(store.me) }));
    if (store.isBotDm(conversation))
      return hint(t("emptyBotDm", { bot: store.nameOf(store.bot.user_id) }), t("emptyBotDmHint"));
    const name = store.titleOf(conversation);
    if (!store.isChannel(conversation)) return hint(t("emptyChannel", { name }), t("emptyDmHint"));
    return hint(t("emptyChannel", { name: `#${name}` }), t("emptyChannelHint", { bot: store.bot.name }));
  }
}

export class ThreadPane {
  constructor(app, id, threadTs) {
    this._app = app;
    this.id = id;
    this.threadTs = threadTs;
    this._header = h("header", { class: "pane-header" });
    this._foot = h("div", { class: "pane-foot" });
    const source = () => app.store.messages(id, threadTs);
    this._timeline = new Timeline({
      app,
      conversation: { id },
      threadTs,
      source,
      empty: () => this._empty(),
      label: () => t("thread"),
    });
    this.node = h(
      "aside",
      {
        class: "pane thread",
        "aria-label": t("thread"),
        onkeydown: (event) => event.key === "Escape" && !event.defaultPrevented && this._close(),
      },
      this._header,
      this._timeline.node,
      this._foot,
    );
    append(this.node, [dropZone(this.node, (files) => app.composer(id, threadTs).addFiles(files))]);
  }

  destroy() {
    this._timeline.destroy();
  }

  _close() {
    this._app.go({ conversation: this.id });
  }

  render() {
    const { store } = this._app;
    const conversation = store.conversations.get(this.id);
    redraw(this._header, conversation && [conversation.kind, store.titleOf(conversation)], () =>
      this._head(conversation),
    );
    this._timeline.render();
    if (!conversation?.is_member) this._foot.replaceChildren();
    else {
      const composer = this._app.composer(this.id, this.threadTs);
      composer.render();
      fill(this._foot, composer.node);
    }
  }

  show(ts) {
    this._timeline.show(ts);
  }

  _head(conversation) {
    const { store } = this._app;
    const close = () => this._close();
    return [
      iconButton("back", t("backToConversation"), close, { class: "icon-button only-narrow" }),
      h("h2", null, t("thread")),
      conversation && h("span", { class: "topic" }, conversationIcon(conversation, store), store.titleOf(conversation)),
      h("span", { class: "grow" }),
      iconButton("close", t("closeThread"), close, { class: "icon-button only-wide" }),
    ];
  }

  _empty() {
    const list = this._app.store.list(this.id, this.threadTs);
    if (!list || list.state === "loading") return hint(t("loading"));
    return hint(list.error?.message || t("gone"));
  }
}

/** # for public, a lock for private, faces for direct messages. */
export function conversationIcon(conversation, store) {
  if (conversation.kind === "public") return icon("hash");
  if (conversation.kind === "private") return icon("lock");
  if (conversation.kind === "group_dm") return icon("people");
  const other = store.others(conversation)[0] ?? store.me;
  return avatar(other, store.nameOf(other), { small: true, bot: other === store.bot.user_id });
}

function hint(title, text) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text && h("p", null, text));
}

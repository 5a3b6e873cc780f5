// Channels and direct messages of the current person.

import { h, iconButton } from "./dom.js";
import { conversationIcon } from "./conversation.js";
import { currentLanguage, t } from "./i18n.js";
import { avatar, badges, PersonSwitch } from "./people.js";

export class Sidebar {
  constructor(app) {
    this._app = app;
    this._switch = new PersonSwitch(app);
    this._head = h("div", { class: "sidebar-head" });
    this._lists = h("div", { class: "sidebar-lists" });
    this.node = h("nav", { class: "sidebar" }, this._head, this._lists, this._switch.node);
  }

  destroy() {
    this._switch.destroy();
  }

  render() {
    const { store } = this._app;
    const language = h(
      "button",
      {
        type: "button",
        class: "quiet language",
        lang: currentLanguage() === "zh" ? "en" : "zh",
        "aria-label": t("languageHint"),
        onclick: () => this._app.switchLanguage(),
      },
      t("language"),
    );
    this._head.replaceChildren(h("strong", { class: "team" }, store.team.name), language);
    this.node.setAttribute("aria-label", t("channels"));
    const all = [...store.conversations.values()].filter((one) => !one.is_archived);
    const channels = all.filter((one) => store.isChannel(one)).sort(byName);
    const direct = all
      .filter((one) => !store.isChannel(one))
      .sort((a, b) => ((a.last_ts ?? "") < (b.last_ts ?? "") ? 1 : -1));
    const mine = channels.filter((one) => one.is_member);
    const others = channels.filter((one) => !one.is_member);
    this._lists.replaceChildren(
      ...[
        this._section(
          "channels",
          mine,
          iconButton("plus", t("newChannel"), () => this._app.newChannel()),
        ),
        this._section(
          "directMessages",
          direct,
          iconButton("plus", t("newMessage"), () => this._app.newMessage()),
          this._botEntry(direct),
        ),
        others.length > 0 && this._section("moreChannels", others),
        store.ready && all.length === 0 && h("p", { class: "sidebar-note" }, t("noConversations")),
      ].filter(Boolean),
    );
    this._switch.render();
  }

  _section(title, conversations, action, extra) {
    const rows = conversations.map((one) => this._row(one));
    return h(
      "section",
      { class: `sidebar-${title}`, "aria-label": t(title) },
      h("h2", null, t(title), action),
      h("ul", null, extra, rows),
    );
  }

  _row(conversation) {
    const { store, route } = this._app;
    const isUnread = store.reading.isUnread(conversation);
    const isHere = route.conversation === conversation.id;
    const other = conversation.kind === "dm" ? store.person(store.others(conversation)[0]) : null;
    const name = store.titleOf(conversation);
    const link = h(
      "a",
      {
        href: this._app.address({ conversation: conversation.id }),
        class: ["entry", isUnread && "is-unread"].filter(Boolean).join(" "),
        "aria-current": isHere ? "page" : null,
        "data-conversation": conversation.id,
      },
      conversationIcon(conversation, store),
      h("span", { class: "entry-name" }, name),
      conversation.kind === "private" && h("span", { class: "visually-hidden" }, ` (${t("privateChannel")})`),
      badges(other),
      isUnread && h("span", { class: "dot" }, h("span", { class: "visually-hidden" }, t("unread"))),
    );
    return h("li", null, link);
  }

  /** The bot is always at hand: before its first direct message the entry opens one. */
  _botEntry(direct) {
    const { store } = this._app;
    if (!store.ready || direct.some((one) => store.isBotDm(one))) return null;
    const name = store.nameOf(store.bot.user_id);
    const open = () => this._app.openDirect([store.bot.user_id]);
    return h(
      "li",
      null,
      h(
        "button",
        { type: "button", class: "entry", onclick: open },
        avatar(store.bot.user_id, name, { small: true, bot: true }),
        h("span", { class: "entry-name" }, name),
        badges(store.person(store.bot.user_id) ?? { is_bot: true }),
      ),
    );
  }
}

function byName(a, b) {
  return a.name.localeCompare(b.name);
}

// Channels and direct messages of the current person.

import { h, icon, iconButton, redraw } from "./dom.js";
import { conversationIcon } from "./conversation.js";
import { HOME } from "./home.js";
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
    const { store, route } = this._app;
    const all = [...store.conversations.values()].filter((one) => !one.is_archived);
    const shown = all.map((one) => [one.id, one.kind, one.is_member, store.titleOf(one), store.reading.isUnread(one)]);
    const order = this._direct(all).map((one) => one.id);
    const people = [...store.people.values()];
    this.node.setAttribute("aria-label", t("channels"));
    redraw(this._head, store.team.name, () => this._heading());
    redraw(this._lists, [store.ready, route.conversation, shown, order, people], () => this._sections(all));
    this._switch.render();
  }

  _heading() {
    const other = currentLanguage() === "zh" ? "en" : "zh-CN";
    const attributes = { type: "button", class: "quiet language", lang: other, "aria-label": t("languageHint") };
    const language = h("button", { ...attributes, onclick: () => this._app.switchLanguage() }, t("language"));
    return [h("strong", { class: "team" }, this._app.store.team.name), language];
  }

  /** Direct messages, the liveliest first. */
  _direct(all) {
    const { store } = this._app;
    return all.filter((one) => !store.isChannel(one)).sort((a, b) => ((a.last_ts ?? "") < (b.last_ts ?? "") ? 1 : -1));
  }

  _sections(all) {
    const { store } = this._app;
    const channels = all.filter((one) => store.isChannel(one)).sort(byName);
    const mine = channels.filter((one) => one.is_member);
    const others = channels.filter((one) => !one.is_member);
    const direct = this._direct(all);
    const newChannel = iconButton("plus", t("newChannel"), () => this._app.newChannel());
    const newMessage = iconButton("plus", t("newMessage"), () => this._app.newMessage());
    return [
      this._section("channels", mine, newChannel),
      this._section("directMessages", direct, newMessage, this._botEntry(direct), this._homeEntry()),
      others.length > 0 && this._section("moreChannels", others),
      store.ready && all.length === 0 && h("p", { class: "sidebar-note" }, t("noConversations")),
    ];
  }

  _section(title, conversations, action, first, last) {
    const rows = conversations.map((one) => this._row(one));
    return h(
      "section",
      { class: `sidebar-${title}`, "aria-label": t(title) },
      h("h2", null, t(title), action),
      h("ul", null, first, rows, last),
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

  /** What the bot shows of itself, and of the files that one looks after. */
  _homeEntry() {
    const { route } = this._app;
    const attributes = { href: this._app.address({ conversation: HOME }), class: "entry", "data-conversation": HOME };
    const isHere = route.conversation === HOME ? "page" : null;
    return h(
      "li",
      null,
      h("a", { ...attributes, "aria-current": isHere }, icon("home"), h("span", { class: "entry-name" }, t("home"))),
    );
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

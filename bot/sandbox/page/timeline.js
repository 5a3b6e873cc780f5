// A list of messages that grows at the end and changes in place. Only the nodes of changed messages are made again,
// so that a playing clip or an open editor elsewhere in the list is left alone.

import { fill, h, icon } from "./dom.js";
import { dayName, t } from "./i18n.js";
import { continues, messageNode } from "./message.js";

const NEAR_END = 60; // pixels from the end that count as reading the latest

export class Timeline {
  /** `source()` gives the messages to show, oldest first; `empty()` a node for when there are none; `label()` its name. */
  constructor({ app, conversation, threadTs, source, empty, label }) {
    this._view = { app, conversation, threadTs };
    this._source = source;
    this._empty = empty;
    this._label = label;
    this._people = app.store.people;
    this._rows = new Map(); // ts → {message, grouped, editing, node}
    this._days = new Map();
    this._editing = null;
    this._atEnd = true;
    this._list = h("div", { class: "messages", role: "list" });
    this._scroller = h(
      "div",
      { class: "scroller", tabindex: "0", role: "region", onscroll: () => this._scrolled() },
      this._list,
    );
    this._jump = h(
      "button",
      { type: "button", class: "jump", hidden: true, onclick: () => this.toEnd() },
      icon("down"),
      t("newMessages"),
    );
    this.node = h("div", { class: "timeline" }, this._scroller, this._jump);
    this._observer = new ResizeObserver(() => this._atEnd && this._scrollDown());
    this._observer.observe(this._list);
    this._observer.observe(this._scroller);
  }

  destroy() {
    this._observer.disconnect();
  }

  render() {
    const { people } = this._view.app.store;
    if (people !== this._people) this._rows.clear(); // somebody has another name: every message may show it
    this._people = people;
    for (const node of [this._scroller, this._list]) node.setAttribute("aria-label", this._label());
    const messages = this._source();
    const latest = messages[messages.length - 1];
    const grew = this._latest !== undefined && latest?.ts > this._latest;
    this._latest = latest?.ts;
    if (grew && latest.user === this._view.app.store.me) this._atEnd = true; // one's own words are always shown
    const children = messages.length ? this._children(messages) : [this._empty()];
    const focused = this._focused();
    fill(this._list, children);
    focused?.();
    if (this._atEnd) this._scrollDown();
    else if (grew) this._jump.hidden = false;
  }

  /** How to give the focus back to a button whose message is about to be drawn anew; nothing where there is none. */
  _focused() {
    const action = document.activeElement?.dataset.action;
    const ts = document.activeElement?.closest(".message")?.dataset.ts;
    if (!action || !this._list.contains(document.activeElement)) return undefined;
    return () => {
      const buttons = [...(this._rows.get(ts)?.node.querySelectorAll("[data-action]") ?? [])];
      buttons.find((button) => button.dataset.action === action)?.focus({ preventScroll: true });
    };
  }

  _children(messages) {
    const children = [];
    const rows = new Map();
    let before;
    for (const message of messages) {
      const day = new Date(Number(message.ts) * 1000).toDateString();
      if (!before || new Date(Number(before.ts) * 1000).toDateString() !== day) {
        children.push(this._day(day, message.ts));
        before = undefined;
      }
      const row = this._row(message, continues(before, message));
      rows.set(message.ts, row);
      children.push(row.node);
      before = message;
    }
    this._rows = rows;
    return children;
  }

  _row(message, grouped) {
    const editing = this._editing === message.ts;
    const known = this._rows.get(message.ts);
    if (known && known.grouped === grouped && known.editing === editing && (editing || known.message === message))
      return known;
    const view = { ...this._view, grouped, editing, onEdit: (ts) => this._edit(ts) };
    return { message, grouped, editing, node: messageNode(message, view) };
  }

  _day(day, ts) {
    if (!this._days.has(day))
      this._days.set(day, h("div", { class: "day", role: "separator" }, h("span", null, dayName(ts))));
    return this._days.get(day);
  }

  _edit(ts) {
    this._editing = ts;
    this.render();
  }

  _scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this._scroller;
    this._atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (this._atEnd) this._jump.hidden = true;
  }

  /** Where following stops: at the end, but never past the beginning of the last message, so that a long answer can be
   * read from its first line while it grows; what comes after it then waits behind the button. */
  _end() {
    const { scrollHeight, clientHeight } = this._scroller;
    const last = this._list.lastElementChild;
    return Math.min(scrollHeight - clientHeight, last ? Math.max(0, last.offsetTop - 12) : 0);
  }

  toEnd() {
    this._atEnd = true;
    this._scrollDown();
  }

  _scrollDown() {
    this._scroller.scrollTop = Math.max(this._scroller.scrollTop, this._end());
    this._jump.hidden = true;
  }

  /** Bring one message into view, as when a link to it was opened. */
  show(ts) {
    const row = this._rows.get(ts);
    if (!row) return;
    this._atEnd = false;
    row.node.scrollIntoView({ block: "center" });
    row.node.classList.add("pointed-at");
  }
}

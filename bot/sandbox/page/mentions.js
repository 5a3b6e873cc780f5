// @names: what people write and see, `<@U…>` is what Slack's text carries; and the list of suggestions while typing.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { escape, unescape } from "./mrkdwn.js";
import { avatar, badges } from "./people.js";

/** What a person typed as Slack's text: escaped, with @name and #channel of known people and channels as references. */
export function encodeMentions(typed, store) {
  const people = [...store.people.values()].filter((person) => !person.deleted);
  const handles = people.flatMap((person) => [
    [person.name, person.id],
    [person.real_name, person.id],
  ]);
  const channels = [...store.conversations.values()].filter((one) => store.isChannel(one));
  const named = replaceNames(escape(typed), "@", handles, (id) => `<@${id}>`);
  return replaceNames(
    named,
    "#",
    channels.map((one) => [one.name, one.id]),
    (id) => `<#${id}>`,
  );
}

/** Longest names first, so that "@Li Wei" is not read as "@Li". A name ends where no letter, digit, dot or hyphen goes on. */
function replaceNames(text, mark, pairs, reference) {
  const known = new Map(pairs.filter(([name]) => name).map(([name, id]) => [escape(name).toLowerCase(), id]));
  const names = [...known.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!names.length) return text;
  const pattern = new RegExp(`(^|[^\\w&/])${mark}(${names.join("|")})(?![\\w-]|\\.\\w)`, "gi");
  return text.replace(pattern, (_, before, name) => before + reference(known.get(name.toLowerCase())));
}

/** Slack's text as a person would type it, for editing. */
export function decodeMentions(text, store) {
  const shown = text
    .replace(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g, (whole, id) => (store.person(id) ? `@${store.person(id).name}` : whole))
    .replace(/<#([A-Z0-9]+)(?:\|[^>]*)?>/g, (whole, id) =>
      store.conversations.has(id) ? `#${store.conversations.get(id).name}` : whole,
    )
    .replace(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, "$1");
  return unescape(shown);
}

const QUERY = /(?:^|[\s(（，。：、！？\u4e00-\u9fff])@([\p{L}\p{N}._-]{0,30})$/u;
const MAX_SUGGESTIONS = 8;

/** The list above a text box: arrows choose, Enter or Tab takes, Escape closes. */
export class Suggestions {
  constructor(box, store, members) {
    this._box = box;
    this._store = store;
    this._members = members;
    this._at = 0;
    this._people = [];
    const id = `suggestions-${Math.random().toString(36).slice(2)}`;
    this.node = h("div", { class: "suggestions", role: "listbox", id, "aria-label": t("suggestions"), hidden: true });
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", id);
    box.addEventListener("input", () => this._update());
    box.addEventListener("blur", () => this.close());
  }

  get isOpen() {
    return !this.node.hidden;
  }

  close() {
    this.node.hidden = true;
    this._box.removeAttribute("aria-activedescendant");
  }

  /** Take a key of the text box; true when it was used here. */
  key(event) {
    if (!this.isOpen) return false;
    const moves = { ArrowDown: 1, ArrowUp: this._people.length - 1 };
    if (event.key in moves) {
      this._at = (this._at + moves[event.key]) % this._people.length;
      this._draw();
    } else if (event.key === "Enter" || event.key === "Tab") this._take(this._people[this._at]);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    return true;
  }

  _update() {
    const typed = QUERY.exec(this._box.value.slice(0, this._box.selectionStart));
    this._people = typed ? this._matching(typed[1].toLowerCase()) : [];
    this._at = 0;
    if (!this._people.length) this.close();
    else this._draw();
  }

  /** The bot first, then members of the conversation, then the others. */
  _matching(query) {
    const members = new Set(this._members());
    const rank = (person) => (person.is_bot ? 0 : members.has(person.id) ? 1 : 2);
    const starts = (text) => (text ?? "").toLowerCase().startsWith(query);
    return [...this._store.people.values()]
      .filter(
        (person) =>
          !person.deleted &&
          (starts(person.name) || starts(person.real_name) || (person.real_name ?? "").toLowerCase().includes(query)),
      )
      .filter((person) => person.id !== this._store.me || query)
      .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_SUGGESTIONS);
  }

  _draw() {
    const options = this._people.map((person, i) => {
      const name = this._store.nameOf(person.id);
      const attributes = {
        role: "option",
        id: `${this.node.id}-${i}`,
        "aria-selected": String(i === this._at),
        "data-person": person.id,
        onpointerdown: (event) => {
          event.preventDefault(); // keeps the focus in the text box
          this._take(person);
        },
      };
      return h(
        "div",
        attributes,
        avatar(person.id, name, { small: true, bot: person.is_bot }),
        h("span", { class: "person-name" }, name),
        h("span", { class: "handle" }, `@${person.name}`),
        badges(person),
      );
    });
    this.node.replaceChildren(...options);
    this.node.hidden = false;
    this._box.setAttribute("aria-activedescendant", `${this.node.id}-${this._at}`);
  }

  _take(person) {
    const { value, selectionStart: end } = this._box;
    const start = value.lastIndexOf("@", end - 1);
    this._box.setRangeText(`@${person.name} `, start, end, "end");
    this.close();
    this._box.dispatchEvent(new Event("input"));
    this._box.focus();
  }
}

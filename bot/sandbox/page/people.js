// Avatars by initials, and the switch that says who one is.

import { h, icon, redraw } from "./dom.js";
import { t } from "./i18n.js";

const COLOURS = 8;

/** A square with the initials of a person; decoration, the name stands beside it. */
export function avatar(id, name, { small = false, bot = false } = {}) {
  const colour = [...id].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) % 9973, 7) % COLOURS;
  return h(
    "span",
    { class: `avatar avatar-${bot ? "bot" : colour} ${small ? "avatar-small" : ""}`, "aria-hidden": "true" },
    initials(name),
  );
}

function initials(name) {
  const chinese = name.match(/[\u4e00-\u9fff]/g);
  if (chinese) return chinese.slice(-2).join("");
  const words = name.split(/[\s._-]+/).filter(Boolean);
  return (
    words
      .slice(0, 2)
      .map((word) => [...word][0].toUpperCase())
      .join("") || "?"
  );
}

/** Words after a name: guest, external, APP. */
export function badges(person) {
  if (!person) return [];
  return [
    person.is_bot && h("span", { class: "badge" }, t("appBadge")),
    person.is_guest && h("span", { class: "badge badge-quiet" }, t("guest")),
    person.is_admin && h("span", { class: "badge badge-quiet" }, t("admin")),
    person.is_stranger && h("span", { class: "badge badge-quiet" }, t("stranger")),
  ];
}

/** The button with the current person and its menu of everybody else. */
export class PersonSwitch {
  constructor(app) {
    this._app = app;
    this._menu = h("div", {
      class: "menu",
      role: "menu",
      "aria-label": t("actAs"),
      hidden: true,
      onkeydown: (event) => this._keys(event),
    });
    this._button = h("button", {
      type: "button",
      class: "person-button",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      onclick: () => this._toggle(this._menu.hidden),
    });
    this.node = h("div", { class: "person-switch" }, this._button, this._menu);
    this._leave = (event) => !this.node.contains(event.target) && this._toggle(false);
    document.addEventListener("pointerdown", this._leave);
  }

  destroy() {
    document.removeEventListener("pointerdown", this._leave);
  }

  render() {
    const { store } = this._app;
    const me = store.person(store.me);
    const name = store.nameOf(store.me);
    this._button.setAttribute("aria-label", `${t("switchPerson")}: ${t("youAre", { name })}`);
    const face = () => [avatar(store.me, name), h("span", { class: "person-name" }, name), badges(me), icon("chevron")];
    redraw(this._button, me, face);
    redraw(this._menu, this._people(), () => this._people().map((person) => this._item(person)));
  }

  _people() {
    return [...this._app.store.people.values()].filter((person) => !person.is_bot && !person.deleted);
  }

  _item(person) {
    const { store } = this._app;
    const name = store.nameOf(person.id);
    const attributes = {
      type: "button",
      role: "menuitemradio",
      "aria-checked": String(person.id === store.me),
      "data-person": person.id,
      onclick: () => {
        this._toggle(false);
        if (person.id !== store.me) this._app.become(person.id);
      },
    };
    return h(
      "button",
      attributes,
      avatar(person.id, name, { small: true }),
      h("span", { class: "person-name" }, name),
      h("span", { class: "handle" }, `@${person.name}`),
      badges(person),
    );
  }

  _toggle(open) {
    if (this._menu.hidden !== open) return;
    this._menu.hidden = !open;
    this._button.setAttribute("aria-expanded", String(open));
    if (open) (this._menu.querySelector('[aria-checked="true"]') ?? this._menu.firstChild)?.focus();
  }

  _keys(event) {
    const items = [...this._menu.children];
    const at = items.indexOf(document.activeElement);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 };
    if (event.key in moves) items[moves[event.key] % items.length].focus();
    else if (event.key === "Escape") {
      this._toggle(false);
      this._button.focus();
    } else return;
    event.preventDefault();
  }
}

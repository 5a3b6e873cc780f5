// The page of one person: what the address says is shown, what the stream tells is kept, one render draws both.

import { Api, workspace } from "./api.js";
import { Composer } from "./composer.js";
import { ConversationPane, ThreadPane } from "./conversation.js";
import { newChannel, newMessage, openDirect, showDetails } from "./details.js";
import { confirmDialog, openDialog } from "./dialog.js";
import { fill, h } from "./dom.js";
import { filePreview } from "./files.js";
import { HOME, HomePane } from "./home.js";
import { currentLanguage, setLanguage, t } from "./i18n.js";
import { Modals } from "./modal.js";
import { address, PERSON, readAddress } from "./route.js";
import { Sidebar } from "./sidebar.js";
import { keyOf, Store } from "./store.js";
import { toastError } from "./toast.js";

class App {
  constructor(me, space) {
    this.api = new Api(me);
    this.store = new Store(this.api, space, () => this.render());
    this.route = { conversation: null, thread: null };
    this._composers = new Map();
    this._narrow = matchMedia("(max-width: 720px)");
    this._status = h("div", { class: "connection", role: "status" });
    this.fileContext = {
      fileUrl: (id) => this.api.fileUrl(id),
      openFile: (file) => this.openFile(file.id),
      myName: this.store.nameOf(me),
    };
    this._build();
  }

  _build() {
    this._sidebar = new Sidebar(this);
    this._modals = new Modals(this);
    this._root = h("div", { class: "app" });
    document.body.replaceChildren(this._status, this._root);
    document.documentElement.lang = currentLanguage() === "zh" ? "zh-CN" : "en";
  }

  open() {
    this._stream = this.api.stream({
      onOpen: () => this._connected(),
      onEvent: (event) => this.store.apply(event),
      onLost: () => this._lost(),
    });
  }

  /** Another person takes over: what still arrives for this one must not be shown. */
  destroy() {
    this._isGone = true;
    this._stream.close();
    this._modals.destroy();
    this._sidebar.destroy();
    this._composers.forEach((composer) => composer.leave());
    this._pane?.destroy();
    this._thread?.destroy();
  }

  // The stream

  async _connected() {
    this.store.connected = true;
    await this.attempt(() => this.store.catchUp(this._open()));
    if (this._isGone) return;
    this._point();
    this._land();
  }

  _lost() {
    this.store.connected = false;
    this.store.changed();
  }

  _open() {
    const { conversation, thread } = this.route;
    if (conversation === HOME) return [];
    return [conversation && [conversation], conversation && thread && [conversation, thread]].filter(Boolean);
  }

  /** With nothing chosen a wide window shows the first conversation; a narrow one shows the list. */
  _land() {
    if (this.route.conversation || this._narrow.matches) return;
    const first = [...this.store.conversations.values()]
      .filter((one) => one.is_member)
      .sort((a, b) => ((a.last_ts ?? "") < (b.last_ts ?? "") ? 1 : -1))[0];
    if (first) this.go({ conversation: first.id }, true);
  }

  // Where one is

  address(route) {
    return address({ person: this.store.me, ...route });
  }

  /** Show another conversation or thread; `replace` leaves no step to come back to. */
  go(route, replace = false) {
    history[replace ? "replaceState" : "pushState"](null, "", this.address(route));
    this.show(route);
  }

  show({ conversation, thread, message }) {
    const isNew = conversation !== this.route.conversation;
    const isNewThread = isNew || thread !== this.route.thread;
    this.route = { conversation: conversation ?? null, thread: thread ?? null };
    this._pointedAt = message;
    const inSight = this._open().map((one) => keyOf(...one));
    this._composers.forEach((composer, key) => inSight.includes(key) || composer.leave());
    if (isNew) this._change("_pane", this._paneOf(conversation));
    if (isNewThread) this._change("_thread", conversation && thread && new ThreadPane(this, conversation, thread));
    if (this.store.connected) {
      const loading = [
        isNew && conversation && conversation !== HOME && this.store.load(conversation),
        isNewThread && thread && this.store.load(conversation, thread),
      ];
      Promise.all(loading).then(() => this._point());
    }
    this.render();
  }

  /** Bring the message that a link named into view, once it is there. */
  _point() {
    const ts = this._pointedAt;
    this._pointedAt = null;
    if (!ts) return;
    queueMicrotask(() => [this._pane, this._thread].forEach((pane) => pane?.show(ts))); // after the render of what was loaded
  }

  _paneOf(conversation) {
    if (conversation === HOME) return new HomePane(this);
    return conversation && new ConversationPane(this, conversation);
  }

  _change(name, pane) {
    this[name]?.destroy();
    this[name] = pane || null;
  }

  openThread(conversation, thread, focus = false) {
    this.go({ conversation, thread });
    if (focus) this.composer(conversation, thread).focus();
  }

  become(person) {
    return this.attempt(() => start(person));
  }

  switchLanguage() {
    setLanguage(currentLanguage() === "zh" ? "en" : "zh");
    this._sidebar.destroy();
    this._build();
    for (const name of ["_pane", "_thread"]) this[name]?.destroy();
    const { conversation, thread } = this.route;
    this._pane = this._paneOf(conversation);
    this._thread = thread && new ThreadPane(this, conversation, thread);
    this.render();
  }

  // What is drawn

  /** While a button of the mouse is down nothing is replaced: a click on a growing answer would miss its button. */
  hold(isHeld) {
    this._isHeld = isHeld;
  }

  catchUpDrawing() {
    this.hold(false);
    this.render();
  }

  render() {
    if (this._isHeld || this._isGone) return;
    const { conversation, thread } = this.route;
    const known = this.store.conversations.get(conversation);
    if (known && document.visibilityState === "visible") this.store.reading.mark(known);
    this._sidebar.render();
    this._pane?.render();
    this._thread?.render();
    this._modals.render();
    const nothing = h(
      "main",
      { class: "pane conversation nothing" },
      h("div", { class: "empty" }, h("p", null, t(this.store.ready ? "choose" : "loading"))),
    );
    this._root.className = `app ${conversation ? "has-conversation" : ""} ${thread ? "has-thread" : ""}`;
    fill(this._root, this._sidebar.node, this._pane?.node ?? nothing, this._thread?.node);
    this._status.textContent = this.store.connected || !this.store.ready ? "" : t("reconnecting");
    document.title = `${known ? `${this.store.titleOf(known)} · ` : ""}${t("app")}`;
    this._root.dataset.ready = String(this.store.connected && this.store.ready);
  }

  composer(conversation, thread) {
    const key = keyOf(conversation, thread);
    if (!this._composers.has(key))
      this._composers.set(key, new Composer({ app: this, conversation, threadTs: thread ?? undefined }));
    return this._composers.get(key);
  }

  // What the parts ask for

  /** Do `work`; a refusal becomes a note. Resolves to whether it worked. */
  async attempt(work) {
    try {
      await work();
      return true;
    } catch (error) {
      toastError(error);
      return false;
    }
  }

  confirm(question, yes) {
    return confirmDialog(question, yes);
  }

  showDetails(conversation) {
    showDetails(this, conversation);
  }

  newChannel() {
    newChannel(this);
  }

  newMessage() {
    newMessage(this);
  }

  openDirect(people) {
    return this.attempt(() => openDirect(this, people));
  }

  openFile(id) {
    return this.attempt(async () =>
      openDialog({ ...(await filePreview(id, this.fileContext)), className: "wide", onClose: () => leaveFile() }),
    );
  }
}

let app;

function leaveFile() {
  if (location.pathname !== "/") history.replaceState(null, "", app.address(app.route));
}

/** Become a person: a new store, a new stream, the same page. */
async function start(person, route = {}) {
  const space = await workspace();
  app?.destroy();
  const people = space.people.filter((one) => !one.is_bot && !one.deleted);
  const me = people.find((one) => one.id === person || one.name === person) ?? people[0];
  if (!me) {
    document.body.replaceChildren(h("p", { class: "empty" }, t("noConversations")));
    return;
  }
  localStorage.setItem(PERSON, me.id);
  app = new App(me.id, space);
  if (route.file) app.openFile(route.file);
  else history.replaceState(null, "", app.address(route));
  app.show(route);
  app.open();
}

/** Links to this workspace's own files and messages open here, as the current person. */
function follow(event) {
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || !isOwn(anchor) || anchor.hasAttribute("download")) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const route = readAddress(anchor);
  if (!route.file && !route.conversation) return;
  event.preventDefault();
  if (route.file) app.openFile(route.file);
  else app.go(route);
}

/** This server under either of its names. */
function isOwn({ hostname, port }) {
  return ["127.0.0.1", "localhost", location.hostname].includes(hostname) && port === location.port;
}

function arrive() {
  const route = readAddress(location);
  const isOther = route.person && route.person !== app?.store.me;
  if (!app || isOther) start(route.person ?? localStorage.getItem(PERSON), route).catch(toastError);
  else app.show(route);
}

document.addEventListener("click", follow);
document.addEventListener("pointerdown", () => app?.hold(true), true);
document.addEventListener("click", () => app?.hold(false), true); // before the click's own listeners, which draw
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(kind, () => setTimeout(() => app?.catchUpDrawing()), true); // the click itself comes first
}
window.addEventListener("popstate", arrive);
window.addEventListener("dragover", (event) => event.preventDefault());
window.addEventListener("drop", (event) => event.preventDefault()); // a file beside the panes must not replace the page
document.addEventListener("visibilitychange", () => app?.render());
arrive();

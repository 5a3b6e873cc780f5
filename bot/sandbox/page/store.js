// What one person sees of the workspace, kept up to date by the stream. Messages are replaced, never changed in place,
// so that a view can tell by identity what to draw again.

import { Reading } from "./reading.js";
import { toastError } from "./toast.js";

/** The list of a conversation (`C`) or of a thread (`C/thread_ts`). */
export function keyOf(conversation, threadTs) {
  return threadTs ? `${conversation}/${threadTs}` : conversation;
}

export class Store {
  /** `onChange()` is called after each change, at most once for all changes of one turn of the event loop. */
  constructor(api, workspace, onChange) {
    this.api = api;
    this.me = api.me;
    this.team = workspace.team;
    this.bot = workspace.bot;
    this.people = new Map(workspace.people.map((person) => [person.id, person]));
    this.conversations = new Map();
    this.lists = new Map(); // key → {messages: Map ts → message, state: "loading" | "ready" | "refused"}
    this.views = [];
    this.home = null; // what the app published for this person
    this.connected = false;
    this.ready = false;
    this.reading = new Reading(this.me);
    this._onChange = onChange;
    this._pending = false;
    this._replay = new Map(); // key → events that came while its list was being loaded
  }

  changed() {
    if (this._pending) return;
    this._pending = true;
    queueMicrotask(() => {
      this._pending = false;
      this._onChange();
    });
  }

  // Names

  person(id) {
    return this.people.get(id);
  }

  nameOf(id) {
    const person = this.people.get(id);
    return person ? person.real_name || person.name : id;
  }

  /** What mrkdwn.js needs to show mentions. */
  get names() {
    return { me: this.me, person: (id) => this.nameOf(id), channel: (id) => this.conversations.get(id)?.name };
  }

  others(conversation) {
    return conversation.members.filter((id) => id !== this.me);
  }

  titleOf(conversation) {
    if (this.isChannel(conversation)) return conversation.name;
    const others = this.others(conversation);
    return (others.length ? others : [this.me]).map((id) => this.nameOf(id)).join(", ");
  }

  isBotDm(conversation) {
    return conversation.kind === "dm" && conversation.members.includes(this.bot.user_id);
  }

  // Loading

  async loadConversations() {
    const asked = (this._asked = (this._asked ?? 0) + 1);
    const { conversations } = await this.api.get("conversations");
    if (asked !== this._asked) return; // a later answer is newer
    this.conversations = new Map(conversations.map((one) => [one.id, one]));
    this.ready = true;
    this._matchLists();
    this.changed();
  }

  _refresh() {
    this.loadConversations().catch(toastError);
  }

  /** What is no longer visible is forgotten at once; what has become visible is loaded. */
  _matchLists() {
    for (const [key, list] of this.lists) {
      const [conversation, threadTs] = key.split("/");
      const isVisible = this.conversations.has(conversation);
      if (!isVisible) this.lists.set(key, { messages: new Map(), state: "refused" });
      else if (list.state === "refused") this.load(conversation, threadTs);
    }
  }

  isChannel(conversation) {
    return conversation.kind === "public" || conversation.kind === "private";
  }

  list(conversation, threadTs) {
    return this.lists.get(keyOf(conversation, threadTs));
  }

  messages(conversation, threadTs) {
    const list = this.list(conversation, threadTs);
    return list ? [...list.messages.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1)) : [];
  }

  /** Load or load again. Events that arrive meanwhile are applied again on top: the answer may be older than they are. */
  async load(conversation, threadTs) {
    const key = keyOf(conversation, threadTs);
    if (!this.lists.has(key)) this.lists.set(key, { messages: new Map(), state: "loading" });
    const replay = [];
    this._replay.set(key, replay);
    try {
      const { messages } = await this.api.get("messages", { conversation, thread_ts: threadTs });
      if (this._replay.get(key) !== replay) return; // a later load has taken over
      this.lists.set(key, { messages: new Map(messages.map((one) => [one.ts, one])), state: "ready" });
      replay.forEach((event) => this._applyTo(key, event));
    } catch (error) {
      if (this._replay.get(key) === replay) this.lists.set(key, { messages: new Map(), state: "refused", error });
    } finally {
      if (this._replay.get(key) === replay) this._replay.delete(key);
      this.changed();
    }
  }

  /** After a reconnection: forget the lists that nobody looks at, load the others again. */
  async catchUp(keys) {
    for (const key of [...this.lists.keys()]) if (!keys.some((one) => keyOf(...one) === key)) this.lists.delete(key);
    await Promise.all([this.loadConversations(), ...keys.map((one) => this.load(...one))]);
  }

  // Events

  apply(event) {
    if (
      event.type === "message" ||
      event.type === "ephemeral" ||
      event.type === "message_changed" ||
      event.type === "reaction"
    )
      this._applyMessage(event);
    else if (event.type === "message_deleted") this._toLists(event.conversation, event);
    else if (event.type.startsWith("view_")) this._applyView(event);
    else if (event.type === "home_published") this.home = event.view;
    else if (event.type === "conversation_changed") this._refresh();
    else if (event.type === "person_changed") this._applyPerson(event);
    else if (event.type === "file_changed") this._reloadOpen(event);
    this.changed();
  }

  _applyMessage(event) {
    const { conversation, message } = event;
    const known = this.conversations.get(conversation);
    if (!known) this._refresh();
    else if (event.type === "message" && !(known.last_ts > message.ts)) {
      this.conversations.set(conversation, { ...known, last_ts: message.ts });
    }
    if (event.type === "message" && isReply(message)) this._countReply(conversation, message);
    this._toLists(conversation, event);
  }

  /** The root's own change may come before or after the reply, or not at all: its latest_reply tells. */
  _countReply(conversation, reply) {
    const list = this.lists.get(conversation);
    const root = list?.messages.get(reply.thread_ts);
    if (!root || (root.latest_reply ?? "") >= reply.ts) return;
    list.messages.set(root.ts, { ...root, reply_count: (root.reply_count ?? 0) + 1, latest_reply: reply.ts });
  }

  _toLists(conversation, event) {
    for (const key of this.lists.keys()) {
      if (key !== conversation && !key.startsWith(`${conversation}/`)) continue;
      this._replay.get(key)?.push(event);
      this._applyTo(key, event);
    }
  }

  _applyTo(key, event) {
    const { messages } = this.lists.get(key);
    if (event.type === "message_deleted") {
      messages.delete(event.ts);
      return;
    }
    const { message } = event;
    if (belongs(key, message))
      messages.set(message.ts, event.type === "ephemeral" ? { ...message, ephemeral: true } : message);
  }

  _applyView({ type, view }) {
    this.views = this.views.filter((one) => one.id !== view.id || type === "view_updated");
    if (type === "view_opened") this.views.push(view);
    if (type === "view_updated") this.views = this.views.map((one) => (one.id === view.id ? view : one));
  }

  _applyPerson({ person }) {
    this.people = new Map(this.people).set(person.id, person); // a new map, so that views notice
  }

  _reloadOpen({ conversation }) {
    for (const key of this.lists.keys()) {
      const [where, threadTs] = key.split("/");
      if (!conversation || where === conversation) this.load(where, threadTs);
    }
  }

  dismiss(conversation, ts) {
    this._toLists(conversation, { type: "message_deleted", conversation, ts });
    this.changed();
  }
}

function isReply(message) {
  return Boolean(message.thread_ts) && message.thread_ts !== message.ts;
}

function belongs(key, message) {
  const threadTs = key.split("/")[1];
  if (threadTs) return message.ts === threadTs || message.thread_ts === threadTs;
  return !isReply(message) || message.subtype === "thread_broadcast";
}

// How far each person has read, kept in this browser. What was there before its first visit counts as read.

const SINCE = "haitang.since";

export class Reading {
  constructor(me) {
    this._key = `haitang.read.${me}`;
    this._read = JSON.parse(localStorage.getItem(this._key) ?? "{}");
    if (!localStorage.getItem(SINCE)) localStorage.setItem(SINCE, (Date.now() / 1000).toFixed(6));
    this._since = localStorage.getItem(SINCE);
  }

  isUnread(conversation) {
    const read = this._read[conversation.id] ?? this._since;
    return conversation.is_member && (conversation.last_ts ?? "") > read;
  }

  mark(conversation) {
    if (!conversation.last_ts || this._read[conversation.id] === conversation.last_ts) return;
    this._read[conversation.id] = conversation.last_ts;
    localStorage.setItem(this._key, JSON.stringify(this._read));
  }
}

// Where one writes: text with @-suggestions, files, voice. Kept per conversation, so that drafts survive a look elsewhere.

import { h, iconButton } from "./dom.js";
import { t } from "./i18n.js";
import { encodeMentions, Suggestions } from "./mentions.js";
import { Recorder } from "./recorder.js";
import { toastError } from "./toast.js";
import { Uploads } from "./uploads.js";

const MAX_QUERY_TEXT = 1500; // characters that may travel in the address of an upload; more goes ahead as a message

export class Composer {
  constructor({ app, conversation, threadTs }) {
    this._app = app;
    this._where = { conversation, thread_ts: threadTs };
    this._sending = false;
    this._box = h("textarea", {
      rows: 1,
      class: "box",
      oninput: () => this._resize(),
      onkeydown: (event) => this._key(event),
      onpaste: (event) => this._paste(event),
    });
    this._suggestions = new Suggestions(
      this._box,
      app.store,
      () => app.store.conversations.get(conversation)?.members ?? [],
    );
    this._uploads = new Uploads(() => this._update());
    this._recorder = new Recorder({
      onClip: (...clip) => this._sendClip(...clip),
      onState: (isOpen) => this._recording(isOpen),
    });
    this._picker = h("input", {
      type: "file",
      multiple: true,
      class: "visually-hidden",
      tabindex: "-1",
      "aria-hidden": "true",
      onchange: () => this._picked(),
    });
    this._attach = iconButton("attach", "", () => this._picker.click());
    this._mention = iconButton("at", "", () => this._insertAt());
    this._mic = iconButton("mic", "", () => this._recorder.start());
    this._send = iconButton("send", "", () => this.send(), { class: "icon-button send" });
    this._bar = h(
      "div",
      { class: "composer-bar" },
      this._attach,
      this._mention,
      this._mic,
      h("span", { class: "grow" }),
      this._send,
    );
    this._frame = h(
      "div",
      { class: "composer-frame" },
      this._suggestions.node,
      this._uploads.node,
      this._box,
      this._bar,
      this._recorder.node,
      this._picker,
    );
    this._hint = h("p", { class: "composer-hint" });
    this.node = h("div", { class: "composer" }, this._frame, this._hint);
  }

  /** Put its words into the current language. */
  render(name) {
    const label = this._where.thread_ts ? t("writeReply") : t("write", { name });
    this._box.placeholder = label;
    this._box.setAttribute("aria-label", label);
    for (const [button, key] of [
      [this._attach, "attach"],
      [this._mention, "mention"],
      [this._mic, "record"],
      [this._send, "send"],
    ]) {
      button.setAttribute("aria-label", t(key));
      button.title = t(key);
    }
    this._hint.textContent = t("hintKeys");
    this._update();
  }

  /** Out of sight: a microphone that nobody sees must not listen. Words and files stay. */
  leave() {
    this._recorder.cancel();
  }

  focus() {
    this._box.focus();
  }

  addFiles(files) {
    if (files.length) this._uploads.add(files);
    this.focus();
  }

  async send() {
    const typed = this._box.value.trim();
    if (this._sending || (!typed && this._uploads.isEmpty)) return;
    const text = encodeMentions(typed, this._app.store);
    this._setText("");
    this._sending = true;
    this._update();
    try {
      await this._deliver(text);
    } catch (error) {
      if (!this._box.value) this._setText(typed);
      toastError(error);
    } finally {
      this._sending = false;
      this._update();
    }
  }

  async _deliver(text) {
    const { api } = this._app;
    const travels = !this._uploads.isEmpty && encodeURIComponent(text).length <= MAX_QUERY_TEXT;
    if (text && !travels) await api.post("post", { ...this._where, text });
    if (!this._uploads.isEmpty) await this._uploads.send(api, this._where, travels ? text : "");
  }

  _sendClip(clip, name, length) {
    return this._app.api.send("record", { ...this._where, name, duration_ms: length }, clip);
  }

  _recording(isOpen) {
    this._frame.classList.toggle("is-recording", isOpen);
    if (!isOpen) this.focus();
  }

  _key(event) {
    if (event.isComposing || event.keyCode === 229) return; // Enter chooses a word in a Chinese input method
    if (this._suggestions.key(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.send();
  }

  _paste(event) {
    const files = [...event.clipboardData.files];
    if (!files.length) return;
    event.preventDefault();
    this.addFiles(files);
  }

  _picked() {
    this.addFiles([...this._picker.files]);
    this._picker.value = "";
  }

  _insertAt() {
    const { selectionStart: at, value } = this._box;
    this._box.focus();
    this._box.setRangeText(at === 0 || /\s$/.test(value.slice(0, at)) ? "@" : " @", at, this._box.selectionEnd, "end");
    this._box.dispatchEvent(new Event("input"));
  }

  _setText(text) {
    this._box.value = text;
    this._resize();
  }

  _resize() {
    this._box.style.height = "auto";
    this._box.style.height = `${Math.min(this._box.scrollHeight, 240)}px`;
    this._update();
  }

  _update() {
    this._send.disabled = this._sending || (!this._box.value.trim() && this._uploads.isEmpty);
  }
}

// Files on their way: staged beside the text box, then sent one after the other, each with its own progress.

import { h, icon, iconButton } from "./dom.js";
import { byteSize, t } from "./i18n.js";
import { toast } from "./toast.js";

export class Uploads {
  constructor(onChange) {
    this._items = []; // {file, progress: null | 0..1, abort, failed}
    this._onChange = onChange;
    this.node = h("ul", { class: "uploads", hidden: true });
  }

  get isEmpty() {
    return this._items.length === 0;
  }

  add(files) {
    this._items.push(...files.map((file) => ({ file, progress: null, abort: new AbortController() })));
    this._draw();
  }

  /**
   * Send all, `text` with the first; a file that fails stays with its reason and can be sent again.
   * Returns whether all arrived.
   */
  async send(api, query, text) {
    let words = text;
    for (const item of this._items.filter((one) => one.progress === null)) {
      item.progress = 0;
      item.failed = null;
      this._draw();
      try {
        await api.send("upload", { ...query, name: item.file.name, text: words || undefined }, item.file, {
          onProgress: (share) => this._progress(item, share),
          signal: item.abort.signal,
        });
        words = "";
        this._items = this._items.filter((one) => one !== item);
      } catch (error) {
        if (error.code === undefined) throw error;
        item.progress = null;
        item.failed = error.code === "cancelled" ? null : error.message;
        if (item.failed) toast(t("failed", { reason: item.failed }));
      }
      this._draw();
    }
    return this.isEmpty;
  }

  _progress(item, share) {
    item.progress = share;
    if (!item.bar) return;
    item.bar.value = share;
    item.state.textContent = t("uploading", { percent: Math.round(share * 100) });
  }

  _drop(item) {
    item.abort.abort();
    this._items = this._items.filter((one) => one !== item);
    this._draw();
  }

  _draw() {
    this.node.hidden = this.isEmpty;
    this.node.replaceChildren(...this._items.map((item) => this._row(item)));
    this._onChange();
  }

  _row(item) {
    const isSending = item.progress !== null;
    item.state = h(
      "span",
      { class: item.failed ? "file-meta field-error" : "file-meta", role: "status" },
      item.failed ??
        (isSending
          ? t("uploading", { percent: Math.round(item.progress * 100) })
          : `${byteSize(item.file.size)} · ${t("waiting")}`),
    );
    item.bar = isSending ? h("progress", { max: "1", value: item.progress, "aria-label": item.file.name }) : null;
    const words = h(
      "div",
      { class: "file-words" },
      h("span", { class: "file-name" }, item.file.name),
      item.state,
      item.bar,
    );
    return h(
      "li",
      { class: "upload" },
      icon("file"),
      words,
      iconButton("close", t("removeFile", { name: item.file.name }), () => this._drop(item)),
    );
  }
}

/** Make `pane` take dropped files; folders are named and refused. */
export function dropZone(pane, onFiles) {
  let depth = 0; // dragenter and dragleave come for every child that is crossed
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (entered) => {
    depth = Math.max(0, depth + entered);
    pane.classList.toggle("dropping", depth > 0);
  };
  pane.addEventListener("dragenter", (event) => carriesFiles(event) && mark(1));
  pane.addEventListener("dragleave", (event) => carriesFiles(event) && mark(-1));
  pane.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
  pane.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    pane.classList.remove("dropping");
    onFiles(filesOf(event.dataTransfer));
  });
  return h("div", { class: "drop-note", "aria-hidden": "true" }, t("dropHere"));
}

function filesOf(transfer) {
  const folders = new Set(
    [...transfer.items]
      .map((item) => item.webkitGetAsEntry?.())
      .filter((entry) => entry?.isDirectory)
      .map((entry) => entry.name),
  );
  folders.forEach((name) => toast(t("dropFolder", { name })));
  return [...transfer.files].filter((file) => !folders.has(file.name));
}

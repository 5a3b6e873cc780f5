// Files in messages: a player for sound and video, a picture, or a card; and the page of one file.

import { h, icon } from "./dom.js";
import { byteSize, duration, t } from "./i18n.js";

/** Slack labels a voice clip by its subtype; its mimetype may say video. */
function isVoiceClip(file) {
  return file.subtype === "slack_audio" || /^audio_message/.test(file.name ?? "");
}

/** One file of a message. `context`: `fileUrl(id)`, `openFile(file)`. */
export function fileNode(file, context) {
  if (file.mode === "tombstone" || file.deleted)
    return h("div", { class: "file file-gone" }, icon("trash"), t("fileGone"));
  const address = context.fileUrl(file.id);
  if (isVoiceClip(file) || file.mimetype?.startsWith("audio/")) return audio(file, address);
  if (file.mimetype?.startsWith("video/"))
    return h(
      "div",
      { class: "file file-media", "data-file": file.id },
      h("video", { controls: true, preload: "metadata", src: address }),
      caption(file, address),
    );
  if (isPicture(file)) return picture(file, address, context);
  return card(file, address, context);
}

function isPicture(file) {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(file.mimetype ?? "");
}

function audio(file, address) {
  const label = isVoiceClip(file) ? t("voiceClip") : file.name;
  const transcript = file.transcription?.status === "complete" && file.transcription.preview?.content;
  return h(
    "div",
    { class: "file file-audio", "data-file": file.id },
    h(
      "div",
      { class: "file-line" },
      icon("mic"),
      h("span", { class: "file-name" }, label),
      file.duration_ms && h("span", { class: "file-meta" }, duration(file.duration_ms)),
    ),
    h("audio", { controls: true, preload: "metadata", src: address, "aria-label": label }),
    transcript && h("p", { class: "transcript" }, h("span", { class: "file-meta" }, t("transcript"), " "), transcript),
  );
}

function picture(file, address, context) {
  const image = h("img", { src: address, alt: file.title || file.name, loading: "lazy" });
  const button = h(
    "button",
    {
      type: "button",
      class: "picture",
      "aria-label": `${t("open")} ${file.name}`,
      onclick: () => context.openFile(file),
    },
    image,
  );
  return h("div", { class: "file file-media", "data-file": file.id }, button, caption(file, address));
}

function caption(file, address) {
  return h(
    "div",
    { class: "file-line" },
    h("span", { class: "file-name" }, file.name),
    h("span", { class: "file-meta" }, byteSize(file.size ?? 0)),
    downloadLink(file, address),
  );
}

function card(file, address, context) {
  return h(
    "div",
    { class: "file file-card", "data-file": file.id },
    h("span", { class: `file-type type-${family(file)}`, "aria-hidden": "true" }, extension(file)),
    h(
      "div",
      { class: "file-words" },
      h("span", { class: "file-name" }, file.title || file.name),
      h("span", { class: "file-meta" }, `${extension(file)} · ${byteSize(file.size ?? 0)}`),
    ),
    h("button", { type: "button", class: "quiet", onclick: () => context.openFile(file) }, t("open")),
    downloadLink(file, address),
  );
}

function downloadLink(file, address) {
  return h(
    "a",
    {
      class: "icon-button",
      href: address,
      download: file.name,
      "aria-label": `${t("download")} ${file.name}`,
      title: t("download"),
    },
    icon("download"),
  );
}

function extension(file) {
  return (/\.([a-z0-9]{1,5})$/i.exec(file.name ?? "")?.[1] ?? file.filetype ?? "file").toUpperCase();
}

function family(file) {
  const known = {
    PDF: "red",
    DOC: "blue",
    DOCX: "blue",
    XLS: "green",
    XLSX: "green",
    CSV: "green",
    PPT: "amber",
    PPTX: "amber",
  };
  return known[extension(file)] ?? "grey";
}

const TEXT = /^(text\/(?!html)|application\/json)/;
const PREVIEW_BYTES = 200_000;

/** The content of a file for the dialog that "Open" shows; asked for as the current person, so refused to others. */
export async function filePreview(id, context) {
  const response = await fetch(context.fileUrl(id));
  if (!response.ok)
    return { title: t("open"), body: h("p", { class: "empty" }, t("fileForbidden", { name: context.myName })) };
  const mimetype = response.headers.get("Content-Type") ?? "";
  const name = fileName(response.headers.get("Content-Disposition")) ?? id;
  const file = { id, name, mimetype: mimetype.split(";")[0], size: Number(response.headers.get("Content-Length")) };
  const address = context.fileUrl(id);
  const head = h(
    "div",
    { class: "file-line" },
    h("span", { class: "file-meta" }, `${extension(file)} · ${byteSize(file.size)}`),
    downloadLink(file, address),
  );
  return { title: name, body: h("div", { class: "preview" }, head, await content(file, address, response)) };
}

async function content(file, address, response) {
  if (isPicture(file)) return h("img", { src: address, alt: file.name });
  if (file.mimetype.startsWith("audio/")) return h("audio", { controls: true, src: address });
  if (file.mimetype.startsWith("video/")) return h("video", { controls: true, src: address });
  if (!TEXT.test(file.mimetype)) {
    await response.body?.cancel();
    const save = h(
      "a",
      { class: "button primary", href: address, download: file.name },
      icon("download"),
      t("download"),
    );
    return h("div", { class: "empty" }, h("p", null, t("fileNoPreview")), save);
  }
  const text = await (await response.blob()).slice(0, PREVIEW_BYTES).text();
  return [
    h("pre", { class: "code", tabindex: "0" }, text),
    file.size > PREVIEW_BYTES && h("p", { class: "hint" }, t("fileCut")),
  ];
}

function fileName(disposition) {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition ?? "")?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(disposition ?? "")?.[1];
}

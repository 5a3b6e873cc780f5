// One message: who, when, what, and what can be done with it.

import { renderAttachment } from "./attachments.js";
import { renderBlocks } from "./blocks.js";
import { h, icon, iconButton } from "./dom.js";
import { editor } from "./editor.js";
import { emoji } from "./emoji.js";
import { fileNode } from "./files.js";
import { clockTime, fullTime, isoTime, t, when } from "./i18n.js";
import { mrkdwn } from "./mrkdwn.js";
import { avatar, badges } from "./people.js";

const NOTICES = {
  channel_join: "joined",
  group_join: "joined",
  channel_leave: "left",
  group_leave: "left",
  channel_convert_to_private: "becamePrivate",
};

/** Whether `message` continues the block of `before`: the same author within five minutes, nothing special about either. */
export function continues(before, message) {
  if (!before || isNotice(before) || isNotice(message) || before.ephemeral || message.ephemeral) return false;
  return authorOf(before) === authorOf(message) && Number(message.ts) - Number(before.ts) < 300;
}

function isNotice(message) {
  return (
    Object.hasOwn(NOTICES, message.subtype ?? "") ||
    message.subtype === "tombstone" ||
    message.subtype === "channel_topic"
  );
}

function authorOf(message) {
  return message.user ?? message.bot_id ?? "";
}

/**
 * The node of one message. `view`: `app`, `conversation`, `threadTs` (inside a thread), `grouped`, `editing`,
 * `onEdit(ts | null)`.
 */
export function messageNode(message, view) {
  const { store } = view.app;
  if (isNotice(message)) return notice(message, store);
  const isBot = Boolean(message.bot_id) || message.user === store.bot.user_id;
  const id = authorOf(message) || "?";
  const name =
    isBot && !store.person(message.user) ? (message.username ?? store.bot.name) : store.nameOf(message.user ?? id);
  const classes = [
    "message",
    view.grouped && "grouped",
    message.ephemeral && "ephemeral",
    view.editing && "editing",
  ].filter(Boolean);
  return h(
    "article",
    {
      class: classes.join(" "),
      role: "listitem",
      "data-ts": message.ts,
      "data-author": id,
      tabindex: "-1",
      "aria-label": `${name}, ${clockTime(message.ts)}`,
    },
    message.ephemeral && onlyYou(message, view),
    h("div", { class: "gutter" }, view.grouped ? time(message) : avatar(id, name, { bot: isBot })),
    h(
      "div",
      { class: "content" },
      !view.grouped &&
        h(
          "header",
          null,
          h("span", { class: "author" }, name),
          isBot ? h("span", { class: "badge" }, t("appBadge")) : badges(store.person(message.user)),
          time(message),
        ),
      view.editing ? editor(message, view) : body(message, view, isBot),
      reactions(message, store),
      threadSummary(message, view),
    ),
    !view.editing && tools(message, view, isBot),
  );
}

function notice(message, store) {
  if (message.subtype === "tombstone")
    return h("div", { class: "notice", role: "listitem", "data-ts": message.ts }, t("gone"));
  const words = NOTICES[message.subtype]
    ? [h("strong", null, store.nameOf(message.user)), " ", t(NOTICES[message.subtype])]
    : mrkdwn(message.text ?? "", store.names);
  return h("div", { class: "notice", role: "listitem", "data-ts": message.ts }, words, " ", time(message));
}

function time(message) {
  return h("time", { datetime: isoTime(message.ts), title: fullTime(message.ts) }, clockTime(message.ts));
}

function onlyYou(message, view) {
  const dismiss = () => view.app.store.dismiss(view.conversation.id, message.ts);
  return h(
    "div",
    { class: "only-you" },
    icon("eye"),
    t("onlyYou"),
    " · ",
    h("button", { type: "button", class: "linklike", onclick: dismiss }, t("dismiss")),
  );
}

function body(message, view, isBot) {
  const context = actContext(message, view);
  const hasBlocks = message.blocks?.length > 0;
  const fromClient = hasBlocks && !isBot && message.blocks.every((block) => block.type === "rich_text");
  const shown =
    hasBlocks && !fromClient ? renderBlocks(message.blocks, context) : mrkdwn(message.text ?? "", context.names);
  const mark = message.edited && !isBot ? h("span", { class: "edited" }, " ", t("edited")) : null;
  return [
    (shown.length > 0 || mark) && h("div", { class: "text" }, shown, mark),
    message.files?.map((file) => fileNode(file, view.app.fileContext)),
    message.attachments?.map((one) => renderAttachment(one, context)),
  ];
}

function actContext(message, view) {
  const { app, conversation } = view;
  const act = (block, element) =>
    app.attempt(() =>
      app.api.post("click", {
        conversation: conversation.id,
        message_ts: message.ts,
        block_id: block.block_id,
        action_id: element.action_id,
      }),
    );
  return { names: app.store.names, act };
}

function reactions(message, store) {
  if (!message.reactions?.length) return null;
  const chips = message.reactions.map((one) => {
    const names = one.users.map((id) => store.nameOf(id)).join(", ");
    const label = `${one.name.replace(/_/g, " ")}: ${names}`;
    return h(
      "span",
      { class: "reaction", role: "img", "aria-label": label, title: label, "data-reaction": one.name },
      emoji(one.name) ?? `:${one.name}:`,
      h("span", { class: "count" }, one.count),
    );
  });
  return h("div", { class: "reactions" }, chips);
}

function threadSummary(message, view) {
  if (view.threadTs || !message.reply_count) return null;
  const repliers = (message.reply_users ?? []).slice(0, 4);
  return h(
    "button",
    { type: "button", class: "thread-summary", onclick: () => view.app.openThread(view.conversation.id, message.ts) },
    repliers.map((id) =>
      avatar(id, view.app.store.nameOf(id), { small: true, bot: id === view.app.store.bot.user_id }),
    ),
    h("span", { class: "reply-count" }, t("replies", message.reply_count)),
    message.latest_reply && h("span", { class: "last-reply" }, t("lastReply", { when: when(message.latest_reply) })),
  );
}

function tools(message, view, isBot) {
  const { app, conversation } = view;
  if (message.ephemeral) return null;
  const own = message.user === app.store.me && !isBot;
  const buttons = [
    !view.threadTs &&
      iconButton("reply", t("replyInThread"), () =>
        app.openThread(conversation.id, message.thread_ts ?? message.ts, true),
      ),
    message.files?.length > 0 && app.store.bot.shortcuts.map((one) => shortcut(one, message, view)),
    own && message.text && iconButton("edit", t("edit"), () => view.onEdit(message.ts)),
    own && iconButton("trash", t("remove"), () => remove(message, view)),
  ]
    .flat()
    .filter(Boolean);
  return buttons.length > 0 && h("div", { class: "tools", role: "toolbar" }, buttons);
}

/** An entry of the app in the message's menu. */
function shortcut({ name, callback_id }, message, { app, conversation }) {
  const use = () =>
    app.attempt(() => app.api.post("shortcut", { conversation: conversation.id, message_ts: message.ts, callback_id }));
  return iconButton("eye", name, use);
}

async function remove(message, view) {
  const { app, conversation } = view;
  const files = message.files?.filter((file) => file.mode !== "tombstone" && file.user === app.store.me) ?? [];
  const question = [t("removeAsk"), files.length > 0 && t("removeFiles")].filter(Boolean).join(" ");
  if (!(await app.confirm(question, t("removeDo")))) return;
  await app.attempt(async () => {
    for (const file of files) await app.api.post("delete_file", { file: file.id });
    await app.api.post("delete", { conversation: conversation.id, ts: message.ts });
  });
}

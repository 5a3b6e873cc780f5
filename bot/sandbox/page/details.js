// Dialogs about conversations: who is in one, a new channel, a new direct message.

import { openDialog, openForm } from "./dialog.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { avatar, badges } from "./people.js";

function personRow(store, id) {
  const name = store.nameOf(id);
  const person = store.person(id);
  return [
    avatar(id, name, { small: true, bot: person?.is_bot }),
    h("span", { class: "person-name" }, name),
    h("span", { class: "handle" }, `@${person?.name ?? id}`),
    badges(person),
  ];
}

/** Members, and for members of a channel: adding somebody and leaving. */
export function showDetails(app, id) {
  const { store } = app;
  const conversation = store.conversations.get(id);
  const isOpen = store.isChannel(conversation) && conversation.is_member;
  const members = h(
    "ul",
    { class: "people-list" },
    conversation.members.map((one) => h("li", null, personRow(store, one))),
  );
  const leave = async () => {
    dialog.close();
    if (await app.attempt(() => app.api.post("leave", { conversation: id }))) app.go({ conversation: null });
  };
  const dialog = openDialog({
    title: (store.isChannel(conversation) ? "#" : "") + store.titleOf(conversation),
    body: [
      conversation.topic ? h("p", null, conversation.topic) : null,
      h("h3", null, t("members", conversation.members.length)),
      members,
      isOpen ? invitation(app, conversation, () => dialog.close()) : null,
    ],
    footer: isOpen ? [h("button", { type: "button", class: "button danger", onclick: leave }, t("leave"))] : [],
  });
}

function invitation(app, conversation, done) {
  const { store } = app;
  const absent = [...store.people.values()].filter(
    (person) => !person.deleted && !conversation.members.includes(person.id),
  );
  if (!absent.length) return null;
  const choice = h(
    "select",
    { id: "invite" },
    absent.map((person) => h("option", { value: person.id }, `${store.nameOf(person.id)} (@${person.name})`)),
  );
  const invite = async () => {
    if (await app.attempt(() => app.api.post("invite", { conversation: conversation.id, user: choice.value }))) done();
  };
  return h(
    "div",
    { class: "invite" },
    h("label", { for: "invite" }, t("inviteWho")),
    choice,
    h("button", { type: "button", class: "button", onclick: invite }, t("invite")),
  );
}

export function newChannel(app) {
  const name = h("input", {
    id: "channel-name",
    required: true,
    maxlength: "80",
    pattern: "[\\p{Ll}\\p{Lo}\\p{N}_\\-]+",
    autocomplete: "off",
  });
  const secret = h("input", { type: "checkbox" });
  openForm({
    title: t("newChannel"),
    body: [
      h("label", { for: "channel-name" }, t("name")),
      name,
      h("p", { class: "hint" }, t("nameHint")),
      h("label", { class: "choice" }, secret, " ", t("makePrivate")),
    ],
    submit: t("create"),
    attempt: (work) => app.attempt(work),
    onSubmit: () => create(app, { kind: secret.checked ? "private" : "public", name: name.value, members: [] }),
  });
}

export function newMessage(app) {
  const { store } = app;
  const others = [...store.people.values()].filter((person) => !person.deleted && person.id !== store.me);
  const boxes = others.map((person) => h("input", { type: "checkbox", value: person.id }));
  const rows = others.map((person, i) =>
    h("li", null, h("label", { class: "choice" }, boxes[i], personRow(store, person.id))),
  );
  openForm({
    title: t("newMessage"),
    body: h("fieldset", null, h("legend", null, t("withWhom")), h("ul", { class: "people-list" }, rows)),
    submit: t("start"),
    attempt: (work) => app.attempt(work),
    onSubmit: async () => {
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      if (chosen.length) await openDirect(app, chosen);
    },
  });
}

/** The direct message with these people, made when there is none. */
export function openDirect(app, people) {
  return create(app, { kind: people.length > 1 ? "group_dm" : "dm", members: people });
}

async function create(app, request) {
  const { conversation } = await app.api.post("create", request);
  await app.store.loadConversations();
  app.go({ conversation: conversation.id ?? conversation });
}

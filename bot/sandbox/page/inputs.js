// Input blocks of modals, and reading their values in the form that Slack's view.state has.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { textObject } from "./text.js";

/** A labelled control. It registers in `context.inputs` under block and action id how its value is read. */
export function inputBlock(block, context) {
  const { element } = block;
  const id = `input-${block.block_id}`;
  const make = CONTROLS[element.type];
  if (!make) return h("span", { class: "block-unknown" }, `[${element.type}]`);
  const { node, read } = make(element, id, context);
  context.inputs.set(block.block_id, { action: element.action_id, type: element.type, read, optional: Boolean(block.optional) });
  return [
    h("label", { for: id }, textObject(block.label, context)),
    node,
    block.hint && h("p", { class: "hint" }, textObject(block.hint, context)),
  ];
}

const CONTROLS = {
  plain_text_input: (element, id) => {
    const attributes = { id, value: element.initial_value ?? "", placeholder: element.placeholder?.text, maxlength: element.max_length };
    const node = h(element.multiline ? "textarea" : "input", attributes);
    if (element.multiline) node.rows = 5;
    return { node, read: () => ({ value: node.value || null }) };
  },
  static_select: (element, id) => select(element, id, element.options.map((one) => [one.value, one.text.text, one])),
  users_select: (element, id, context) => {
    const people = context.people.map((person) => [person.id, person.real_name || person.name, person.id]);
    const { node, read } = select({ ...element, initial_option: { value: element.initial_user } }, id, people);
    return { node, read: () => ({ selected_user: read().selected_option }) };
  },
  checkboxes: (element, id) => {
    const initial = new Set((element.initial_options ?? []).map((one) => one.value));
    const { node, chosen } = choices(element, id, "checkbox", initial);
    return { node, read: () => ({ selected_options: chosen() }) };
  },
  radio_buttons: (element, id) => {
    const { node, chosen } = choices(element, id, "radio", new Set([element.initial_option?.value]));
    return { node, read: () => ({ selected_option: chosen()[0] ?? null }) };
  },
};

/** `rows`: value, label, and what the value stands for when it is read. */
function select(element, id, rows) {
  const empty = h("option", { value: "" }, element.placeholder?.text ?? t("chooseOption"));
  const node = h("select", { id }, empty, rows.map(([value, label]) => h("option", { value }, label)));
  node.value = element.initial_option?.value ?? "";
  return { node, read: () => ({ selected_option: rows.find(([value]) => value === node.value)?.[2] ?? null }) };
}

function choices(element, id, type, initial) {
  const boxes = element.options.map((option, i) => h("input", { type, name: id, id: i ? `${id}-${i}` : id, checked: initial.has(option.value) }));
  const rows = element.options.map((option, i) => h("label", { class: "choice" }, boxes[i], " ", option.text.text));
  return { node: h("div", { class: "choices" }, rows), chosen: () => element.options.filter((_, i) => boxes[i].checked) };
}

/** All values as `{block_id: {action_id: {type, …}}}`, and the ids of required inputs that are empty. */
export function readInputs(inputs) {
  const values = {};
  const missing = [];
  for (const [block, { action, type, read, optional }] of inputs) {
    const value = read();
    values[block] = { [action]: { type, ...value } };
    const [content] = Object.values(value);
    if (!optional && (content === null || content.length === 0)) missing.push(block);
  }
  return { values, missing };
}

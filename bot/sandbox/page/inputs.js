// Input blocks of modals, and reading what was typed.

import { h } from "./dom.js";
import { textObject } from "./text.js";

/** A labelled text box. It registers in `context.inputs` under its block id how it is read. */
export function inputBlock(block, context) {
  const { element } = block;
  if (element.type !== "plain_text_input") return h("span", { class: "block-unknown" }, `[${element.type}]`);
  const id = `input-${block.block_id}`;
  const attributes = {
    id,
    value: element.initial_value ?? "",
    placeholder: element.placeholder?.text,
    maxlength: element.max_length,
  };
  const box = h(element.multiline ? "textarea" : "input", attributes);
  if (element.multiline) box.rows = 5;
  context.inputs.set(block.block_id, { action: element.action_id, box, isOptional: Boolean(block.optional) });
  return [
    h("label", { for: id }, textObject(block.label, context)),
    box,
    block.hint && h("p", { class: "hint" }, textObject(block.hint, context)),
  ];
}

/** What stands in the boxes as `{block_id: {action_id: text}}`, and the blocks that are required and empty. */
export function readInputs(inputs) {
  const filled = [...inputs].map(([block, { action, box }]) => [block, { [action]: box.value }]);
  const missing = [...inputs]
    .filter(([, { box, isOptional }]) => !isOptional && !box.value.trim())
    .map(([block]) => block);
  return { values: Object.fromEntries(filled), missing };
}

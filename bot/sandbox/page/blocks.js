// Block Kit as messages and modals carry it. An unknown block says its type rather than vanish.

import { busy } from "./busy.js";
import { confirmDialog } from "./dialog.js";
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { inputBlock } from "./inputs.js";
import { link, safeUrl } from "./links.js";
import { markdown } from "./markdown.js";
import { richText } from "./richtext.js";
import { textObject } from "./text.js";

/**
 * Render a list of blocks. `context`: `names` as in mrkdwn.js; `act(block, element)` → promise of a click;
 * `inputs` in modals only.
 */
export function renderBlocks(blocks, context) {
  return blocks.map((block) => {
    const render = RENDERERS[block.type];
    if (!render) return h("div", { class: "block block-unknown" }, `[${block.type}]`);
    return h("div", { class: `block block-${block.type}`, "data-block": block.block_id }, render(block, context));
  });
}

const RENDERERS = {
  section: (block, context) => [
    h(
      "div",
      { class: "section-body" },
      block.text && textObject(block.text, context),
      block.fields && fields(block.fields, context),
    ),
    block.accessory && h("div", { class: "accessory" }, element(block.accessory, block, context)),
  ],
  header: (block, context) => h("h3", null, textObject(block.text, context)),
  divider: () => h("hr"),
  context: (block, context) =>
    block.elements.map((one) => h("span", { class: "context-item" }, element(one, block, context))),
  actions: (block, context) => block.elements.map((one) => element(one, block, context)),
  context_actions: (block, context) => block.elements.map((one) => element(one, block, context)),
  image: (block, context) =>
    h("figure", null, image(block), block.title && h("figcaption", null, textObject(block.title, context))),
  markdown: (block, context) => markdown(block.text ?? "", context.names),
  rich_text: (block, context) => richText(block, context.names),
  input: inputBlock,
};

function fields(items, context) {
  return h(
    "div",
    { class: "fields" },
    items.map((item) => h("div", null, textObject(item, context))),
  );
}

function element(one, block, context) {
  if (one.type === "button") return button(one, block, context);
  if (one.type === "feedback_buttons") {
    return [one.positive_button, one.negative_button].map((choice) =>
      button({ ...choice, action_id: one.action_id }, block, context),
    );
  }
  if (one.type === "icon_button") return button(one, block, context);
  if (one.type === "image") return image(one);
  if (one.text !== undefined) return textObject(one, context);
  return h("span", { class: "block-unknown" }, `[${one.type}]`);
}

/** Pictures come from this workspace alone: one from elsewhere is a link, so that nothing is loaded from outside. */
function image(item) {
  const address = safeUrl(item.image_url);
  const label = item.alt_text || t("image");
  if (address && new URL(address).origin === location.origin)
    return h("img", { src: address, alt: label, loading: "lazy" });
  return address ? link(address, t("externalImage", { name: label })) : h("span", { class: "dead-link" }, label);
}

function button(one, block, context) {
  const classes = `button ${one.style === "primary" || one.style === "danger" ? one.style : ""}`;
  const act = async () => {
    const { confirm } = one;
    if (!confirm || (await confirmDialog(confirm.text.text, confirm.confirm.text, confirm.deny.text, confirm.title.text)))
      await context.act(block, one);
  };
  const address = one.url && safeUrl(one.url);
  const attributes = { class: classes, "data-action": one.action_id, "aria-label": one.accessibility_label };
  if (address)
    return h(
      "a",
      { ...attributes, href: address, target: "_blank", rel: "noopener noreferrer", onclick: () => void act() },
      buttonLabel(one, context),
    );
  return h(
    "button",
    { ...attributes, type: "button", onclick: (event) => busy(event.currentTarget, act) },
    buttonLabel(one, context),
  );
}

function buttonLabel(one, context) {
  return one.text ? textObject({ ...one.text, type: "plain_text" }, context) : icon("reply");
}

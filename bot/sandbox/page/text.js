// Text objects of Block Kit.

import { h } from "./dom.js";
import { mrkdwn } from "./mrkdwn.js";

/** A text object: plain_text stays as it is, mrkdwn is rendered. */
export function textObject(object, context) {
  if (object.type === "mrkdwn") return mrkdwn(object.text ?? "", context.names);
  return (object.text ?? "").split("\n").flatMap((line, i) => (i ? [h("br"), line] : [line]));
}

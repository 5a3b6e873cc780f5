// Elements are made by DOM methods alone: data becomes text nodes and attributes, never markup.

const PROPERTIES = new Set([
  "value",
  "checked",
  "disabled",
  "hidden",
  "readOnly",
  "multiple",
  "autofocus",
  "className",
]);

/** Make an element. `onclick: f` adds a listener, `class`, `aria-*` … set attributes, null/false leave them out. */
export function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return append(node, children);
}

/** Append nodes and strings, however nested; null and false are left out. */
export function append(node, children) {
  node.append(...wantedOf(children));
  return node;
}

function wantedOf(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Make `children` the only content of `node`. What stays is not moved: it keeps its focus, its scrolling, its playing. */
export function fill(node, ...children) {
  const wanted = wantedOf(children).map((one) => (one instanceof Node ? one : document.createTextNode(String(one))));
  const kept = new Set(wanted);
  for (const child of [...node.childNodes]) if (!kept.has(child)) child.remove();
  let at = node.firstChild;
  for (const child of wanted) {
    if (child === at) at = at.nextSibling;
    else node.insertBefore(child, at);
  }
  return node;
}

const drawnFrom = new WeakMap();

/**
 * Fill `node` with what `draw()` gives, but only when `state` (anything that JSON can write) differs from the last time:
 * what has the focus or is being pressed stays where it is.
 */
export function redraw(node, state, draw) {
  const written = JSON.stringify(state);
  if (drawnFrom.get(node) === written) return;
  drawnFrom.set(node, written);
  fill(node, draw());
}

const ICONS = {
  lock: "M7 10V7a5 5 0 0 1 10 0v3h1.5v10h-13V10Zm2 0h6V7a3 3 0 0 0-6 0Z",
  home: "M4 11 12 4l8 7v9h-5.500v-6h-5v6H4Z",
  hash: "M9 4 7.4 20M16.6 4 15 20M4.5 9h16M3.5 15h16",
  back: "M14.5 5 7.5 12l7 7",
  close: "M6 6l12 12M18 6 6 18",
  send: "M4 11.5 20 4.5l-5 15.5-3.5-6.5Z",
  attach: "M12 5v14M5 12h14",
  mic: "M12 3.5a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0v-5a3 3 0 0 1 3-3ZM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21",
  at: "M15.5 8.5v5.2c0 3 4.5 2.6 4.5-1.7a8 8 0 1 0-3.2 6.4M15.5 12a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0Z",
  reply: "M4 5h16v11h-9l-5 4v-4H4Z",
  edit: "M5 19h3.5L19 8.5 15.5 5 5 15.500Z",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13",
  eye: "M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.500S2.5 12 2.5 12Zm12 0a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z",
  file: "M6.5 3.500h7l4 4v13h-11ZM13.5 3.500v4h4",
  download: "M12 4v11m0 0 4.5-4.500M12 15l-4.5-4.500M5 20h14",
  people:
    "M9 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 19.500c0-3.5 3-5.5 6.5-5.500s6.5 2 6.5 5.500M16 5a3.5 3.5 0 0 1 0 6.500M18 14.500c2 .7 3.5 2.3 3.5 5",
  down: "M12 5v14m0 0 6-6m-6 6-6-6",
  stop: "M7 7h10v10H7Z",
  plus: "M12 5v14M5 12h14",
  chevron: "M7 10l5 5 5-5",
};

/** A line icon; decoration only, the control that holds it carries the label. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  for (const [key, value] of [
    ["viewBox", "0 0 24 24"],
    ["class", `icon icon-${name}`],
    ["aria-hidden", "true"],
  ]) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button that is only an icon, named for screen readers and by its tooltip. */
export function iconButton(name, label, onclick, attributes = {}) {
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...attributes },
    icon(name),
  );
}

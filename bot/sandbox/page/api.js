// The control API as calls of one person: JSON, uploads with progress, and the stream of what that person can see.

import { t } from "./i18n.js";

/** A refusal by the workspace; `message` is for people. */
class Refused extends Error {
  constructor(code, message, fields) {
    super(message || code);
    this.code = code;
    this.fields = fields;
  }
}

async function answer(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Refused("offline", t("offline"));
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok || body.ok === false)
    throw new Refused(body.error ?? String(response.status), body.message, body.errors);
  return body;
}

function address(path, query) {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return `/control/${path}?${new URLSearchParams(entries)}`;
}

/** Calls that name nobody. */
export function workspace() {
  return answer(fetch(address("workspace")));
}

/** Calls as the person `me`. */
export class Api {
  constructor(me) {
    this.me = me;
  }

  get(path, query) {
    return answer(fetch(address(path, { as: this.me, ...query })));
  }

  post(path, body) {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ as: this.me, ...body }),
    };
    return answer(fetch(`/control/${path}`, init));
  }

  fileUrl(id) {
    return address(`files/${encodeURIComponent(id)}`, { as: this.me });
  }

  /** Send bytes: `path` is upload or record. XMLHttpRequest, because fetch cannot tell how far it is. */
  send(path, query, blob, { onProgress, signal } = {}) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", address(path, { as: this.me, ...query }));
      request.setRequestHeader("Content-Type", blob.type || "application/octet-stream");
      request.responseType = "json";
      request.upload.onprogress = (event) => event.lengthComputable && onProgress?.(event.loaded / event.total);
      request.onload = () => {
        const body = request.response ?? {};
        if (request.status < 400 && body.ok !== false) resolve(body);
        else reject(new Refused(body.error ?? String(request.status), body.message));
      };
      request.onerror = () => reject(new Refused("offline", t("offline")));
      request.onabort = () => reject(new Refused("cancelled"));
      signal?.addEventListener("abort", () => request.abort());
      request.send(blob);
    });
  }

  stream(handlers) {
    return new Stream(address("stream", { as: this.me }), handlers);
  }
}

const RETRY_MS = [200, 500, 1000, 2000, 4000];

/** A WebSocket that comes back: `onOpen` is called at every connection, so that the caller catches up on what it missed. */
class Stream {
  constructor(path, { onOpen, onEvent, onLost }) {
    this._address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this._handlers = { onOpen, onEvent, onLost };
    this._failures = 0;
    this._closed = false;
    this._connect();
  }

  _connect() {
    this._socket = new WebSocket(this._address);
    this._socket.onopen = () => {
      this._failures = 0;
      this._handlers.onOpen();
    };
    this._socket.onmessage = (message) => this._handlers.onEvent(JSON.parse(message.data));
    this._socket.onclose = () => {
      if (this._closed) return;
      this._handlers.onLost();
      const delay = RETRY_MS[Math.min(this._failures, RETRY_MS.length - 1)];
      this._failures += 1;
      this._timer = setTimeout(() => this._connect(), delay);
    };
  }

  close() {
    this._closed = true;
    clearTimeout(this._timer);
    this._socket.close();
  }
}

// Addresses of the page: `#/person/conversation/thread`, and Slack's own permalinks of files and messages.

export const PERSON = "haitang.person"; // the key under which this browser remembers who one was

export function address({ person, conversation, thread }) {
  return `/#/${[person, conversation, conversation && thread].filter(Boolean).map(encodeURIComponent).join("/")}`;
}

/** What a location or link names: any of `{person, conversation, thread, message, file}`. */
export function readAddress({ pathname, hash, search }) {
  const file = /^\/files\/([^/]+)/.exec(pathname);
  if (file) return { file: decodeURIComponent(file[1]) };
  const archive = /^\/archives\/([^/]+)(?:\/p(\d{10})(\d{6}))?/.exec(pathname);
  if (archive) return archived(archive, new URLSearchParams(search));
  const [person, conversation, thread] = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  return { person: person || undefined, conversation: conversation || undefined, thread: thread || undefined };
}

function archived([, conversation, seconds, micros], query) {
  const message = seconds ? `${seconds}.${micros}` : undefined;
  return { conversation: decodeURIComponent(conversation), thread: query.get("thread_ts") ?? undefined, message };
}

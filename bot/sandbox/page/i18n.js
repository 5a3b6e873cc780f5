// Every string of the page, English and Chinese side by side, and how times are written in each.

const KEY = "haitang.language";

const TEXTS = {
  app: ["Haitang · local workspace", "海棠 · 本地工作区"],
  channels: ["Channels", "频道"],
  moreChannels: ["Channels to join", "可加入的频道"],
  home: ["App Home", "应用主页"],
  directMessages: ["Direct messages", "私信"],
  newChannel: ["New channel", "新建频道"],
  newMessage: ["New message", "新建私信"],
  unread: ["unread", "未读"],
  privateChannel: ["private", "私密"],
  switchPerson: ["Switch person", "切换身份"],
  youAre: ["You are {name}", "当前身份：{name}"],
  actAs: ["Act as", "以此身份操作"],
  guest: ["guest", "访客"],
  admin: ["admin", "管理员"],
  stranger: ["external", "外部人员"],
  language: ["中文", "English"],
  languageHint: ["Switch the page to Chinese", "切换到英文界面"],
  back: ["Back", "返回"],
  backToChannels: ["Back to conversations", "返回会话列表"],
  backToConversation: ["Back to the conversation", "返回会话"],
  thread: ["Thread", "消息列"],
  closeThread: ["Close thread", "关闭消息列"],
  members: [(n) => (n === 1 ? "1 member" : `${n} members`), (n) => `${n} 名成员`],
  details: ["Members and details", "成员与详情"],
  messages: ["Messages in {name}", "{name} 的消息"],
  replies: [(n) => (n === 1 ? "1 reply" : `${n} replies`), (n) => `${n} 条回复`],
  lastReply: ["Last reply {when}", "最后回复：{when}"],
  replyInThread: ["Reply in thread", "在消息列中回复"],
  edit: ["Edit message", "编辑消息"],
  remove: ["Delete message", "删除消息"],
  removeAsk: ["Delete this message? This cannot be undone.", "确定删除这条消息吗？删除后无法恢复。"],
  removeFiles: ["Its files are deleted as well.", "其中的文件也会一并删除。"],
  removeDo: ["Delete", "删除"],
  edited: ["(edited)", "（已编辑）"],
  onlyYou: ["Only visible to you", "仅你可见"],
  dismiss: ["Dismiss", "隐藏"],
  appBadge: ["APP", "应用"],
  today: ["Today", "今天"],
  yesterday: ["Yesterday", "昨天"],
  newMessages: ["Jump to the latest", "跳到最新消息"],
  write: ["Message {name}", "发送消息到 {name}"],
  writeReply: ["Reply…", "回复…"],
  send: ["Send", "发送"],
  save: ["Save", "保存"],
  cancel: ["Cancel", "取消"],
  attach: ["Attach files", "添加文件"],
  mention: ["Mention somebody", "提及某人"],
  record: ["Record a voice clip", "录制语音"],
  recording: ["Recording", "正在录音"],
  recordCancel: ["Discard the recording", "放弃录音"],
  recordSend: ["Stop and send", "停止并发送"],
  recordDenied: [
    "The microphone is not available: allow it in the browser's settings and try again.",
    "无法使用麦克风：请在浏览器设置中允许访问后重试。",
  ],
  recordMissing: ["This browser cannot record audio.", "此浏览器不支持录音。"],
  recordEmpty: ["Nothing was recorded.", "没有录到声音。"],
  hintKeys: ["Enter sends, Shift + Enter starts a new line", "Enter 发送，Shift + Enter 换行"],
  dropHere: ["Drop files here to share them", "将文件拖到此处以分享"],
  dropFolder: ["{name} is a folder: share its files instead.", "{name} 是文件夹：请分享其中的文件。"],
  waiting: ["ready to send", "待发送"],
  uploading: ["uploading, {percent} %", "正在上传，{percent}%"],
  removeFile: ["Remove {name}", "移除 {name}"],
  suggestions: ["People", "人员"],
  joined: ["joined the channel.", "加入了频道。"],
  left: ["left the channel.", "离开了频道。"],
  becamePrivate: ["made this channel private.", "将此频道设为私密。"],
  gone: ["This message was deleted.", "此消息已被删除。"],
  fileGone: ["This file was deleted.", "此文件已被删除。"],
  open: ["Open", "打开"],
  download: ["Download", "下载"],
  transcript: ["Transcript", "转写"],
  voiceClip: ["Voice clip", "语音"],
  image: ["Image", "图片"],
  join: ["Join channel", "加入频道"],
  joinHint: ["You are looking at #{name} without being a member.", "你正在浏览 #{name}，尚未加入。"],
  leave: ["Leave channel", "退出频道"],
  invite: ["Add", "添加"],
  inviteWho: ["Add somebody", "添加成员"],
  close: ["Close", "关闭"],
  create: ["Create", "创建"],
  name: ["Name", "名称"],
  nameHint: ["lower-case letters, digits, hyphens or Chinese", "可用小写字母、数字、连字符或汉字"],
  makePrivate: ["Private: only members can see it", "私密：仅成员可见"],
  withWhom: ["With whom?", "与谁聊天？"],
  start: ["Start", "开始"],
  emptyChannel: ["This is the very beginning of {name}", "{name} 从这里开始"],
  emptyChannelHint: [
    "Upload a file here, or ask @{bot} about what has been shared.",
    "在这里上传文件，或 @{bot} 询问已分享的内容。",
  ],
  emptyBotDm: ["Ask {bot} anything about the files you may see", "向 {bot} 询问你有权查看的文件"],
  emptyBotDmHint: [
    "Write a question, record one, or drop a file here that only you can ask about.",
    "写下问题、录一段语音，或拖入一个只供你提问的文件。",
  ],
  emptyDmHint: ["Only the people in this conversation can read it.", "只有会话中的人可以看到这里的内容。"],
  choose: ["Choose a conversation on the left.", "请在左侧选择一个会话。"],
  noConversations: [
    "No conversations yet: create a channel or write to somebody.",
    "还没有会话：新建一个频道或给某人发消息。",
  ],
  loading: ["Loading…", "正在加载…"],
  reconnecting: ["Connection lost. Trying again…", "连接已断开，正在重试…"],
  notThere: ["This conversation does not exist, or {name} may not see it.", "该会话不存在，或 {name} 无权查看。"],
  failed: ["That did not work: {reason}", "操作未成功：{reason}"],
  offline: ["the workspace does not answer. Is it still running?", "工作区没有响应，是否仍在运行？"],
  fileForbidden: ["{name} may not see this file, or it does not exist.", "{name} 无权查看此文件，或文件不存在。"],
  fileNoPreview: ["There is no preview for this kind of file.", "此类文件没有预览。"],
  fileCut: ["Only the beginning is shown.", "仅显示开头部分。"],
  required: ["Please fill this in.", "请填写此项。"],
  externalImage: ["Image: {name}", "图片：{name}"],
};

let language = initial();

function initial() {
  const stored = localStorage.getItem(KEY);
  if (stored === "en" || stored === "zh") return stored;
  return /^zh\b/i.test(navigator.language) ? "zh" : "en";
}

export function currentLanguage() {
  return language;
}

export function setLanguage(value) {
  language = value;
  localStorage.setItem(KEY, value);
}

/** The text in the current language; `{name}` places are filled from an object, counted texts take the number. */
export function t(key, values) {
  const text = TEXTS[key][language === "zh" ? 1 : 0];
  if (typeof text === "function") return text(values);
  return text.replace(/\{(\w+)\}/g, (whole, name) => values?.[name] ?? whole);
}

/** Every key with its two texts, for the test that nothing is missing. */
export function allTexts() {
  return TEXTS;
}

const locale = () => (language === "zh" ? "zh-CN" : "en-US");

function date(ts) {
  return new Date(Number(ts) * 1000);
}

export function clockTime(ts) {
  return new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit", hour12: false }).format(date(ts));
}

export function fullTime(ts) {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "full", timeStyle: "medium" }).format(date(ts));
}

export function dayName(ts) {
  const day = (when) => new Date(when).toDateString();
  if (day(date(ts)) === day(Date.now())) return t("today");
  if (day(date(ts)) === day(Date.now() - 86_400_000)) return t("yesterday");
  return new Intl.DateTimeFormat(locale(), { month: "long", day: "numeric", weekday: "long" }).format(date(ts));
}

/** "today at 14:03"-like words for the summary of a thread. */
export function when(ts) {
  return `${dayName(ts)} ${clockTime(ts)}`;
}

export function isoTime(ts) {
  return date(ts).toISOString();
}

/** Bytes for people: 1.4 MB. */
export function byteSize(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toLocaleString(locale(), { maximumFractionDigits: value < 10 && unit ? 1 : 0 })} ${units[unit]}`;
}

export function duration(ms) {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

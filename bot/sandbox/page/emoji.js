// Short names of the emoji that people and the bot use here; an unknown name stays as it was written.

const EMOJI = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", eyes: "👀", white_check_mark: "✅", heavy_check_mark: "✔️",
  ballot_box_with_check: "☑️", warning: "⚠️", x: "❌", no_entry: "⛔", no_entry_sign: "🚫", question: "❓", exclamation: "❗",
  bulb: "💡", mag: "🔍", mag_right: "🔎", hourglass: "⌛", hourglass_flowing_sand: "⏳", stopwatch: "⏱️", clock1: "🕐",
  page_facing_up: "📄", page_with_curl: "📃", memo: "📝", pencil: "📝", pencil2: "✏️", books: "📚", book: "📖", bookmark: "🔖",
  paperclip: "📎", link: "🔗", lock: "🔒", unlock: "🔓", key: "🔑", bell: "🔔", speech_balloon: "💬", microphone: "🎤",
  studio_microphone: "🎙️", loud_sound: "🔊", speaker: "🔈", headphones: "🎧", movie_camera: "🎥", clapper: "🎬", camera: "📷",
  frame_with_picture: "🖼️", bar_chart: "📊", chart_with_upwards_trend: "📈", clipboard: "📋", file_folder: "📁", package: "📦",
  house: "🏠", hammer: "🔨", wrench: "🔧", gear: "⚙️", art: "🎨", truck: "🚚", phone: "☎️", calendar: "📅", date: "📅",
  smile: "😄", smiley: "😃", grinning: "😀", grin: "😁", joy: "😂", slightly_smiling_face: "🙂", wink: "😉", blush: "😊",
  thinking_face: "🤔", neutral_face: "😐", confused: "😕", disappointed: "😞", cry: "😢", sob: "😭", rage: "😡", sweat_smile: "😅",
  heart: "❤️", tada: "🎉", sparkles: "✨", star: "⭐", fire: "🔥", rocket: "🚀", "100": "💯", pray: "🙏", clap: "👏", wave: "👋",
  ok_hand: "👌", muscle: "💪", raised_hands: "🙌", point_right: "👉", point_up: "☝️", robot_face: "🤖", cherry_blossom: "🌸",
  recycle: "♻️", repeat: "🔁", arrows_counterclockwise: "🔄", arrow_right: "➡️", arrow_left: "⬅️", arrow_up: "⬆️",
  arrow_down: "⬇️", information_source: "ℹ️", red_circle: "🔴", large_green_circle: "🟢", large_yellow_circle: "🟡", one: "1️⃣",
  two: "2️⃣", three: "3️⃣", zap: "⚡", coffee: "☕", droplet: "💧", sweat_drops: "💦", umbrella: "☔",
};

/** The character of a short name, skin tone ignored; undefined when unknown. */
export function emoji(name) {
  const base = name.split("::")[0];
  return Object.hasOwn(EMOJI, base) ? EMOJI[base] : undefined;
}

// Recording a voice clip: level and time while it runs, then send or discard.

import { h, iconButton } from "./dom.js";
import { duration, t } from "./i18n.js";
import { toast, toastError } from "./toast.js";

const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];
const EXTENSIONS = { "audio/webm": "webm", "audio/mp4": "m4a", "audio/ogg": "ogg" };
const BARS = 24;
const MAX_MS = 5 * 60_000; // as long as a clip in Slack

export class Recorder {
  /** `onClip(blob, name, durationMs)` → promise of sending it; `onState(isOpen)` when the bar appears or goes. */
  constructor({ onClip, onState }) {
    this._onClip = onClip;
    this._onState = onState;
    this.node = h("div", { class: "recorder", role: "group", hidden: true, onkeydown: (event) => this._key(event) });
  }

  async start() {
    if (this._recording) return;
    const type =
      window.MediaRecorder && navigator.mediaDevices && TYPES.find((one) => MediaRecorder.isTypeSupported(one));
    if (!type) {
      toast(t("recordMissing"));
      return;
    }
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch {
      toast(t("recordDenied"));
      return;
    }
    if (this.node.isConnected) this._begin(stream, type);
    else stop(stream); // the person went elsewhere while the browser asked
  }

  _begin(stream, type) {
    const recorder = new MediaRecorder(stream, { mimeType: type });
    const chunks = [];
    recorder.ondataavailable = (event) => event.data.size && chunks.push(event.data);
    const meter = new Meter(stream);
    this._recording = { recorder, stream, chunks, type: type.split(";")[0], started: performance.now(), meter };
    recorder.start(500);
    this._clock = h("span", { class: "clock", role: "timer" }, duration(0));
    this._draw([h("span", { class: "record-dot" }), this._clock, meter.node], () => this.finish());
    this._tick();
  }

  /** The bar: discard, what is shown in the middle, send. */
  _draw(middle, onSend) {
    const send = iconButton("send", t("recordSend"), onSend, { class: "icon-button send" });
    const discard = iconButton("trash", t("recordCancel"), () => this.cancel());
    this.node.setAttribute("aria-label", t("recording"));
    this.node.replaceChildren(discard, ...middle, send);
    this.node.hidden = false;
    this._onState(true);
    send.focus();
  }

  _close() {
    this.node.hidden = true;
    this._onState(false);
  }

  _key(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    this.cancel();
  }

  _tick() {
    if (!this._recording) return;
    const elapsed = performance.now() - this._recording.started;
    this._clock.textContent = duration(elapsed);
    this._recording.meter.draw();
    if (elapsed > MAX_MS) this.finish();
    else this._frame = requestAnimationFrame(() => this._tick());
  }

  /** Stop without sending. */
  cancel() {
    if (this.node.hidden) return;
    this._end()?.recorder.stop();
    this._close();
  }

  /** Stop and send. */
  async finish() {
    const recording = this._end();
    if (!recording) return;
    const length = Math.round(performance.now() - recording.started);
    await new Promise((resolve) => {
      recording.recorder.onstop = resolve;
      recording.recorder.stop();
    });
    this._close();
    const clip = new Blob(recording.chunks, { type: recording.type });
    if (clip.size === 0) toast(t("recordEmpty"));
    else await this._send(clip, `audio_message.${EXTENSIONS[recording.type]}`, length);
  }

  /** A clip that was refused stays in the bar, to be sent again or discarded. */
  async _send(clip, name, length) {
    try {
      await this._onClip(clip, name, length);
    } catch (error) {
      const again = () => {
        this._close();
        return this._send(clip, name, length);
      };
      this._draw([h("span", { class: "clock grow" }, `${t("voiceClip")} · ${duration(length)}`)], again);
      toastError(error);
    }
  }

  _end() {
    const recording = this._recording;
    if (!recording) return null;
    this._recording = null;
    cancelAnimationFrame(this._frame);
    stop(recording.stream);
    recording.meter.close();
    return recording;
  }
}

function stop(stream) {
  stream.getTracks().forEach((track) => track.stop());
}

/** A row of bars that follows the loudness of a stream. */
class Meter {
  constructor(stream) {
    this._context = new AudioContext();
    this._analyser = this._context.createAnalyser();
    this._analyser.fftSize = 1024;
    this._context.createMediaStreamSource(stream).connect(this._analyser);
    this._samples = new Uint8Array(this._analyser.fftSize);
    this._levels = new Array(BARS).fill(0);
    this._bars = this._levels.map(() => h("i"));
    this.node = h("span", { class: "meter", "aria-hidden": "true" }, this._bars);
  }

  draw() {
    this._analyser.getByteTimeDomainData(this._samples);
    const peak = this._samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0) / 128;
    this._levels = [...this._levels.slice(1), peak];
    this._bars.forEach((bar, i) =>
      bar.style.setProperty("--level", Math.max(0.08, Math.sqrt(this._levels[i])).toFixed(2)),
    );
  }

  close() {
    this._context.close();
  }
}

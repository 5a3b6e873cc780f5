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
    this.node = h("div", { class: "recorder", role: "group", hidden: true });
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
    this._begin(stream, type);
  }

  _begin(stream, type) {
    const recorder = new MediaRecorder(stream, { mimeType: type });
    const chunks = [];
    recorder.ondataavailable = (event) => event.data.size && chunks.push(event.data);
    this._recording = {
      recorder,
      stream,
      chunks,
      type: type.split(";")[0],
      started: performance.now(),
      meter: new Meter(stream),
    };
    recorder.start(500);
    this._draw();
    this._tick();
  }

  _draw() {
    this._clock = h("span", { class: "clock", role: "timer" }, duration(0));
    this._send = iconButton("send", t("recordSend"), () => this.finish(), { class: "icon-button send" });
    const cancel = iconButton("trash", t("recordCancel"), () => this.cancel());
    this.node.setAttribute("aria-label", t("recording"));
    this.node.replaceChildren(
      cancel,
      h("span", { class: "record-dot" }),
      this._clock,
      this._recording.meter.node,
      this._send,
    );
    this.node.hidden = false;
    this._onState(true);
    this._send.focus();
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
    const recording = this._stop();
    if (recording) recording.recorder.stop();
  }

  /** Stop and send; when sending fails the clip is kept for another try. */
  async finish() {
    const recording = this._stop();
    if (!recording) return;
    const length = Math.round(performance.now() - recording.started);
    await new Promise((resolve) => {
      recording.recorder.onstop = resolve;
      recording.recorder.stop();
    });
    const clip = new Blob(recording.chunks, { type: recording.type });
    if (clip.size === 0) toast(t("recordEmpty"));
    else await this._onClip(clip, `audio_message.${EXTENSIONS[recording.type]}`, length).catch(toastError);
  }

  _stop() {
    const recording = this._recording;
    if (!recording) return null;
    this._recording = null;
    cancelAnimationFrame(this._frame);
    recording.stream.getTracks().forEach((track) => track.stop());
    recording.meter.close();
    this.node.hidden = true;
    this._onState(false);
    return recording;
  }
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

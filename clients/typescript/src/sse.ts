// Server-sent events, from text to frames: `id:` and `data:` lines up to an empty one. Comments and fields the hub does
// not send are passed over. What is kept between two reads is bounded.

import { STREAM_FRAME_MAX_CHARS } from "./limits.js";

/** One frame. */
export interface Frame {
  readonly id: string | undefined;
  readonly data: string;
}

/** Frames out of text that comes in pieces. */
export class FrameParser {
  #unread = "";
  /** So much of it has no line end, so that a long line is looked through once. */
  #searched = 0;
  #id: string | undefined;
  #data: string[] = [];
  #dataLength = 0;

  /** The frames that are whole with this piece. Throws a RangeError at a frame that does not end. */
  push(text: string): Frame[] {
    const frames: Frame[] = [];
    this.#unread += text;
    let start = 0;
    for (;;) {
      const end = this.#unread.indexOf("\n", Math.max(start, this.#searched));
      if (end < 0) break;
      const line = this.#unread.slice(start, end);
      const frame = this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (frame !== undefined) frames.push(frame);
      start = end + 1;
    }
    this.#unread = this.#unread.slice(start);
    this.#searched = this.#unread.length;
    if (this.#unread.length + this.#dataLength > STREAM_FRAME_MAX_CHARS) throw new RangeError("a frame does not end");
    return frames;
  }

  #line(line: string): Frame | undefined {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "id") this.#id = value;
    if (field === "data") {
      this.#data.push(value);
      this.#dataLength += value.length;
    }
    return undefined;
  }

  #end(): Frame | undefined {
    const frame = this.#data.length > 0 ? { id: this.#id, data: this.#data.join("\n") } : undefined;
    this.#id = undefined;
    this.#data = [];
    this.#dataLength = 0;
    return frame;
  }
}

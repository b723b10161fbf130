// Parses `text/event-stream` by the rules of the HTML standard.

export interface Frame {
  id: string | undefined;
  event: string;
  data: string;
}

/** Collects the lines of a stream and returns the frames that are complete. */
export class FrameParser {
  #rest = "";
  #data: string[] = [];
  #event = "";
  #id: string | undefined;

  push(chunk: string): Frame[] {
    const frames: Frame[] = [];
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") this.#field(line);
      else if (this.#data.length > 0 || this.#id !== undefined) frames.push(this.#take());
    }
    return frames;
  }

  #field(line: string): void {
    if (line.startsWith(":")) return;
    const at = line.indexOf(":");
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
  }

  #take(): Frame {
    const frame = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    this.#data = [];
    this.#event = "";
    this.#id = undefined;
    return frame;
  }
}

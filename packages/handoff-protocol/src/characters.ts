// Text of another party as it is: nothing is interpreted, and what a reader would not see is made visible.

/** A piece of text, or a character that has no visible form and is shown by its code point. */
export type Piece = { text: string; hidden?: false } | { text: string; hidden: true; title: string };

const NAMES: Record<number, string> = {
  0x00ad: "soft hyphen",
  0x061c: "Arabic letter mark",
  0x200b: "zero width space",
  0x200c: "zero width non-joiner",
  0x200d: "zero width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "pop directional isolate",
  0xfeff: "byte order mark",
  0x00a0: "no-break space",
  0x2028: "line separator",
  0x2029: "paragraph separator",
};

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Splits text into what is visible and the characters that are not. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match[0] === "\r" && text[match.index + 1] === "\n") continue;
    if (match.index > from) found.push({ text: text.slice(from, match.index) });
    found.push(mark(match[0]));
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from) });
  return found;
}

function mark(character: string): Piece {
  const point = character.codePointAt(0) ?? 0;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = NAMES[point] ?? (point < 0x20 || point === 0x7f ? "control character" : "invisible character");
  return { text: code, hidden: true, title: `${code} ${name}` };
}

/** Returns text with hidden characters written as code points, for titles and labels. */
export function plain(text: string): string {
  return pieces(text)
    .map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text))
    .join("");
}

/** Shortens text to whole code points. */
export function shorten(text: string, max: number): string {
  const points = Array.from(text.slice(0, max * 2 + 2));
  return points.length <= max ? text : `${points.slice(0, max - 1).join("")}…`;
}

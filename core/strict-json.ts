/** Parses untrusted JSON: refuses text that two parsers could read differently or that Postgres cannot store. */
import { fail } from "./errors.ts";
import { quoted } from "./quoted.ts";

/** Max nesting, deeper than any body of this service needs; bounds all code that walks a value. */
const MAX_DEPTH = 32;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NUMBER = /-?\d[\d.eE+-]*/y;

/**
 * Parses a UTF-8 JSON text (RFC 8259) within I-JSON's limits (RFC 7493): no byte order mark, no duplicate keys, no lone
 * surrogates, no numbers a double cannot hold. NUL characters and the key `__proto__` are refused as well.
 * @throws Failure invalid_input, in a plain sentence
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return refuse("is not UTF-8");
  }
  if (text.charCodeAt(0) === 0xfeff) refuse("must not begin with a byte order mark");
  inspect(text);
  try {
    return JSON.parse(text);
  } catch {
    return refuse("is not valid JSON");
  }
}

const refuse = (what: string): never => fail("invalid_input", `The request body ${what}.`);

/** Checks every string, number and bracket; JSON.parse runs afterwards and checks the grammar. */
function inspect(text: string): void {
  /** Keys seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') {
      const end = endOfString(text, i);
      const value = decodeString(text.slice(i, end + 1));
      if (value.includes("\0")) refuse("contains a NUL character");
      if (!value.isWellFormed()) refuse("contains half of a surrogate pair");
      const keys = open.at(-1);
      if (keys && isKey(text, end + 1)) {
        if (value === "__proto__") refuse('contains the key "__proto__"');
        if (keys.has(value)) refuse(`contains the key ${quoted(value.slice(0, 64))} twice`);
        keys.add(value);
      }
      i = end;
    } else if (c === "{" || c === "[") {
      if (open.push(c === "{" ? new Set() : null) > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    } else if (c === "}" || c === "]") {
      open.pop();
    } else if (c === "-" || (c >= "0" && c <= "9")) {
      NUMBER.lastIndex = i;
      const written = NUMBER.exec(text)?.[0] ?? c;
      const value = Number(written);
      if (Math.abs(value) === Number.POSITIVE_INFINITY || (Number.isInteger(value) && !Number.isSafeInteger(value)))
        refuse("contains a number that cannot be held exactly");
      i += written.length - 1;
    }
  }
}

/** Whether a colon comes next: a string before one is a key. */
function isKey(text: string, from: number): boolean {
  let i = from;
  while (text[i] === " " || text[i] === "\n" || text[i] === "\r" || text[i] === "\t") i++;
  return text[i] === ":";
}

/** @returns the index of the closing quote, or of the last character when there is none */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i;
  }
  return text.length - 1;
}

function decodeString(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted);
  } catch {
    return refuse("is not valid JSON");
  }
}

/** Hexadecimal text as half as many bytes: what addresses are kept and compared as. */

const DIGITS = "0123456789abcdef";
/** Value of a lower-case digit by its character code; 255 for anything else. */
const VALUES = new Uint8Array(256).fill(255);
for (const [value, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = value;

/**
 * The bytes that digits from `from` on stand for, put into `bytes` from `to` on until it is full.
 * @param text lower-case digits as ASCII bytes
 * @returns false when there are too few, or something else among them
 */
export function unhex(text: Uint8Array, from: number, bytes: Uint8Array, to: number): boolean {
  let bad = 0;
  for (let i = to, at = from; i < bytes.length; i++, at += 2) {
    const high = VALUES[text[at] ?? 0]!;
    const low = VALUES[text[at + 1] ?? 0]!;
    bad |= high | low;
    bytes[i] = (high << 4) | low;
  }
  return bad < 16;
}

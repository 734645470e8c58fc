/** Decodes hexadecimal text: addresses are stored and compared as bytes. */

const DIGITS = "0123456789abcdef";
/** Value of a lower-case digit by its character code; 255 for any other character. */
const VALUES = new Uint8Array(256).fill(255);
for (const [value, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = value;

/**
 * Decodes the digits from offset `from` on into `bytes`, from offset `to` to its end.
 * @param text lower-case digits as ASCII bytes
 * @returns false when digits are missing or another character is among them
 */
export function decodeHex(text: Uint8Array, from: number, bytes: Uint8Array, to: number): boolean {
  let bad = 0;
  for (let i = to, at = from; i < bytes.length; i++, at += 2) {
    const high = VALUES[text[at] ?? 0]!;
    const low = VALUES[text[at + 1] ?? 0]!;
    bad |= high | low;
    bytes[i] = (high << 4) | low;
  }
  return bad < 16;
}

/** Which names are hidden from lists unless asked for. */

/** At most one character, or one character repeated. */
export function isSpam(name: string): boolean {
  const trimmed = name.trim();
  return [...trimmed].length <= 1 || /^(.)\1*$/su.test(trimmed);
}

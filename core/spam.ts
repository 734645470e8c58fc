/** Spam names: lists hide agents with such a name unless a filter includes them. */

/** At most one character, or one character repeated. */
export function isSpam(name: string): boolean {
  const trimmed = name.trim();
  return [...trimmed].length <= 1 || /^(.)\1*$/su.test(trimmed);
}

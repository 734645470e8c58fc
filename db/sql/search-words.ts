/** Search words in the form in which the columns store them: letters beyond ASCII are folded by the database. */

/** Bound: search words whose folded form is kept. */
export const MAX_WORDS = 1_000;

/** Whether lower case is the same here and in the database. */
export const isAsciiText = (text = "") => /^[\0-\x7f]*$/.test(text);

export const utf8 = (text: string) => new TextEncoder().encode(text);

/** Search words in the form in which the columns store them, cached: letters beyond ASCII are folded by the database. */

/** Bound: cached words. */
const MAX_WORDS = 1_000;

export class SearchWords<Words> {
  readonly #cached = new Map<string, Words>();

  /** The words of a key; `read` asks the database for words that are not cached. */
  async get(key: string, read: () => Promise<Words>): Promise<Words> {
    let words = this.#cached.get(key);
    if (words === undefined) {
      words = await read();
      if (this.#cached.size === MAX_WORDS) this.#cached.clear();
      this.#cached.set(key, words);
    }
    return words;
  }
}

/** Whether lower case is the same here and in the database. */
export const isAsciiText = (text = "") => /^[\0-\x7f]*$/.test(text);

export const utf8 = (text: string) => new TextEncoder().encode(text);

/** How much memory the tables of a process may take together: a table that does not fit beside the others is not kept. */

export class MemoryBudget {
  readonly total: number;
  /** Bytes by whoever has them. */
  readonly #taken = new Map<object, number>();

  /** @param total bytes */
  constructor(total: number) {
    this.total = total;
  }

  /** Gives a holder so many bytes instead of those it had. @returns false, and leaves it none, when there are not so many */
  take(holder: object, bytes: number): boolean {
    this.#taken.delete(holder);
    let others = 0;
    for (const taken of this.#taken.values()) others += taken;
    if (others + bytes > this.total) return false;
    this.#taken.set(holder, bytes);
    return true;
  }

  /** What a holder had is free again. */
  release(holder: object): void {
    this.#taken.delete(holder);
  }
}

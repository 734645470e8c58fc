/** Memory that the tables of one process share: a table that does not fit with the others is not kept. */

export class MemoryBudget {
  readonly total: number;
  /** Bytes by owner. */
  readonly #reserved = new Map<object, number>();

  /** @param total bytes */
  constructor(total: number) {
    this.total = total;
  }

  /** Replaces an owner's reservation. @returns false, and leaves it without any, when the bytes exceed what is free */
  reserve(owner: object, bytes: number): boolean {
    this.#reserved.delete(owner);
    let others = 0;
    for (const reserved of this.#reserved.values()) others += reserved;
    if (others + bytes > this.total) return false;
    this.#reserved.set(owner, bytes);
    return true;
  }

  release(owner: object): void {
    this.#reserved.delete(owner);
  }
}

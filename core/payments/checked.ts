/** The proof that the terms of a payment were checked: the ledger writes no others. */
import type { Refusal } from "./terms.ts";

/**
 * Terms that passed their checks, frozen as they were checked. There is no other way to make one than `Checked.of`, so
 * that what is written is what was checked, whatever state the payment was seen in before.
 */
export class Checked<T extends object> {
  readonly terms: Readonly<T>;
  /** Makes the class nominal: no object literal passes for one. */
  readonly #checked = true;

  private constructor(terms: T) {
    this.terms = Object.freeze(structuredClone(terms));
  }

  /**
   * Runs the checks on a copy of the terms.
   * @param check what is wrong with the terms; null when nothing is
   * @returns the checked copy, or what is wrong
   */
  static async of<T extends object>(
    terms: T,
    check: (terms: Readonly<T>) => Promise<Refusal | null>,
  ): Promise<Checked<T> | Refusal> {
    const checked = new Checked(terms);
    return (await check(checked.terms)) ?? checked;
  }

  /** Whether a value was made by `of`, also where types were cast away. */
  static is(value: unknown): value is Checked<object> {
    return typeof value === "object" && value !== null && #checked in value;
  }
}

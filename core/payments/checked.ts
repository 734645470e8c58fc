/** The proof that the terms of a payment were checked: the ledger writes checked terms only. */
import type { Refusal } from "./refusals.ts";

/**
 * Terms that passed their checks, frozen. Only `Checked.of` makes a value of this class, so the terms that are written are
 * the terms that were checked, in every state of the payment.
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
   * @param check returns the fault of the terms; null without one
   * @returns the checked copy, or the fault
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

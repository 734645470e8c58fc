/** The hash of a transaction, as payers and facilitators name it. */

const FORM = /^0x[0-9a-fA-F]{64}$/;

/** Whether a value has the form of a transaction's hash: nothing else that pays looks like it. */
export const isTransactionHash = (value: unknown): value is string => typeof value === "string" && FORM.test(value);

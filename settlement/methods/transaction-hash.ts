/** The hash of a transaction, as a header of payments may have it. */

/** Whether a value has the form of a transaction's hash: nothing else that pays looks like it. */
export const isTransactionHash = (value: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(value);

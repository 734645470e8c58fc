/** What requests to upstreams take from: set once for a piece of work, seen by each request that it makes. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ProofReader, Spend } from "../ports.ts";

const spending = new AsyncLocalStorage<Spend | undefined>();

/** What the present piece of work takes its requests from. */
export const spender = (): Spend | undefined => spending.getStore();

/** Does a piece of work whose requests are taken from `spend`. */
export const onBehalfOf = <T>(spend: Spend | undefined, work: () => Promise<T>): Promise<T> =>
  spending.run(spend, work);

/** A platform whose every request is taken from the allowance that the caller names, if it names one. */
export const withinAllowance = <C>({ find, batch, recheck }: ProofReader<C>): ProofReader<C> => ({
  batch,
  find: (claim, sought, spend) => onBehalfOf(spend, () => find(claim, sought)),
  recheck: (proofs, spend) => onBehalfOf(spend, () => recheck(proofs)),
});

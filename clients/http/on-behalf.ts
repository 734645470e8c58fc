/** The allowance that pays for requests to upstreams: set once for a piece of work, read by each of its requests. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ProofReader, Spend } from "../ports.ts";

const spending = new AsyncLocalStorage<Spend | undefined>();

/** The allowance of the current work; undefined when none is set. */
export const spender = (): Spend | undefined => spending.getStore();

/** Runs `work` with `spend` as the allowance of its requests. */
export const onBehalfOf = <T>(spend: Spend | undefined, work: () => Promise<T>): Promise<T> =>
  spending.run(spend, work);

/** Wraps a reader so that its requests are taken from the allowance that the caller passes, if any. */
export const withinAllowance = <C>({ find, batch, recheck }: ProofReader<C>): ProofReader<C> => ({
  batch,
  find: (claim, sought, spend) => onBehalfOf(spend, () => find(claim, sought)),
  recheck: (proofs, spend) => onBehalfOf(spend, () => recheck(proofs)),
});

/** What requests to upstreams take from: set once for a piece of work, seen by each request that it makes. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ProofPlatform, Spend } from "../ports.ts";

const spending = new AsyncLocalStorage<Spend | undefined>();

/** What the present piece of work takes its requests from. */
export const spender = (): Spend | undefined => spending.getStore();

/** A platform whose every request is taken from the allowance that the caller names, if it names one. */
export const withinAllowance = <C>({ find, batch, recheck }: ProofPlatform<C>): ProofPlatform<C> => ({
  batch,
  find: (claim, sought, spend) => spending.run(spend, () => find(claim, sought)),
  recheck: (proofs, spend) => spending.run(spend, () => recheck(proofs)),
});

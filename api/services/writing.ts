/**
 * The frame of every write about an agent: one transaction that finds the agent, checks its controller, writes, updates its score, and appends events.
 */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { Chain } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import type { OwnedFacts } from "../../core/agents/caveats.ts";
import type { Address, AgentFacts } from "../../core/agents/facts.ts";
import { listingOf, placeOf } from "../../core/agents/listing.ts";
import type { ListingInput } from "../../core/agents/listing-input.ts";
import { fail } from "../../core/errors.ts";
import { type EventData, MAX_NAMED } from "../../core/events/events.ts";
import { lockAgentWrites } from "../../db/agents/profiles.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { markOutdated, OWN_ROWS_JOB } from "../../db/directory/own-shown.ts";
import { appendEvents } from "../../db/events/append-events.ts";
import { runSoon } from "../../db/operations/job-runs.ts";
import { type Queryable, rehearsal, transaction } from "../../db/sql/transaction.ts";
import { type Checkout, FREE_CHECKOUT } from "../../payments/checkout.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { factsOf } from "./agent-facts.ts";

type Control = Pick<AgentFacts, "tokenId" | "owner" | "agentAddress">;

/** Throws unless the caller may change the agent; called again inside the write's own transaction, so that a transfer indexed meanwhile counts. */
type Authorize = (facts: AgentFacts) => void;

/** Whether a wallet controls the agent. */
export const controls = ({ owner, agentAddress }: Control, wallet: Address): boolean =>
  wallet === owner || wallet === agentAddress;

/**
 * Requires the token's owner or the agent's wallet.
 * @throws Failure forbidden
 */
function requireController(facts: Control, wallet: Address): void {
  if (controls(facts, wallet)) return;
  fail("forbidden", `Agent ${facts.tokenId} belongs to another wallet.`, {
    hint: `Sign with the owner ${checksum(facts.owner)} or with the agent's wallet ${checksum(facts.agentAddress)}.`,
  });
}

/**
 * Requires the agent's own wallet; even its owner is refused.
 * @throws Failure forbidden
 */
function requireAgentWallet(facts: Control, wallet: Address): void {
  if (wallet === facts.agentAddress) return;
  fail("forbidden", `Only the wallet of agent ${facts.tokenId} itself may do this.`, {
    hint: `Sign with ${checksum(facts.agentAddress)}.`,
  });
}

/**
 * Checks that a wallet controls an agent now, and returns the check for the write.
 * @throws Failure not_found, forbidden
 */
export const authorizeController = (deps: HandlerDeps, tokenId: number, wallet: Address): Promise<Authorize> =>
  authorize(deps, tokenId, wallet, requireController);

/**
 * Checks that a wallet is an agent's own now, and returns the check for the write.
 * @throws Failure not_found, forbidden
 */
export const authorizeAgentWallet = (deps: HandlerDeps, tokenId: number, wallet: Address): Promise<Authorize> =>
  authorize(deps, tokenId, wallet, requireAgentWallet);

async function authorize(
  deps: HandlerDeps,
  tokenId: number,
  wallet: Address,
  rule: (facts: Control, wallet: Address) => void,
): Promise<Authorize> {
  const facts = await factsOf(deps.facts, { tokenId });
  // The contract names a new wallet without an event: neither may the new one be kept out nor the old one let in.
  const agentAddress =
    rule === requireController && wallet === facts.owner ? facts.agentAddress : await presentWallet(deps, facts);
  const check: Authorize = (seen) => rule({ ...seen, agentAddress }, wallet);
  check(facts);
  return check;
}

/** The agent's wallet as the contract names it now; as the index names it while the chain cannot be reached. */
async function presentWallet(
  { chain, config }: { chain: Pick<Chain, "call">; config: HandlerDeps["config"] },
  { tokenId, agentAddress }: Control,
): Promise<Address> {
  const data = encodeFunctionData({ abi: identityAbi, functionName: "getAgent", args: [BigInt(tokenId)] });
  try {
    const answer = await chain.call({ to: config.contracts.identity.address, data });
    if (!answer.ok || answer.data === "0x") return agentAddress;
    const agent = decodeFunctionResult({ abi: identityAbi, functionName: "getAgent", data: answer.data });
    return agent.agentAddress.toLowerCase() as Address;
  } catch {
    return agentAddress;
  }
}

/** Emits that the agent has proven something. @param handle of the account proven; null where it has no name */
export function emitVerified(
  { tx, facts: { tokenId }, now }: Write,
  method: EventData<"agent.verified">["method"],
  handle: string | null,
): Promise<void> {
  const fact = `${tokenId} ${method} ${handle} ${now.toISOString()}`;
  return appendEvents(tx, [{ type: "agent.verified", data: { method, handle }, fact, tokenId, at: now }]);
}

/**
 * Emits the parts written off chain, with the names of what came and went.
 * @param paths such as `personality.humor` and `trait:<name>` @param listed the parts of the listing that were written
 */
export async function emitUpdated(
  { tx, facts, now }: Write,
  paths: readonly string[],
  listed: ListingInput,
): Promise<void> {
  if (paths.length === 0) return;
  const { tokenId } = facts;
  const before = new Set(namesIn(listingOf(facts), listed));
  const after = new Set(namesIn(listed, listed));
  const traits = paths.flatMap((path) => (path.startsWith("trait:") ? path.slice("trait:".length) : []));
  const added = [...traits, ...after.difference(before)].slice(0, MAX_NAMED);
  const removed = [...before.difference(after)].slice(0, MAX_NAMED);
  const parts = paths.map((path) => (path.startsWith("trait:") ? "traits" : path.split(".")[0]!));
  const changed = [...new Set(parts)] as EventData<"agent.updated">["changed"];
  const fact = `${tokenId} ${now.toISOString()} ${paths.join(" ")}`;
  const data = {
    ...{ changed, storage: "offchain" as const },
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
  };
  await appendEvents(tx, [{ type: "agent.updated", data, fact, tokenId, at: now }]);
}

/** Services with their places, skills and domains of a listing. @param written only the parts that it has */
function namesIn(listing: ListingInput, written: ListingInput): string[] {
  const services = Object.entries(written.services ? (listing.services ?? {}) : {});
  return [
    ...services.map(([name, service]) => `${name} ${placeOf(service) ?? ""}`.trim()),
    ...(written.skills ? (listing.skills ?? []) : []),
    ...(written.domains ? (listing.domains ?? []) : []),
  ];
}

export type Write = {
  tx: Queryable;
  /** As of this transaction: a transfer indexed since the request came in counts. */
  facts: OwnedFacts;
  now: Date;
  /** Whether it has a price. */
  paid: boolean;
};

/** The payment of a write. */
export type Sale = {
  payment: Pick<Checkout, "price" | "settle">;
  /** `<kind>:<id>` of the thing bought. */
  bought: string;
};
const UNSOLD: Sale = { payment: FREE_CHECKOUT, bought: "" };

/** Places where a crash test kills the process, in the order a write passes them. */
export const WRITE_FAULT_POINTS = ["write.before-commit", "write.after-commit"] as const;

/**
 * Runs a write about one agent, after the agent's earlier writes.
 * Check then write: a write with a price is tried and rolled back, so that every refusal comes before the payment, then
 * `settle`, the write and `fulfil`; anything about the agent may change: the write checks again, a refusal after the
 * payment is a credit (`withPayment`), and the payment is used up in the write's own commit.
 * Check then write: who may change the agent, then the write and its score; a transfer may be indexed: advisory lock of
 * the agent, and checked again inside. (verify-wallet.ts keeps the chain's answer, which counts only while the index
 * names that wallet.)
 * The agent's row of the directory follows in a job that runs at once; `writesShown` waits for it.
 * @param authorize throws unless the caller may do it
 * @param work writes; `scored` says whether it may have changed the score, which is then computed in the same commit.
 *   It runs twice where there is a price, so it must not touch anything outside its transaction
 * @throws Failure not_found, indexer_behind, the errors of both functions and those of `settle`
 */
export async function writeAgent<T>(
  deps: HandlerDeps,
  target: { tokenId: number; now: number },
  authorize: (facts: OwnedFacts) => void,
  work: (write: Write) => Promise<{ result: T; scored: boolean; cause?: string }>,
  { payment, bought }: Sale = UNSOLD,
): Promise<T> {
  const now = new Date(target.now);
  const attempt = async (tx: Queryable) => {
    await lockAgentWrites(tx, target.tokenId);
    const facts = await factsOf({ db: tx, config: deps.config }, { tokenId: target.tokenId });
    authorize(facts);
    return work({ tx, facts, now, paid: payment.price > 0n });
  };
  if (payment.price > 0n) await rehearsal(deps.db, attempt);
  const paid = await payment.settle();
  const written = await transaction(deps.db, async (tx) => {
    const { result, scored, cause = "profile" } = await attempt(tx);
    await markOutdated(tx, { tokenId: target.tokenId });
    if (scored) await recomputeCred(tx, { tokenIds: [target.tokenId] }, { now, cause });
    await paid.fulfil(tx, bought);
    deps.fault("write.before-commit");
    return result;
  });
  deps.fault("write.after-commit");
  // Committed is committed: where this fails, the job's schedule reaches the row.
  await runSoon(deps.db, [OWN_ROWS_JOB]).catch(() => {});
  return written;
}

/** The books after people have paid, honest ones and others: the chain, the ledger and the answers that people got must agree. */
import type pg from "pg";
import type { Hex, PublicActions } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { usdcAbi } from "../abis/usdc.ts";
import { ogOf } from "../core/agents/og-wallets.ts";
import { mintOriginIndex } from "../core/mints/mint-origins.ts";
import { HONEST, type Outcome, PRICES } from "./payment-load/customers.ts";

/** Where money came in: a token of a chain, from the block behind `since` on. */
export type Treasury = {
  chain: Pick<PublicActions, "getBlockNumber" | "getContractEvents" | "readContract"> & {
    getTransaction(of: { hash: Hex }): Promise<{ from: Hex }>;
  };
  token: Hex;
  since: bigint;
  /** What the payees, by name, had at `since`. */
  before: Record<string, bigint>;
};

export type Books = {
  db: pg.Pool;
  payees: Record<string, Hex>;
  /** Where x402 and transfers came in. */
  base: Treasury;
  /** Where what was paid by MPP came in; nothing was, when there is none. */
  mpp?: Treasury | undefined;
  /** The contract of the tokens. */
  identity: Hex;
  /** Registrations cost nothing. */
  free?: boolean;
  /** Whose transfers must all be booked, where others may give money away. Without it no one is allowed to. */
  honest?: readonly Hex[];
};

type Entry = {
  payer: Hex;
  payee: Hex;
  method: string;
  state: string;
  units: bigint;
  txHash: Hex | null;
  bought: string | null;
};
type Token = { id: number; agentAddress: Hex };
/** @property held entries whose money is ours by the ledger: it bought something, or is owed @property tokens that the service has minted */
export type Audit = { differences: string[]; entries: Entry[]; held: Entry[]; tokens: Token[] };

const sum = (of: readonly { units: bigint }[]) => of.reduce((total, { units }) => total + units, 0n);

/** The treasury before the first payment. */
export async function openTreasury(
  chain: Treasury["chain"],
  token: Hex,
  payees: Record<string, Hex>,
): Promise<Treasury> {
  const since = await chain.getBlockNumber();
  const balances = Object.entries(payees).map(
    async ([name, address]) => [name, await balanceOf({ chain, token }, address)] as const,
  );
  return { chain, token, since, before: Object.fromEntries(await Promise.all(balances)) };
}

/** What an address has of a treasury in its token. */
export const balanceOf = ({ chain, token }: Pick<Treasury, "chain" | "token">, address: Hex): Promise<bigint> =>
  chain.readContract({ address: token, abi: usdcAbi, functionName: "balanceOf", args: [address] });

/** Holds the ledger against the chain, to the unit. @returns differences, each a sentence */
export async function closeBooks(books: Books): Promise<Audit> {
  const { rows } = await books.db.query(
    `select payer, payee, method, state, amount_units::text as units, tx_hash as "txHash", bought from offchain.payment`,
  );
  const entries: Entry[] = rows.map((row) => ({ ...row, units: BigInt(row.units) }));
  const open = entries.filter(({ state }) => ["new", "settling", "paid"].includes(state));
  const held = entries.filter(({ state }) => state === "fulfilled" || state === "refund_due");
  const byMpp = held.filter(({ method }) => method === "mpp");
  const tokens = await mintedTokens(books);
  const differences = [
    ...(open.length > 0 ? [`${open.length} payments that are not finished`] : []),
    ...(await unlikeTransfers(
      books,
      books.base,
      held.filter((entry) => !byMpp.includes(entry)),
    )),
    ...(books.mpp
      ? await unlikeTransfers(books, books.mpp, byMpp)
      : byMpp.map(({ payer }) => `${payer} paid by MPP, which is not accepted here`)),
    ...(await unlikeTokens(books, entries, tokens)),
  ];
  return { differences, entries, held, tokens };
}

/** Every entry has a transfer of its own, and every transfer is booked or was given away. */
async function unlikeTransfers(
  { payees, honest }: Books,
  treasury: Treasury,
  held: readonly Entry[],
): Promise<string[]> {
  const { chain, token, since, before } = treasury;
  const differences: string[] = [];
  for (const [name, to] of Object.entries(payees)) {
    const booked = held.filter(({ payee }) => payee === to.toLowerCase());
    const query = { address: token, abi: usdcAbi, eventName: "Transfer", fromBlock: since + 1n } as const;
    const left = (await chain.getContractEvents({ ...query, args: { to } })).map(({ args, transactionHash }) => ({
      ...{ from: args.from!.toLowerCase() as Hex, units: args.value!, hash: transactionHash },
    }));
    for (const { payer, units, txHash, state } of booked) {
      const own = left.findIndex((one) => one.from === payer && one.units === units && one.hash === txHash);
      if (own >= 0) left.splice(own, 1);
      else differences.push(`a payment of ${units} by ${payer} is ${state} without a transfer of its own (${txHash})`);
    }
    const received = (await balanceOf(treasury, to)) - before[name]!;
    if (received !== sum(booked) + sum(left))
      differences.push(`the ${name} received ${received}; booked ${sum(booked)}, unasked for ${sum(left)}`);
    for (const { from, units, hash } of left) {
      const may = honest?.every((address) => address.toLowerCase() !== from);
      // A transfer that the owner sent is a gift; one that the service or another account sent is not.
      const isGift = may && (await chain.getTransaction({ hash })).from.toLowerCase() === from;
      if (!isGift) differences.push(`${units} units of ${from} are in no book (${hash})`);
    }
  }
  return differences;
}

async function mintedTokens({ base, identity }: Books): Promise<Token[]> {
  const query = { address: identity, abi: identityAbi, eventName: "AgentRegistered" } as const;
  const logs = await base.chain.getContractEvents({ ...query, fromBlock: base.since + 1n });
  const ours = [mintOriginIndex("AGENT_SIWA"), mintOriginIndex("API")];
  return logs
    .filter(({ args }) => ours.includes(args.origin!))
    .map(({ args }) => ({ id: Number(args.tokenId), agentAddress: args.agentAddress!.toLowerCase() as Hex }));
}

/** Every token is on record, its registrant has no other, and it was paid for once. */
async function unlikeTokens(
  { db, free }: Books,
  entries: readonly Entry[],
  tokens: readonly Token[],
): Promise<string[]> {
  const { rows: minted } = await db.query(
    "select mint_id as id, wallet, registrant, token_id::int as token from offchain.mint where state = 'minted'",
  );
  const differences: string[] = [];
  for (const { id, agentAddress } of tokens)
    if (!minted.some(({ token, wallet }) => token === id && wallet === agentAddress))
      differences.push(`token ${id} is on no record`);
  const registrants = new Set(minted.map(({ registrant }) => registrant)).size;
  if (minted.length !== tokens.length || registrants !== tokens.length)
    differences.push(`${minted.length} mints on record of ${registrants} registrants, ${tokens.length} tokens`);
  if (free) return differences;
  const paid = entries.filter(({ state, bought }) => state === "fulfilled" && bought?.startsWith("mint:"));
  for (const { units, bought } of paid)
    if (units !== PRICES.mint) differences.push(`${bought} was bought for ${units} units`);
  const bought = new Set(paid.map((entry) => entry.bought));
  if (bought.size !== paid.length) differences.push(`${paid.length} payments bought ${bought.size} mints`);
  for (const { id, token, registrant } of minted)
    if (!bought.has(`mint:${id}`) && !ogOf(registrant)) differences.push(`token ${token} was not paid for`);
  return differences;
}

/** Answers to customers of a load that the books contradict, a sentence each. */
export function unlikeOutcomes(outcomes: readonly Outcome[], { held, tokens }: Audit): string[] {
  return outcomes.flatMap(({ payment, payer, end, tokenId, answers }) => {
    const kept = held.filter((entry) => entry.payer === payer.address.toLowerCase());
    const fulfilled = kept.filter(({ state }) => state === "fulfilled").length;
    const cheats = payment.variant === "tampered" || payment.variant === "reused-number";
    // A reorganisation may put the settlement of a bearer before its noting: it buys nothing then, and is its payer's credit.
    const bearer = payment.buys === "report" && (payment.by === "v1" || payment.by === "v2");
    const credited = bearer && end === "refused" && kept.some(({ state }) => state === "refund_due");
    const problems = [
      end === "served" && fulfilled === 0 && "was served and paid nothing",
      tokenId !== undefined && !tokens.some(({ id }) => id === tokenId) && "got a token id that does not exist",
      cheats && (end === "served" || kept.length > 0) && "was served or charged",
      HONEST.includes(payment.variant) && end !== "served" && !credited && `is ${end}`,
      payment.variant !== "shared" && fulfilled > 1 && "bought more than once",
    ].filter((problem) => problem !== false);
    const who = `payment ${payment.index} (${payment.buys} by ${payment.by}, ${payment.variant}, ${payer.address})`;
    return problems.map((problem) => `${who} ${problem}; answered ${answers.join(", ")}`);
  });
}

/** How it ended, in numbers. */
export function summaryOf(outcomes: readonly Outcome[], { entries, held, tokens }: Audit): Record<string, unknown> {
  const count = (of: readonly string[]) =>
    Object.fromEntries([...new Set(of)].toSorted().map((name) => [name, of.filter((other) => other === name).length]));
  return {
    payments: outcomes.length,
    ends: count(outcomes.map(({ end }) => end)),
    ledger: count(entries.map(({ state }) => state)),
    methods: count(held.map(({ method }) => method)),
    tokens: tokens.length,
    units: String(sum(held)),
    credited: String(sum(held.filter(({ state }) => state === "refund_due"))),
  };
}

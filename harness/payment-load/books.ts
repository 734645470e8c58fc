/** Closing of the accounts after a load of payments: what the chain holds, what the ledger says and what people were told must be one. */
import type pg from "pg";
import { type Hex, parseAbiItem } from "viem";
import { mintOriginIndex } from "../../core/mints/mint-origins.ts";
import { HONEST, type Outcome } from "./customers.ts";
import type { ChainClient } from "./wallets.ts";

type Entry = {
  payer: Hex;
  payee: Hex;
  method: string;
  operation: string;
  state: string;
  units: bigint;
  bought: string | null;
};
export type Accounts = { differences: string[]; summary: Record<string, unknown> };
/** Where money came in: a token of a chain, from the block behind `since` on. */
export type Treasury = {
  chain: Pick<ChainClient["chain"], "getBlockNumber" | "getLogs" | "readContract">;
  token: Hex;
  since: bigint;
  /** What the payees, by name, had at `since`. */
  before: Record<string, bigint>;
};

const TRANSFER = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
const REGISTERED = parseAbiItem(
  "event AgentRegistered(uint256 indexed tokenId, address indexed agentAddress, string name, uint8 origin)",
);
const sum = (entries: { units: bigint }[]) => entries.reduce((total, { units }) => total + units, 0n);

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

/**
 * @param base where x402 and transfers came in
 * @param mpp where what was paid by MPP came in; nothing was, when there is none
 * @param identity the contract of the tokens
 */
export async function closeAccounts(
  db: pg.Pool,
  chainClient: ChainClient,
  outcomes: readonly Outcome[],
  { payees, base, mpp, identity }: { payees: Record<string, Hex>; base: Treasury; mpp?: Treasury; identity: Hex },
): Promise<Accounts> {
  const differences: string[] = [];
  const equal = (what: string, a: unknown, b: unknown) => {
    if (a !== b) differences.push(`${what}: ${a} and ${b}`);
  };
  const entries: Entry[] = (
    await db.query(
      "select payer, payee, method, operation, state, amount_units::text as units, bought from offchain.payment where paid_at is not null or state not in ('released')",
    )
  ).rows.map((row) => ({ ...row, units: BigInt(row.units) }));
  /** Money that is ours by the ledger: it bought something, or is owed. */
  const held = entries.filter(({ state }) => state === "fulfilled" || state === "refund_due");
  const open = entries.filter(({ state }) => ["new", "settling", "paid"].includes(state));
  equal("payments that nobody has finished", open.length, 0);

  for (const [treasury, isIn] of [
    [base, ({ method }: Entry) => method !== "mpp"],
    [mpp, ({ method }: Entry) => method === "mpp"],
  ] as const) {
    const here = held.filter(isIn);
    if (!treasury) {
      equal("paid by MPP", here.length, 0);
      continue;
    }
    const { chain, token } = treasury;
    const moved = (
      await Promise.all(
        Object.values(payees).map((to) =>
          chain.getLogs({ address: token, event: TRANSFER, args: { to }, fromBlock: treasury.since + 1n }),
        ),
      )
    ).flat();
    for (const [name, payee] of Object.entries(payees))
      equal(
        `received by the ${name}, and fulfilled plus credited`,
        (await balanceOf(treasury, payee)) - treasury.before[name]!,
        sum(here.filter((entry) => entry.payee === payee)),
      );
    for (const payer of new Set([
      ...outcomes.map(({ payer: { address } }) => address.toLowerCase() as Hex),
      ...here.map((entry) => entry.payer),
    ]))
      equal(
        `paid by ${payer}, and what the ledger says of it`,
        moved
          .filter(({ args }) => args.from!.toLowerCase() === payer)
          .reduce((total, { args }) => total + args.value!, 0n),
        sum(here.filter((entry) => entry.payer === payer)),
      );
  }

  const tokens = (
    await chainClient.chain.getLogs({ address: identity, event: REGISTERED, fromBlock: base.since + 1n })
  ).filter(({ args }) => args.origin === mintOriginIndex("AGENT_SIWA"));
  const mints = entries.filter(({ operation, state }) => operation === "agentMint" && state === "fulfilled");
  equal("tokens minted, and fulfilled mints", tokens.length, mints.length);
  equal(
    "tokens minted, and wallets that have one",
    tokens.length,
    new Set(tokens.map(({ args }) => args.agentAddress)).size,
  );
  equal("fulfilled mints, and mints they bought", mints.length, new Set(mints.map(({ bought }) => bought)).size);
  const { rows } = await db.query("select mint_id, wallet, token_id, state from offchain.mint");
  equal("mints on record, and tokens minted", rows.filter(({ state }) => state === "minted").length, tokens.length);
  for (const { args } of tokens)
    if (
      !rows.some(
        ({ token_id, wallet }) =>
          Number(token_id) === Number(args.tokenId) && wallet === args.agentAddress!.toLowerCase(),
      )
    )
      differences.push(`token ${args.tokenId} is on nobody's record`);

  for (const outcome of outcomes) {
    const { payment, payer, end, tokenId } = outcome;
    const tell = (problem: string) =>
      differences.push(
        `payment ${payment.index} (${payment.buys} by ${payment.by}, ${payment.variant}, ${payer.address}) ${problem}; answered ${outcome.answers.join(", ")}`,
      );
    const kept = held.filter((entry) => entry.payer === payer.address.toLowerCase());
    if (end === "served" && !kept.some(({ state }) => state === "fulfilled")) tell("was served and paid nothing");
    if (tokenId !== undefined && !tokens.some(({ args }) => Number(args.tokenId) === tokenId))
      tell("was told of a token that is none");
    if (
      (payment.variant === "tampered" || payment.variant === "reused-number") &&
      (end === "served" || kept.length > 0)
    )
      tell("was served or charged");
    // A reorganisation may put the settlement of a bearer before its noting: it serves nobody then, and is its payer's credit.
    const bearer = payment.buys === "report" && (payment.by === "v1" || payment.by === "v2");
    const credited = bearer && end === "refused" && kept.some(({ state }) => state === "refund_due");
    if (HONEST.includes(payment.variant) && end !== "served" && !credited) tell(`is ${end}`);
    if (payment.variant !== "shared" && kept.filter(({ state }) => state === "fulfilled").length > 1)
      tell("bought more than once");
  }
  const count = (of: readonly string[]) =>
    Object.fromEntries([...new Set(of)].toSorted().map((name) => [name, of.filter((other) => other === name).length]));
  return {
    differences,
    summary: {
      payments: outcomes.length,
      ends: count(outcomes.map(({ end }) => end)),
      ledger: count(entries.map(({ state }) => state)),
      methods: count(held.map(({ method }) => method)),
      tokens: tokens.length,
      units: String(sum(held)),
      credited: String(sum(held.filter(({ state }) => state === "refund_due"))),
    },
  };
}

/** What an address has of a treasury in its token. */
const balanceOf = ({ chain, token }: Pick<Treasury, "chain" | "token">, address: Hex): Promise<bigint> =>
  chain.readContract({
    address: token,
    abi: [parseAbiItem("function balanceOf(address) view returns (uint256)")],
    functionName: "balanceOf",
    args: [address],
  });

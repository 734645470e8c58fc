/** The books after an attack: every unit that came in is in the ledger, every token was paid for once, and nothing else was got. */
import { type Hex, parseAbiItem } from "viem";
import { ogOf } from "../../core/agents/og-wallets.ts";
import { mintOriginIndex } from "../../core/mints/mint-origins.ts";
import type { Treasury } from "../payment-load/books.ts";
import { MINT_UNITS, type World } from "./world.ts";

const TRANSFER = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
const REGISTERED = parseAbiItem(
  "event AgentRegistered(uint256 indexed tokenId, address indexed agentAddress, string name, uint8 origin)",
);
const BALANCE = [parseAbiItem("function balanceOf(address) view returns (uint256)")];

type Entry = {
  method: string;
  operation: string;
  state: string;
  payer: Hex;
  payee: Hex;
  units: bigint;
  txHash: Hex | null;
  bought: string | null;
};

/** @returns differences, each a sentence; none: the books balance to the unit */
export async function books(world: World, honest: readonly Hex[]): Promise<string[]> {
  const differences: string[] = [];
  const { rows } = await world.db.query(
    `select method, operation, state, payer, payee, amount_units::text as units, tx_hash as "txHash", bought from offchain.payment`,
  );
  const entries: Entry[] = rows.map((row) => ({ ...row, units: BigInt(row.units) }));
  const open = entries.filter(({ state }) => ["new", "settling", "paid"].includes(state));
  if (open.length > 0) differences.push(`${open.length} payments that nobody has finished`);
  const held = entries.filter(({ state }) => state === "fulfilled" || state === "refund_due");
  const people = new Set(honest.map((address) => address.toLowerCase()));
  differences.push(
    ...(await treasuryDifferences(
      world.base,
      held.filter(({ method }) => method !== "mpp"),
      world,
      people,
    )),
  );
  differences.push(
    ...(await treasuryDifferences(
      world.mpp,
      held.filter(({ method }) => method === "mpp"),
      world,
      people,
    )),
  );
  differences.push(...(await tokens(world, entries)));
  for (const name of ["deployer", "treasury"] as const) {
    const builtIn = world.builtIn[name];
    const got = await balanceOf(world.base, builtIn);
    if (got !== 0n) differences.push(`the built-in ${name} ${builtIn} got ${got} units, though another is configured`);
  }
  return differences;
}

/** One token of one chain: what moved to the payees, and what the ledger says of it. */
async function treasuryDifferences(
  of: Treasury,
  held: readonly Entry[],
  { payees }: World,
  people: ReadonlySet<string>,
): Promise<string[]> {
  const differences: string[] = [];
  for (const [name, to] of Object.entries(payees)) {
    const moved = await of.chain.getLogs({
      address: of.token,
      event: TRANSFER,
      args: { to },
      fromBlock: of.since + 1n,
    });
    const left = moved.map(({ args, transactionHash }) => ({
      from: args.from!.toLowerCase() as Hex,
      units: args.value!,
      txHash: transactionHash,
    }));
    const received = (await balanceOf(of, to)) - of.before[name]!;
    for (const entry of held.filter(({ payee }) => payee === to.toLowerCase())) {
      const found = left.findIndex(
        ({ from, units, txHash }) => from === entry.payer && units === entry.units && txHash === entry.txHash,
      );
      if (found >= 0) left.splice(found, 1);
      else
        differences.push(
          `a payment of ${entry.units} by ${entry.payer} is ${entry.state} without a transfer of its own`,
        );
    }
    const gifts = left.reduce((sum, { units }) => sum + units, 0n);
    const booked = held.filter(({ payee }) => payee === to.toLowerCase()).reduce((sum, { units }) => sum + units, 0n);
    if (received !== booked + gifts)
      differences.push(`the ${name} received ${received}; booked ${booked}, unasked for ${gifts}`);
    for (const { from, units, txHash } of left) {
      if (people.has(from)) differences.push(`an honest payment of ${units} by ${from} is in no book (${txHash})`);
      else if ((await senderOf(of, txHash)) !== from)
        differences.push(`${units} units of ${from} were taken by the service and are in no book (${txHash})`);
    }
  }
  return differences;
}

async function senderOf({ chain }: Treasury, hash: Hex): Promise<string> {
  const { from } = await (
    chain as unknown as { getTransaction(of: { hash: Hex }): Promise<{ from: Hex }> }
  ).getTransaction({ hash });
  return from.toLowerCase();
}

async function tokens({ chain, identity, base, db, phase }: World, entries: readonly Entry[]): Promise<string[]> {
  const differences: string[] = [];
  const logs = await chain.getLogs({ address: identity, event: REGISTERED, fromBlock: base.since + 1n });
  const ours = logs.filter(
    ({ args }) => args.origin === mintOriginIndex("AGENT_SIWA") || args.origin === mintOriginIndex("API"),
  );
  const { rows: mints } = await db.query(
    "select mint_id, registrant, token_id::int as token, state from offchain.mint",
  );
  const minted = mints.filter(({ state }) => state === "minted");
  const recorded = new Set(minted.map(({ token }) => token));
  for (const { args } of ours)
    if (!recorded.has(Number(args.tokenId))) differences.push(`token ${args.tokenId} is on nobody's record`);
  if (minted.length !== ours.length) differences.push(`${minted.length} mints on record, ${ours.length} tokens minted`);
  const registrants = new Set(minted.map(({ registrant }) => registrant));
  if (registrants.size !== minted.length)
    differences.push(`${minted.length} tokens for ${registrants.size} registrants`);
  if (phase === "free") return differences;
  const paid = entries.filter(({ state, bought }) => state === "fulfilled" && bought?.startsWith("mint:"));
  for (const { units, bought } of paid)
    if (units !== MINT_UNITS) differences.push(`${bought} was bought for ${units} units`);
  const bought = new Set(paid.map(({ bought }) => bought!.slice("mint:".length)));
  if (bought.size !== paid.length) differences.push(`${paid.length} payments bought ${bought.size} mints`);
  for (const { mint_id, token, registrant } of minted)
    if (!bought.has(mint_id) && !ogOf(registrant)) differences.push(`nobody paid for token ${token}`);
  return differences;
}

const balanceOf = ({ chain, token }: Pick<Treasury, "chain" | "token">, address: Hex): Promise<bigint> =>
  chain.readContract({ address: token, abi: BALANCE, functionName: "balanceOf", args: [address] }) as Promise<bigint>;

/** The end of a round: waits until nothing is under way any more, and nothing can be taken back. */
import { privateKeyToAddress } from "viem/accounts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { ageAbandoned, countOf, isIndexed, OPEN, UNFINAL } from "../under-way.ts";
import { until } from "../until.ts";
import type { World } from "./world.ts";

/** Blocks after which the sweeper takes a payment for final, and some more. */
const FINAL_BLOCKS = 70;
const LONG = { timeoutMs: 400_000, everyMs: 200 };

/** OPEN, and the keys with which clients repeat their requests. */
const ALL_OPEN = {
  ...OPEN,
  "keys of requests that are long dead":
    "offchain.idempotency where state = 'running' and lease_until > clock_timestamp()",
};

/** Resolves with the chain held still, its last block indexed, and nothing left to do. @throws Error naming what is */
export async function settle(world: World): Promise<void> {
  try {
    await wait(world);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await whoWaits(world)}`, { cause: error });
  }
}

/** The index, and every session that does something or keeps another from it. */
async function whoWaits({ db }: World): Promise<string> {
  const { rows } = await db.query(`
    select application_name as who, state, wait_event_type || ' ' || wait_event as waits, pg_blocking_pids(pid) as for,
           pid, (now() - xact_start)::text as since, left(regexp_replace(query, '\\s+', ' ', 'g'), 150) as query
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (state <> 'idle' or pid in (select unnest(pg_blocking_pids(a.pid)) from pg_stat_activity a))`);
  return [await readIndexState(db), ...rows].map((row) => JSON.stringify(row)).join("\n");
}

/** Whether the blocks that transactions are said to be in are the chain's: what was lost is then sent again. */
async function knowsItsBlocks({ db, chain }: World): Promise<boolean> {
  const { rows } = await db.query<{ block: string; hash: string }>(
    `select distinct block, block_hash as hash from offchain.transaction_outbox
     where state in ('mined', 'reverted') order by block desc limit 200`,
  );
  const known = await Promise.all(
    rows.map(async ({ block, hash }) => {
      const found = await chain.chain.getBlock({ blockNumber: BigInt(block) }).catch(() => null);
      return found?.hash === hash;
    }),
  );
  return !known.includes(false);
}

/** Whether no transaction waits for a block, nor one of the facilitator for another before it. */
async function isEmpty({ chain, devnet }: World): Promise<boolean> {
  const { pending, queued } = await chain.chain.getTxpoolContent();
  const facilitator = privateKeyToAddress(devnet.keys.facilitator).toLowerCase();
  return (
    Object.keys(pending).length === 0 && !Object.keys(queued).some((account) => account.toLowerCase() === facilitator)
  );
}

async function wait(world: World): Promise<void> {
  const { db, chain, facilitator } = world;
  await until("a sender that has seen every reorganisation", () => knowsItsBlocks(world), LONG);
  await until("a facilitator with nothing in hand", async () => facilitator.busy === 0, LONG);
  await until("an empty pool of the node", () => isEmpty(world), LONG);
  for (const [what, open] of Object.entries(ALL_OPEN))
    await until(
      `no ${what}`,
      async () => {
        if (open.includes("payment")) await ageAbandoned(db);
        return (await countOf(db, open)) === 0;
      },
      LONG,
    );
  await chain.mine(FINAL_BLOCKS);
  await until("every transfer is final", async () => (await countOf(db, UNFINAL)) === 0, LONG);
  chain.hold();
  const head = Number(await chain.chain.getBlockNumber());
  await until(`the index at block ${head}`, () => isIndexed(db, head), LONG);
}

/** What a client was refused may be on the chain all the same: resolves when the sweep has read all of it once more. */
export async function releasedAreRead({ db }: World): Promise<void> {
  const { rows } = await db.query("select clock_timestamp() as now");
  const unread = async () =>
    db.query(
      `select from offchain.payment where state = 'released' and credential is not null
         and coalesce(swept_at, '-infinity') < $1`,
      [rows[0].now],
    );
  await until("every released payment is read once more", async () => (await unread()).rowCount === 0, LONG);
}

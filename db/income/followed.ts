/** Whose transfers of USDC are read: agents' wallets, who paid them or hired them, and the owners and wallets of these agents; in cohorts, each read by one filter. */

import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { COHORT_SIZE } from "../../core/income/requests.ts";
import { DUST_UNITS, MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { array, family, int4, int8, narrow, statement, text, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

export type CohortKind = "wallet" | "payer" | "side";

/** Of one owner, agents whose wallets are followed. */
const MAX_GROUP = 100;

/** Agents whose wallet is theirs: what only names a wallet takes no income from it. Columns id, wallet, owner. */
export const PAID_AGENTS = `(
  select d.id, d.address as wallet, d.owner_address as owner from offchain.directory d
  where d.removed_at is null and d.address is not null
    and (d.platform = '${OWN_PLATFORM}' and d.wallet_confirmed or d.platform = '${ERC8004}' and d.wallet_proven))`;

/** Owners and wallets of the agents of an owner, bounded. @param owner SQL */
export const groupOf = (owner: string) => `(
  select g.address from (
    select d.address from offchain.directory d
    where d.owner_address collate "C" = ${owner} and d.removed_at is null and d.address is not null
      and (d.platform = '${OWN_PLATFORM}' and d.wallet_confirmed or d.platform = '${ERC8004}' and d.wallet_proven)
    order by d.id limit ${MAX_GROUP}) g)`;

/** How many agents of the directory have a wallet that is theirs. @param wallet SQL */
export const walletAgents = (wallet: string) => `(
  select count(*) from offchain.directory o
  where o.address collate "C" = ${wallet} and o.removed_at is null and exists (select from ${PAID_AGENTS} b where b.id = o.id))`;

const WALLET_AGENTS = statement({
  name: "income-wallet-agents",
  params: { wallet: text },
  text: `select ${walletAgents("$wallet")} as agents`,
  columns: { agents: int8 },
});

/** How many agents of the directory have a wallet. @param wallet lower-case */
export const agentsOfWallet = async (db: Queryable, wallet: string): Promise<number> =>
  (await WALLET_AGENTS.one(db, { wallet })).agents;

/** What was last changed of that the figures of an agent `a` rest on. */
export const INCOME_SEEN = `(
  select coalesce(string_agg(f.address || f.kind || extract(epoch from f.changed_at), ' ' order by f.address, f.kind), '')
  from offchain.income_followed f where f.address = a.wallet or f.address = a.owner)`;

/** A job `j` that gave its provider money, of a statement with the parameter `usdc`. */
export const EARNED = `j.token = $usdc and j.state = 'completed' and j.units >= ${MIN_MOVED_UNITS}`;

/** Which jobs have their clients followed: in USDC (lower-case), funded or ended since, Unix seconds. */
export type HiringJobs = { usdc: string; since: number };
type Write = (value: unknown) => string;

/** A job `j` that a client ordered of an agent in USDC. */
const isHiring = ({ usdc, since }: HiringJobs, $: Write) => `j.token = ${$(usdc)}::text and j.units >= ${DUST_UNITS}
  and (j.funded_at > ${$(since)}::int8 or j.ended_at > ${$(since)}::int8)`;

/** SQL of the addresses to follow, of each kind: `address`, and `weight`, by which they are chosen first. */
const WANTED: Record<CohortKind, (jobs: HiringJobs, $: Write) => string> = {
  wallet: () => `select a.wallet as address, 1 as weight from ${PAID_AGENTS} a group by a.wallet`,
  // What an escrow gave back weighs nothing: it costs nothing.
  payer: (jobs, $) => `
    select p.address, sum(p.units) as weight from (
      select m.sender as address, m.units from offchain.income_move m
      where m.nonce is not null and m.units >= ${DUST_UNITS}
      union all
      select j.client, case when j.state in ('rejected', 'expired') then 0 else j.units end
      from offchain.commerce_job j
      where ${isHiring(jobs, $)}
        and exists (select from ${PAID_AGENTS} a where a.wallet collate "C" = j.provider)) p
    group by p.address`,
  side: (jobs, $) => `
    select s.address, 1 as weight from (
      with paid as materialized (
        select a.wallet, a.owner from ${PAID_AGENTS} a
        where a.wallet in (
          select m.recipient from offchain.income_move m where m.nonce is not null
          union select j.provider from offchain.commerce_job j where ${isHiring(jobs, $)}))
      select p.wallet as address from paid p
      union select p.owner from paid p where p.owner is not null
      union select g.address from (select distinct p.owner from paid p where p.owner is not null) o
        cross join lateral ${groupOf("o.owner")} g) s`,
};
export const COHORT_KINDS = Object.keys(WANTED) as CohortKind[];
const EXAMPLE_JOBS = { usdc: "0x", since: 0 };

/** Blocks of an enrolment. `knownFrom`: payments to new wallets up to this block make no events. */
type EnrolBlocks = { fromBlock: number; behind: number; knownFrom: number };

const ENROL = family({
  name: "income-enrol",
  text: ({ kind, blocks, jobs }: { kind: CohortKind; blocks: EnrolBlocks; jobs: HiringJobs }, $) => `
    with new as materialized (
      select w.address from (${WANTED[kind](jobs, $)}) w
      left join offchain.income_followed f on f.address = w.address and f.kind = '${kind}'
      where f.address is null order by w.weight desc, w.address limit ${COHORT_SIZE}
    ), cohort as (
      insert into offchain.income_cohort (kind, from_block, read_to)
      select '${kind}', ${$(blocks.fromBlock)}::int8, ${$(blocks.fromBlock - 1)}::int8
      where exists (select from new)
        and not exists (
          select from offchain.income_cohort c
          where c.kind = '${kind}' and c.read_to < ${$(blocks.behind)}::int8 and c.failures = 0)
      returning id
    )
    insert into offchain.income_followed (address, kind, cohort, known_from)
    select new.address, '${kind}', cohort.id, ${$(blocks.knownFrom)}::int8 from new cross join cohort
    on conflict do nothing`,
  examples: COHORT_KINDS.map((kind) => ({
    kind,
    jobs: EXAMPLE_JOBS,
    blocks: { fromBlock: 0, behind: 0, knownFrom: 0 },
  })),
});

/**
 * Follows those of a kind that are not followed yet, at most one cohort of them, and none while another cohort of the kind
 * is behind, unless its reads fail: those who come meanwhile come together. Payers of most money first.
 * @returns number of addresses
 */
export const enrol = (db: Queryable, kind: CohortKind, blocks: EnrolBlocks, jobs: HiringJobs): Promise<number> =>
  ENROL.run(db, { kind, blocks, jobs });

const FORGET = family({
  name: "income-forget",
  text: ({ kind, jobs }: { kind: CohortKind; jobs: HiringJobs }, $) => `
    delete from offchain.income_followed f
    where f.kind = '${kind}' and f.address not in (select w.address from (${WANTED[kind](jobs, $)}) w)
    returning f.address`,
  columns: { address: text },
  examples: COHORT_KINDS.map((kind) => ({ kind, jobs: EXAMPLE_JOBS })),
});

/** A transfer `m` for which an address is followed. */
const JUSTIFIED = `exists (
    select from offchain.income_followed f
    where f.address = m.recipient and (f.kind = 'payer' or f.kind = 'wallet' and m.nonce is not null))
  or exists (select from offchain.income_followed f where f.address = m.sender and f.kind = 'side')`;

const DROP_MOVES = statement({
  name: "income-drop-moves",
  params: { addresses: array(text) },
  text: `
    delete from offchain.income_move m
    where (m.recipient = any($addresses) or m.sender = any($addresses)) and not (${JUSTIFIED})`,
});

const DROP_EMPTY = statement({
  name: "income-drop-cohorts",
  text: `
    delete from offchain.income_cohort c
    where not exists (select from offchain.income_followed f where f.cohort = c.id)`,
});

const DROP_OLD = statement({
  name: "income-drop-old",
  params: { before: int8 },
  text: "delete from offchain.income_move m where m.at < $before",
});

/**
 * Forgets wallets that are not wanted any more, with the transfers that are kept only for them: a later reorganisation of
 * their blocks would not be seen. Also forgets what is older than the oldest of the jobs.
 */
export async function forgetUnwanted(tx: Queryable, jobs: HiringJobs): Promise<number> {
  const aged = await DROP_OLD.run(tx, { before: jobs.since });
  const gone: string[] = [];
  for (const kind of COHORT_KINDS) gone.push(...(await FORGET.rows(tx, { kind, jobs })).map(({ address }) => address));
  if (gone.length > 0) await DROP_MOVES.run(tx, { addresses: gone });
  await DROP_EMPTY.run(tx);
  return aged + gone.length;
}

const MERGE = statement({
  name: "income-merge",
  text: `
    with size as (
      select c.id, c.kind, c.read_to, count(*) as addresses
      from offchain.income_cohort c join offchain.income_followed f on f.cohort = c.id where c.failures = 0
      group by c.id
    ), pair as (
      select least(a.id, b.id) as kept, greatest(a.id, b.id) as gone
      from size a join size b on b.kind = a.kind and b.read_to = a.read_to and b.id > a.id
      where a.addresses + b.addresses <= ${COHORT_SIZE}
      order by a.addresses + b.addresses, a.id, b.id limit 1
    ), begun as (
      update offchain.income_cohort c set from_block = least(c.from_block, g.from_block)
      from pair join offchain.income_cohort g on g.id = pair.gone where c.id = pair.kept)
    update offchain.income_followed f set cohort = pair.kept from pair where f.cohort = pair.gone`,
});

/** Makes one cohort of two that are read up to the same block and have room for each other. @returns whether there were two */
export async function mergeCohorts(tx: Queryable): Promise<boolean> {
  if ((await MERGE.run(tx)) === 0) return false;
  await DROP_EMPTY.run(tx);
  return true;
}

const WALLETS = statement({
  name: "income-wallets",
  text: `select count(distinct a.wallet) as wallets from ${PAID_AGENTS} a`,
  columns: { wallets: int8 },
});

/** How many wallets of agents are to be followed. */
export const followableWallets = async (db: Queryable): Promise<number> => (await WALLETS.one(db)).wallets;

/** A cohort that is to be read. */
export type Cohort = { id: number; kind: CohortKind; fromBlock: number; readTo: number; failures: number };

const COHORTS = statement({
  name: "income-cohorts",
  params: { now: timestamptz },
  text: `
    select c.id, c.kind, c.from_block as "fromBlock", c.read_to as "readTo", c.failures
    from offchain.income_cohort c
    where c.next_try_at is null or c.next_try_at <= $now
    order by c.read_at nulls first, c.id`,
  columns: { id: int8, kind: narrow<CohortKind>(text), fromBlock: int8, readTo: int8, failures: int4 },
});

/** Cohorts that may be read now, the longest unread first. */
export const cohorts = (db: Queryable, now: Date): Promise<Cohort[]> => COHORTS.rows(db, { now });

const ADDRESSES = statement({
  name: "income-addresses",
  params: { cohort: int8 },
  text: "select f.address from offchain.income_followed f where f.cohort = $cohort order by f.address",
  columns: { address: narrow<`0x${string}`>(text) },
});

export const addressesOf = async (db: Queryable, cohort: number) =>
  (await ADDRESSES.rows(db, { cohort })).map(({ address }) => address);

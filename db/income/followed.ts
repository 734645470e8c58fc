/** Whose transfers of USDC are read: agents' wallets, who paid them or hired them, and the owners and wallets of these agents; in cohorts, each read by one filter. */
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { DUST_UNITS, MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { lockText } from "../sql/locks.ts";
import { family, type Queryable, type Row, statement, t } from "../sql/statement.ts";
import { inTurns } from "./places.ts";

/** Addresses that are read by one filter of logs. */
export const COHORT_SIZE = 500;

export type CohortKind = "wallet" | "payer" | "side";

/** Of one owner, agents whose wallets are followed: those that were given most money. Whose wallet is the group's has no limit. */
const MAX_GROUP = 100;

/** Agents whose wallet is theirs: what only names a wallet takes no income from it. Columns id, wallet, owner. */
export const PAID_AGENTS = `(
  select d.id, d.address as wallet, d.owner_address as owner from offchain.directory d
  where d.removed_at is null and d.address is not null
    and (d.platform = '${OWN_PLATFORM}' and d.wallet_confirmed or d.platform = '${ERC8004}' and d.wallet_proven))`;

/**
 * SQL of whether the wallet of a row of the directory is its owner's side: by an act of who owns it now. Anybody can give
 * an owner an agent that names the giver's wallet. The canonical registry forgets the wallet with each transfer; the own one
 * does not, so a token counts whose owner registered it.
 */
const isGroups = (d: string, owner: string) => `${d}.owner_address collate "C" = ${owner} and ${d}.removed_at is null
  and (${d}.platform = '${ERC8004}' and ${d}.wallet_proven or ${d}.platform = '${OWN_PLATFORM}' and ${d}.wallet_confirmed
    and not exists (
      select from onchain.transfer x
      where x.contract = ${d}.registry and x.token_id = ${d}.token_id::numeric and x."from" <> '${ZERO_ADDRESS}'))`;

/** SQL of whether an address is the wallet of an agent of an owner, of any number. @param address, owner SQL */
export const inGroup = (address: string, owner: string) => `exists (
  select from offchain.directory d where d.address collate "C" = ${address} and ${isGroups("d", owner)})`;

/** SQL of the wallets of an owner's agents whose transfers are followed. @param owner SQL */
export const followedGroup = (owner: string) => `(
  select distinct f.address from offchain.directory d
  join offchain.income_followed f on f.address = d.address and f.kind = 'side' where ${isGroups("d", owner)})`;

/** Those of some addresses that are wallets of an owner's agents. Addresses lower-case. */
export const groupMembers = statement({
  name: "income-group-members",
  given: (owner: string | null, addresses: readonly string[]) => ({ owner, addresses: [...new Set(addresses)] }),
  params: { owner: t.nullable(t.text), addresses: t.array(t.text) },
  text: `select a.address from unnest($addresses::text[]) a(address) where ${inGroup("a.address", "$owner")}`,
  columns: { address: t.filtered(t.text) },
}).values;

/** How many agents of the directory have a wallet that is theirs. @param wallet SQL */
export const walletAgents = (wallet: string) => `(
  select count(*) from offchain.directory o
  where o.address collate "C" = ${wallet} and o.removed_at is null and exists (select from ${PAID_AGENTS} b where b.id = o.id))`;

/** How many agents of the directory have a wallet. @param wallet lower-case */
export const agentsOfWallet = statement({
  name: "income-wallet-agents",
  params: { wallet: t.text },
  text: `select ${walletAgents("$wallet")} as agents`,
  columns: { agents: t.int8 },
}).onlyValue;

/** What was last changed of that the figures of an agent `a` rest on. */
export const INCOME_SEEN = `(
  select coalesce(string_agg(f.address || f.kind || extract(epoch from f.changed_at), ' ' order by f.address, f.kind), '')
  from offchain.income_followed f where f.address = a.wallet or f.address = a.owner)`;

/** A job `j` that gave its provider money, of a statement with the parameter `usdc`. */
const earned = (usdc: string) => `j.token = ${usdc} and j.state = 'completed' and j.units >= ${MIN_MOVED_UNITS}`;
export const EARNED = earned("$usdc");

/** Which jobs have their clients followed: in USDC (lower-case), funded or ended since, Unix seconds. */
export type HiringJobs = { usdc: string; since: number };
type Write = (value: unknown) => string;

/** A job `j` that a client ordered of an agent in USDC. */
const isHiring = ({ usdc, since }: HiringJobs, $: Write) => `j.token = ${$(usdc)}::text and j.units >= ${DUST_UNITS}
  and (j.funded_at > ${$(since)}::int8 or j.ended_at > ${$(since)}::int8)`;

/** Wallets of agents, each with one owner and the first agent: the same money makes no turns of several owners. */
const PAID_WALLETS = `(
  select distinct on (a.wallet collate "C") a.wallet collate "C" as wallet, coalesce(a.owner, a.wallet) as owner, a.id
  from ${PAID_AGENTS} a order by a.wallet collate "C", a.id)`;

/**
 * SQL of who paid whom: `address`, agent's `wallet` with its `owner`, `units` that were given for good, and since when (`at`).
 * Each wallet is looked up by the index: a join would compare each payer with each wallet where a table has grown since its
 * statistics were made.
 */
const payersOf = (jobs: HiringJobs, $: Write) => `
  select p.address, p.wallet, w.owner, p.units, p.at from (
    select p.address, p.wallet, sum(p.units) as units, min(p.at) as at from (
      select m.sender as address, m.recipient as wallet, m.units, m.at from offchain.income_move m
      where m.nonce is not null and m.units >= ${DUST_UNITS}
      union all
      select j.client, j.provider, case when j.state = 'completed' then j.units else 0 end, j.funded_at
      from offchain.commerce_job j where ${isHiring(jobs, $)}) p
    group by p.address, p.wallet) p
  cross join lateral (
    select coalesce(a.owner, a.wallet) as owner from ${PAID_AGENTS} a
    where a.wallet collate "C" = p.wallet order by a.id limit 1) w`;

/**
 * SQL of who is to be followed, of each kind: `address`, and that for which it is: `wallet` and `owner` of an agent, with `units`
 * and `at`, by which `inTurns` chooses. An address may be there several times.
 */
const WANTED: Record<CohortKind, (jobs: HiringJobs, $: Write) => string> = {
  wallet: () => `select w.wallet as address, w.wallet, w.owner, 0 as units, w.id as at from ${PAID_WALLETS} w`,
  payer: payersOf,
  side: (jobs, $) => `
    with paid as materialized (
      select a.wallet, a.owner, w.at from (
        select s.wallet, min(s.at) as at from (
          select m.recipient as wallet, m.at from offchain.income_move m where m.nonce is not null
          union all select j.provider, j.funded_at from offchain.commerce_job j where ${isHiring(jobs, $)}) s
        group by s.wallet) w
      join ${PAID_AGENTS} a on a.wallet collate "C" = w.wallet)
    select p.wallet as address, p.wallet, coalesce(p.owner, p.wallet) as owner, 1 as units, p.at from paid p
    union all
    select p.owner, p.wallet, p.owner, 1, p.at from paid p where p.owner is not null
    union all
    select g.address, g.address, o.owner, 0, o.at
    from (select p.owner, min(p.at) as at from paid p where p.owner is not null group by p.owner) o
    cross join lateral (
      select d.address from offchain.directory d
      left join lateral (
        select sum(m.units) as units from offchain.income_move m where m.recipient = d.address) given on true
      where ${isGroups("d", "o.owner")} and d.address is not null
      order by given.units desc nulls last, d.address limit ${MAX_GROUP}) g`,
};
export const COHORT_KINDS = Object.keys(WANTED) as CohortKind[];
const EXAMPLE_JOBS = { usdc: "0x", since: 0 };

/** Blocks of an enrolment. `knownFrom`: payments to new wallets up to this block make no events. */
type EnrolBlocks = { fromBlock: number; behind: number; knownFrom: number };

/**
 * Follows those of a kind that are not followed yet, at most one cohort of them, and none while another cohort of the kind
 * is behind, unless its reads fail: those who come meanwhile come together.
 * Bound: 500 at a time, by turns: one payer of each agent and owner before a second. Money that goes round, or new agents of one
 * owner, fill no cohort.
 * @returns number of addresses
 */
export const enrol = family({
  name: "income-enrol",
  text: ({ kind, blocks, jobs }: { kind: CohortKind; blocks: EnrolBlocks; jobs: HiringJobs }, $) => `
    with new as materialized (${inTurns(
      `select w.*, exists (
        select from offchain.income_followed f where f.address = w.address and f.kind = '${kind}') as done
      from (${WANTED[kind](jobs, $)}) w`,
      ["wallet", "owner"],
      COHORT_SIZE,
    )}), cohort as (
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
}).run;

const FORGET = family({
  name: "income-forget",
  text: ({ kind, jobs }: { kind: CohortKind; jobs: HiringJobs }, $) => `
    delete from offchain.income_followed f
    where f.kind = '${kind}' and f.address not in (select w.address from (${WANTED[kind](jobs, $)}) w)
    returning f.address`,
  columns: { address: t.text },
  examples: COHORT_KINDS.map((kind) => ({ kind, jobs: EXAMPLE_JOBS })),
});

/**
 * Accounts that may connect payers and are not read yet.
 * Bound: by turns: one of each payer before a second, of each agent, and of each owner. An account that gave many payers money,
 * or much of it, comes no earlier.
 */
export const dueAccounts = family({
  name: "income-accounts-due",
  // A payer is of the agent that it paid first, so that one that paid many takes no turns of all of them.
  text: ({ jobs, limit }: { jobs: HiringJobs; limit: number }, $) => `
    with earned as materialized (
      select j.client, j.provider, j.units, j.ended_at from offchain.commerce_job j where ${earned(`${$(jobs.usdc)}::text`)}
    ), given as materialized (
      select g.address, g.payer, sum(g.units) as units, min(g.at) as at from (
        select m.sender as address, m.recipient as payer, m.units, m.at from offchain.income_move m
        union all select * from earned) g
      join offchain.income_followed f on f.address = g.payer and f.kind = 'payer'
      group by g.address, g.payer
    ), connecting as (
      select g.address from given g group by g.address
      having count(*) > 1 or g.address in (
        select s.recipient from (
          select m.sender, m.recipient from offchain.income_move m union all select e.client, e.provider from earned e) s
        join offchain.income_followed f on f.address = s.sender and f.kind = 'side')
    ), paid as materialized (
      select distinct on (p.address) p.address as payer, p.wallet, p.owner from (${payersOf(jobs, $)}) p
      order by p.address, p.at, p.wallet)
    ${inTurns(
      `select g.address, g.payer, p.wallet, p.owner, g.units, g.at, a.address is not null as done
      from given g join connecting c on c.address = g.address join paid p on p.payer = g.payer
      left join offchain.income_account a on a.address = g.address`,
      ["payer", "wallet", "owner"],
      `${$(limit)}::int8`,
    )}`,
  columns: { address: t.text },
  examples: [{ jobs: EXAMPLE_JOBS, limit: 1 }],
}).values;

/** A transfer `m` for which an address is followed. */
const JUSTIFIED = `exists (
    select from offchain.income_followed f
    where f.address = m.recipient and (f.kind = 'payer' or f.kind = 'wallet' and m.nonce is not null))
  or exists (select from offchain.income_followed f where f.address = m.sender and f.kind = 'side')`;

const DROP_MOVES = statement({
  name: "income-drop-moves",
  params: { addresses: t.array(t.text) },
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
  params: { before: t.int8 },
  text: "delete from offchain.income_move m where m.at < $before",
});

/**
 * Forgets wallets that are not wanted any more, with the transfers that are kept only for them: a later reorganisation of
 * their blocks would not be seen. Also forgets what is older than the oldest of the jobs.
 */
export async function forgetUnwanted(tx: Queryable, jobs: HiringJobs): Promise<number> {
  const aged = await DROP_OLD.run(tx, { before: jobs.since });
  const gone: string[] = [];
  for (const kind of COHORT_KINDS) gone.push(...(await FORGET.values(tx, { kind, jobs })));
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

/** Lets nobody else change who is in a cohort, or what it was read to, until the transaction ends. */
export const lockCohorts = (tx: Queryable): Promise<void> => lockText(tx, "income-cohorts");

/** Makes one cohort of two that are read up to the same block and have room for each other. @returns whether there were two */
export async function mergeCohorts(tx: Queryable): Promise<boolean> {
  await lockCohorts(tx);
  if ((await MERGE.run(tx)) === 0) return false;
  await DROP_EMPTY.run(tx);
  return true;
}

/** How many wallets of agents are to be followed. */
export const followableWallets = statement({
  name: "income-wallets",
  text: `select count(distinct a.wallet) as wallets from ${PAID_AGENTS} a`,
  columns: { wallets: t.int8 },
}).onlyValue;

/** Cohorts that may be read now: of each kind the longest unread before a second, so that many payers do not delay wallets. */
export const cohorts = statement({
  name: "income-cohorts",
  params: { now: t.timestamptz },
  text: `
    select c.id, c.kind, c.from_block as "fromBlock", c.read_to as "readTo", c.failures
    from offchain.income_cohort c
    where c.next_try_at is null or c.next_try_at <= $now
    order by row_number() over (partition by c.kind order by c.read_at nulls first, c.id), c.read_at nulls first, c.id`,
  columns: { id: t.int8, kind: t.narrow<CohortKind>(t.text), fromBlock: t.int8, readTo: t.int8, failures: t.int4 },
}).rows;
export type Cohort = Row<typeof cohorts>;

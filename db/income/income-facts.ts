/** Reads what `computeIncome` is given about one agent, and what is known of the money of those who paid one or hired it. */
import type { IncomeFacts, MoneyFacts, NearMoney, Route } from "../../core/income/facts.ts";
import { LOOP_BLOCKS } from "../../core/income/loops.ts";
import {
  DUST_UNITS,
  INCOME_RULES_VERSION,
  INCOME_SECONDS,
  MAX_WEIGHED,
  MIN_MOVED_UNITS,
} from "../../core/income/rules.ts";
import { type Queryable, type Statement, statement, t } from "../sql/statement.ts";
import { IN_WINDOWS, type WeighedAgent, WINDOW_PARAMS, weighedOf, windowsAt } from "./agent-stats.ts";
import { EARNED, followedGroup, INCOME_SEEN, inGroup, PAID_AGENTS } from "./followed.ts";

/**
 * Max sources of money of all payers of an agent that are read, those of most money first; max transfers by its side; and max
 * transfers to its payers near those.
 */
const [MAX_SOURCES, MAX_BY_SIDE, MAX_NEAR] = [100_000, 50_000, 50_000];

const AGENT = statement({
  name: "income-agent",
  params: { id: t.int8 },
  text: `
    select a.wallet, a.owner, ${INCOME_SEEN} as seen from ${PAID_AGENTS} a where a.id = $id`,
  columns: { wallet: t.filtered(t.text), owner: t.nullable(t.text), seen: t.text },
});

const PAYMENTS_PARAMS = { wallet: t.text, since: t.int8 };
const SOURCE = `
  select m.sender as payer, m.units as given, m.units >= ${DUST_UNITS} as counts, m.at, null::int8 as ended_at, m.block,
    m.log_index, m.tx_hash, m.units
  from offchain.income_move m where m.recipient = $wallet and m.nonce is not null and m.at > $since`;

const PAYMENTS = statement({
  name: "income-payments",
  params: PAYMENTS_PARAMS,
  text: `
    with ${weighedOf(SOURCE)}
    select s.block, s.log_index as "logIndex", s.tx_hash as "txHash", s.at, s.payer, s.units from s where s.weighed`,
  columns: { block: t.int8, logIndex: t.int4, txHash: t.text, at: t.int8, payer: t.text, units: t.uint256 },
});

const RAW = statement({
  name: "income-raw",
  params: { ...PAYMENTS_PARAMS, ...WINDOW_PARAMS },
  text: `
    with s as (${SOURCE})
    select p.days, sum(p.payments)::int8 as payments, sum(p.units) as units, count(*) as payers,
      count(*) filter (where p.payments > 1) as "repeatPayers"
    from (
      select w.days, s.payer, count(*) as payments, sum(s.units) as units from s ${IN_WINDOWS} group by w.days, s.payer) p
    group by p.days`,
  columns: { days: t.int4, payments: t.int8, units: t.uint256, payers: t.int8, repeatPayers: t.int8 },
});

const REST = statement({
  name: "income-rest",
  params: { ...PAYMENTS_PARAMS, ...WINDOW_PARAMS, side: t.array(t.text) },
  text: `
    with ${weighedOf(SOURCE)}
    select w.days, not s.counts as "isDust", case when s.payer = any($side) then s.payer else '' end as payer,
      count(*) as payments, sum(s.units) as units
    from s ${IN_WINDOWS} where not s.weighed group by 1, 2, 3`,
  columns: { days: t.int4, isDust: t.bool, payer: t.text, payments: t.int8, units: t.uint256 },
});

/** A job `j` whose money stayed with its provider, or may yet: in the token whose worth is known. */
const PAID_JOB = "j.token = $usdc and j.state not in ('rejected', 'expired')";

/** A transfer `m` to one of `$payers` that is a source of money. The escrow gives back what the payer had, or pays for a job. */
const GIVEN = `m.recipient = p.address and m.units >= ${MIN_MOVED_UNITS}
  and m.sender not in (select c.contract from offchain.commerce_contract c)`;

const GROUP = statement({
  name: "income-group",
  params: { payers: t.array(t.text), others: t.array(t.text), owner: t.nullable(t.text) },
  // Who may be of the group: who paid, who gave them money, and whom else they paid.
  text: `
    with at_hand as (
      select unnest($payers::text[] || $others::text[]) as address
      union select m.sender from unnest($payers::text[]) p(address) join offchain.income_move m on ${GIVEN}
      union select m.recipient from offchain.income_move m where m.sender = any($payers) and m.nonce is not null
      union select j.client from offchain.commerce_job j where j.provider = any($payers)
      union select j.provider from offchain.commerce_job j where j.client = any($payers))
    select h.address from at_hand h where ${inGroup("h.address", "$owner")}
    union select g.address from ${followedGroup("$owner")} g`,
  columns: { address: t.filtered(t.text) },
});

const ELSEWHERE = statement({
  name: "income-elsewhere",
  params: {
    payers: t.array(t.text),
    side: t.array(t.text),
    paid: t.array(t.text),
    hired: t.array(t.text),
    usdc: t.text,
    since: t.int8,
  },
  // Only what a transfer of the side may have given back: without one, a payment elsewhere says nothing. Each payer has a share.
  text: `
    with back as materialized (
      select b.payer, b.units, max(b.at) as at from (
        select m.recipient as payer, m.units, m.at from offchain.income_move m
        where m.sender = any($side) and m.recipient = any($payers)
        union all
        select j.provider, j.units, j.ended_at from offchain.commerce_job j
        where j.client = any($side) and j.provider = any($payers) and ${EARNED}) b
      group by b.payer, b.units
    ), given as (
      select m.sender as payer, m.units, m.at from offchain.income_move m
      where m.recipient = any($paid) and m.sender = any($payers) and m.nonce is not null and m.at > $since
      union all
      select j.client, j.units, j.funded_at from offchain.commerce_job j
      where j.provider = any($hired) and j.client = any($payers) and ${PAID_JOB} and j.funded_at > $since)
    select e.payer, e.units, e.at from (
      select g.*, row_number() over (partition by g.payer order by g.at desc) as nth from given g
      join back b on b.payer = g.payer and b.units = g.units and b.at >= g.at) e
    where e.nth <= ${MAX_WEIGHED} / greatest(1, cardinality($payers))`,
  columns: { payer: t.text, units: t.uint256, at: t.int8 },
});

const FUNDING = statement({
  name: "income-funding",
  params: { payers: t.array(t.text), side: t.array(t.text), usdc: t.text },
  // Of an account that is not of the side: what it gave before the side sent it something is one, what it gave since is another.
  // A job is here by itself.
  text: `
    with given as materialized (
      select m.sender, m.recipient, m.units, m.at from unnest($payers::text[]) p(address)
      join offchain.income_move m on ${GIVEN}
      union all
      select j.client, j.provider, j.units, j.ended_at from unnest($payers::text[]) p(address)
      join offchain.commerce_job j on j.provider = p.address and ${EARNED}
    ), sent as materialized (
      select s.recipient, min(s.at) as at, sum(s.units) as units from (
        select m.recipient, m.at, m.units from offchain.income_move m where m.sender = any($side)
        union all
        select j.provider, j.ended_at, j.units from offchain.commerce_job j where j.client = any($side) and ${EARNED}) s
      group by s.recipient)
    (select g.recipient as payer, g.sender as source, g.units, g.at, null::int8 as "sentAt", null::numeric as "sentUnits"
     from given g where g.sender = any($side) order by g.at desc limit ${MAX_BY_SIDE})
    union all
    (select g.recipient, g.sender, sum(g.units), min(g.at), min(s.at), min(s.units)
     from given g left join sent s on s.recipient = g.sender
     where g.sender <> all($side)
     group by g.recipient, g.sender, s.at <= g.at order by sum(g.units) desc limit ${MAX_SOURCES})`,
  columns: {
    ...{ payer: t.text, source: t.text, units: t.uint256, at: t.int8 },
    ...{ sentAt: t.nullable(t.int8), sentUnits: t.nullable(t.uint256) },
  },
});

type NearRow = { units: string; block: number; txHash: string };

/** Rows of a set that are near another: of one account within two spans of blocks, or of one transaction. @param to, from columns of the accounts */
const near = (rows: string, others: string, [to, from]: [to: string, from: string]) => `
      select r.* from ${rows} r where (r.${to}, r.span) in (
        select o.${from}, o.span + beside from ${others} o cross join generate_series(-1, 1) beside)
      union
      select r.* from ${rows} r where (r.block_hash, r.tx_hash) in (select o.block_hash, o.tx_hash from ${others} o)`;

const NEAR = statement({
  name: "income-near",
  params: { payers: t.array(t.text), side: t.array(t.text) },
  // Equal spans can be joined by a hash, so the time is linear in both; which blocks count is exact where loops are found.
  text: `
    with sent as materialized (
      select m.*, m.block / ${LOOP_BLOCKS} as span from offchain.income_move m
      where m.sender = any($side) and m.recipient <> all($side)
    ), given as materialized (
      select m.*, m.block / ${LOOP_BLOCKS} as span from unnest($payers::text[]) p(address)
      join offchain.income_move m on ${GIVEN} and m.sender <> all($side)
    ), near as materialized (
      select n.* from (
        select n.*, count(*) over (partition by n.recipient) as of_payer,
          row_number() over (partition by n.recipient order by n.units desc, n.block, n.log_index) as turn
        from (${near("given", "sent", ["sender", "recipient"])}) n) n
      order by n.turn, n.units desc, n.block, n.log_index limit ${MAX_NEAR}
    ), put as (${near("sent", "near", ["recipient", "sender"])})
    select
      (select coalesce(json_agg(json_build_object('payer', n.recipient, 'source', n.sender, 'units', n.units::text, 'at', n.at,
        'block', n.block, 'txHash', n.tx_hash) order by n.block, n.log_index), '[]') from near n) as given,
      (select coalesce(json_agg(json_build_object('recipient', s.recipient, 'units', s.units::text, 'block', s.block,
        'txHash', s.tx_hash) order by s.block, s.log_index), '[]') from put s) as put,
      (select coalesce(json_agg(json_build_array(r.tx_hash, r.hops)), '[]') from offchain.income_route r
       where (r.block_hash, r.tx_hash) in (select n.block_hash, n.tx_hash from near n)) as routes,
      array(select n.recipient from near n group by n.recipient having count(*) < max(n.of_payer)) as partly`,
  columns: {
    given: t.json<(NearRow & { payer: string; source: string; at: number })[]>(),
    put: t.json<(NearRow & { recipient: string })[]>(),
    routes: t.json<[string, Route][]>(),
    partly: t.array(t.text),
  },
});

/** Money near money of the side, bounded: by turns of payers, the largest transfers of each. */
async function nearMoney(
  db: Queryable,
  of: { payers: readonly string[]; side: readonly string[] },
): Promise<NearMoney> {
  const { given, put, routes, partly } = await NEAR.one(db, of);
  const inUnits = <T extends NearRow>(rows: T[]) => rows.map((one) => ({ ...one, units: BigInt(one.units) }));
  return { given: inUnits(given), put: inUnits(put), routes: new Map(routes), partly: new Set(partly) };
}

const KNOWN = statement({
  name: "income-known",
  params: { payers: t.array(t.text), sources: t.array(t.text) },
  text: `
    select
      (select coalesce(json_agg(json_build_array(f.address, c.read_to)), '[]') from offchain.income_followed f
       join offchain.income_cohort c on c.id = f.cohort where f.kind = 'payer' and f.address = any($payers)) as read,
      (select coalesce(json_agg(json_build_array(a.address, a.sent)), '[]') from offchain.income_account a
       where a.address = any($sources)) as accounts`,
  columns: { read: t.json<[string, number][]>(), accounts: t.json<[string, number | null][]>() },
});

/** Whose money is asked for: of an agent's payers, or of its clients. Addresses lower-case. */
type MoneyQuery = Pick<IncomeFacts, "wallet" | "owner" | "former"> & {
  payers: readonly string[];
  /** Others of whom is asked whether they are of the group. */
  others?: readonly string[];
  /** What is weighed; payments of the other kind count as `elsewhere`. */
  of: "payments" | "jobs";
  usdc: string;
  /** Unix seconds. */
  since: number;
};

/** The accounts of an agent's side. */
const sideOf = ({ wallet, owner, group }: Pick<IncomeFacts, "wallet" | "owner" | "group">): string[] => [
  wallet,
  ...(owner ? [owner] : []),
  ...group,
];

/** What is known of the money of those who paid an agent, bounded: the sources of most money. */
async function moneyFacts(db: Queryable, query: MoneyQuery): Promise<MoneyFacts> {
  const { wallet, owner, former, payers, others = [], usdc, since } = query;
  const members = await GROUP.rows(db, { payers, others, owner });
  const group = members.map(({ address }) => address).filter((address) => address !== wallet && address !== owner);
  const side = sideOf({ wallet, owner, group });
  const [paid, hired] = query.of === "payments" ? [group, side] : [side, group];
  const elsewhere = await ELSEWHERE.rows(db, { payers, side, paid, hired, usdc, since });
  const funding = await FUNDING.rows(db, { payers, side, usdc });
  const near = await nearMoney(db, { payers, side });
  const sources = [...new Set([...funding, ...near.given].map(({ source }) => source))];
  const { read, accounts } = await KNOWN.one(db, { payers, sources });
  return {
    ...{ wallet, owner, group, former, near },
    accounts: new Map(accounts),
    read: new Map(read),
    elsewhere,
    funding: funding.map(({ sentAt: _, sentUnits: __, ...one }) => one),
    sent: new Map(
      funding.flatMap(({ source, sentAt, sentUnits }) =>
        sentAt === null ? [] : [[source, { at: sentAt, units: sentUnits! }] as const],
      ),
    ),
  };
}

/** Whom an agent was paid by that was of its group when it was weighed, and when last. @param of SQL of what was weighed, by `rules` */
export const formerStatement = (name: string, of: { payer: string; at: string; from: string; rules: number }) =>
  statement({
    name,
    params: { id: t.int8 },
    text: `
      select ${of.payer} as address, max(${of.at}) as at from ${of.from}
      where w.directory_id = $id and w.rule = 'own_group' and (g.figures->>'rules')::int4 = ${of.rules}
      group by ${of.payer}`,
    columns: { address: t.text, at: t.filtered(t.int8) },
  });

type Items = { wallet: string; usdc: string; since: number };
type Windows = Items & ReturnType<typeof windowsAt>;
type Reads<Given, R> = Pick<Statement<[Given], R>, "rows">;

/**
 * Reads the facts of one agent, bounded: what is weighed, and the sources of most money of those who paid it; with sums of all that
 * there is.
 * @param of.agent whose wallet it is, and what was read of the chain @param of.others of whom else is asked whether they are of the group
 * @returns a function of a snapshot; its result is null for an agent that has none
 */
export const evidenceFacts =
  <Seen, Item, Raw, Rest>(of: {
    kind: MoneyQuery["of"];
    agent: Reads<{ id: number }, { wallet: string; owner: string | null; seen: Seen }>;
    items: Reads<Items, Item>;
    payer(item: Item): string;
    others?(item: Item): string | null;
    former: Reads<{ id: number }, { address: string; at: number }>;
    raw: Reads<Windows, Raw>;
    rest: Reads<Windows & { side: readonly string[] }, Rest>;
  }) =>
  async (db: Queryable, { id, usdc, now }: WeighedAgent) => {
    const [agent] = await of.agent.rows(db, { id });
    if (agent === undefined) return null;
    const { seen, ...side } = agent;
    const query = { wallet: side.wallet, usdc, since: now - INCOME_SECONDS };
    const items = await of.items.rows(db, query);
    const payers = [...new Set(items.map(of.payer))];
    const others = [...new Set(items.flatMap((item) => of.others?.(item) ?? []))];
    // An agent that changes hands takes nothing of what its wallet paid before out of its owner's group.
    const former = new Map((await of.former.rows(db, { id })).map(({ address, at }) => [address, at]));
    const money = await moneyFacts(db, { ...side, former, payers, others, of: of.kind, usdc, since: query.since });
    const windows = { ...query, ...windowsAt(now) };
    const totals = {
      raw: await of.raw.rows(db, windows),
      rest: await of.rest.rows(db, { ...windows, side: sideOf(money) }),
    };
    return { seen, facts: { ...money, usdc }, items, totals };
  };

const readFacts = evidenceFacts({
  kind: "payments",
  agent: AGENT,
  items: PAYMENTS,
  payer: ({ payer }) => payer,
  former: formerStatement("income-former", {
    ...{ payer: "w.payer", at: "w.at", rules: INCOME_RULES_VERSION },
    from: "offchain.income_payment w join offchain.income_figures g on g.directory_id = w.directory_id",
  }),
  raw: RAW,
  rest: REST,
});

/** The facts of one agent's payments. @see evidenceFacts */
export async function incomeFacts(db: Queryable, agent: WeighedAgent) {
  const facts = await readFacts(db, agent);
  return facts && { ...facts, facts: { ...facts.facts, payments: facts.items } };
}

/** Reads what `weighIncome` is given about one agent, and what is known of the money of those who paid one or hired it. */
import type { IncomeFacts, MoneyFacts } from "../../core/income/facts.ts";
import { DUST_UNITS, INCOME_SECONDS, MAX_PAYMENTS, MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { array, filtered, int4, int8, json, nullable, numeric, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { EARNED, groupOf, INCOME_SEEN, PAID_AGENTS } from "./followed.ts";

/** Max sources of money of all payers of an agent that are read, those of most money first; and max transfers by its side. */
const [MAX_SOURCES, MAX_BY_SIDE] = [100_000, 50_000];

const AGENT = statement({
  name: "income-agent",
  params: { id: int8 },
  text: `
    select a.wallet, a.owner, ${INCOME_SEEN} as seen, array(select address from ${groupOf("a.owner")} g) as "group"
    from ${PAID_AGENTS} a where a.id = $id`,
  columns: { wallet: filtered(text), owner: nullable(text), seen: text, group: array(text) },
});

const PAYMENTS = statement({
  name: "income-payments",
  params: { wallet: text, since: int8 },
  text: `
    select m.block, m.log_index as "logIndex", m.tx_hash as "txHash", m.at, m.sender as payer, m.units
    from offchain.income_move m
    where m.recipient = $wallet and m.nonce is not null and m.at > $since
    order by m.units >= ${DUST_UNITS} desc, m.block desc, m.log_index desc limit ${MAX_PAYMENTS}`,
  columns: { block: int8, logIndex: int4, txHash: text, at: int8, payer: text, units: numeric },
});

/** A job `j` whose money stayed with its provider, or may yet: in the token whose worth is known. */
const PAID_JOB = "j.token = $usdc and j.state not in ('rejected', 'expired')";

const ELSEWHERE = statement({
  name: "income-elsewhere",
  params: { payers: array(text), paid: array(text), hired: array(text), usdc: text, since: int8 },
  text: `
    (select m.sender as payer, m.units, m.at from offchain.income_move m
     where m.recipient = any($paid) and m.sender = any($payers) and m.nonce is not null and m.at > $since
     order by m.block desc, m.log_index desc limit ${MAX_PAYMENTS})
    union all
    (select j.client, j.units, j.funded_at from offchain.commerce_job j
     where j.provider = any($hired) and j.client = any($payers) and ${PAID_JOB} and j.funded_at > $since
     order by j.block desc, j.log_index desc limit ${MAX_PAYMENTS})`,
  columns: { payer: text, units: numeric, at: int8 },
});

const FUNDING = statement({
  name: "income-funding",
  params: { payers: array(text), side: array(text), usdc: text },
  // Of an account that is not of the side: what it gave before the side sent it something is one, what it gave since is another.
  // The escrow gives back what the payer had, or pays for a job, which is here by itself.
  text: `
    with given as materialized (
      select m.sender, m.recipient, m.units, m.at from unnest($payers::text[]) p(address)
      join offchain.income_move m on m.recipient = p.address and m.units >= ${MIN_MOVED_UNITS}
        and m.sender not in (select c.contract from offchain.commerce_contract c)
      union all
      select j.client, j.provider, j.units, j.ended_at from unnest($payers::text[]) p(address)
      join offchain.commerce_job j on j.provider = p.address and ${EARNED}
    ), sent as materialized (
      select s.recipient, min(s.at) as at from (
        select m.recipient, m.at from offchain.income_move m where m.sender = any($side)
        union all
        select j.provider, j.ended_at from offchain.commerce_job j where j.client = any($side) and ${EARNED}) s
      group by s.recipient)
    (select g.recipient as payer, g.sender as source, g.units, g.at, null::int8 as "sentAt"
     from given g where g.sender = any($side) order by g.at desc limit ${MAX_BY_SIDE})
    union all
    (select g.recipient, g.sender, sum(g.units), min(g.at), min(s.at)
     from given g left join sent s on s.recipient = g.sender
     where g.sender <> all($side)
     group by g.recipient, g.sender, s.at <= g.at order by sum(g.units) desc limit ${MAX_SOURCES})`,
  columns: { payer: text, source: text, units: numeric, at: int8, sentAt: nullable(int8) },
});

const KNOWN = statement({
  name: "income-known",
  params: { payers: array(text), sources: array(text) },
  text: `
    select
      (select coalesce(json_agg(json_build_array(f.address, c.read_to)), '[]') from offchain.income_followed f
       join offchain.income_cohort c on c.id = f.cohort where f.kind = 'payer' and f.address = any($payers)) as read,
      (select coalesce(json_agg(json_build_array(a.address, a.sent)), '[]') from offchain.income_account a
       where a.address = any($sources)) as accounts`,
  columns: { read: json<[string, number][]>(), accounts: json<[string, number | null][]>() },
});

/** Whose money is asked for: of an agent's payers, or of its clients. Addresses lower-case. */
type MoneyQuery = Pick<IncomeFacts, "wallet" | "owner" | "group"> & {
  payers: readonly string[];
  /** What is weighed; payments of the other kind count as `elsewhere`. */
  of: "payments" | "jobs";
  usdc: string;
  /** Unix seconds. */
  since: number;
};

/** What is known of the money of those who paid an agent, bounded: the sources of most money. */
export async function moneyFacts(db: Queryable, asked: MoneyQuery): Promise<MoneyFacts> {
  const { wallet, owner, payers, usdc, since } = asked;
  const group = asked.group.filter((address) => address !== wallet && address !== owner);
  const side = [wallet, ...(owner ? [owner] : []), ...group];
  const [paid, hired] = asked.of === "payments" ? [group, side] : [side, group];
  const elsewhere = await ELSEWHERE.rows(db, { payers, paid, hired, usdc, since });
  const funding = await FUNDING.rows(db, { payers, side, usdc });
  const sources = [...new Set(funding.map(({ source }) => source))];
  const { read, accounts } = await KNOWN.one(db, { payers, sources });
  return {
    wallet,
    owner,
    group,
    accounts: new Map(accounts),
    read: new Map(read),
    elsewhere: elsewhere.map((one) => ({ ...one, units: BigInt(one.units) })),
    funding: funding.map(({ sentAt: _, ...one }) => ({ ...one, units: BigInt(one.units) })),
    sent: new Map(funding.flatMap(({ source, sentAt }) => (sentAt === null ? [] : [[source, sentAt] as const]))),
  };
}

/**
 * The facts of one agent, bounded: its payments, those that are no dust before others, and the sources of most money.
 * @param db a snapshot @param id of its row of the directory @param usdc lower-case @param now Unix seconds
 * @returns null for one that has no wallet
 */
export async function incomeFacts(
  db: Queryable,
  { id, usdc, now }: { id: number; usdc: string; now: number },
): Promise<{ seen: string; facts: IncomeFacts } | null> {
  const agent = await AGENT.maybeOne(db, { id });
  if (agent === null) return null;
  const { seen, ...side } = agent;
  const since = now - INCOME_SECONDS;
  const payments = await PAYMENTS.rows(db, { wallet: side.wallet, since });
  const payers = [...new Set(payments.map(({ payer }) => payer))];
  const money = await moneyFacts(db, { ...side, payers, of: "payments", usdc, since });
  return { seen, facts: { ...money, payments: payments.map((one) => ({ ...one, units: BigInt(one.units) })) } };
}

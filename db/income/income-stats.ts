/** Payments to agents as evidence: which figures are older than what was read, how they are stored, and pages of payments. */
import type { RemovedKey } from "../../core/income/rules.ts";
import { computeIncome } from "../../core/income/stats.ts";
import type { StoredStats } from "../../core/income/view.ts";
import { statement, t } from "../sql/statement.ts";
import { evidence, type LogPlace, placeAfter, storeWeighed } from "./agent-stats.ts";
import { INCOME_SEEN, PAID_AGENTS, walletAgents } from "./followed.ts";
import { incomeFacts } from "./income-facts.ts";

const HAS_PAYMENTS = "exists (select from offchain.income_move m where m.recipient = a.wallet and m.nonce is not null)";

const KEY = { block: t.int8, logIndex: t.int4 };
const OF_PAYMENT = { txHash: t.text, at: t.int8, payer: t.text, units: t.numeric };

export const incomeEvidence = evidence({
  name: "income",
  figures: "income_figures",
  items: "income_payment",
  seen: t.text,
  paid: `offchain.income_followed w
    join ${PAID_AGENTS} a on a.wallet collate "C" = w.address and w.kind = 'wallet'
    left join offchain.income_figures g on g.directory_id = a.id`,
  isStale: `(g.directory_id is null and ${HAS_PAYMENTS} or g.seen <> ${INCOME_SEEN})`,
  still: `exists (select from ${PAID_AGENTS} a where a.id = g.directory_id)`,
  facts: incomeFacts,
  storeItems: storeWeighed("income_payment", KEY, OF_PAYMENT),
  compute(facts, now, totals) {
    const { figures, payments: items } = computeIncome(facts, now, totals);
    return { figures, items };
  },
});

/**
 * What is known of the payments to an agent's wallet; null for an agent without a wallet that is known to be its own.
 * `agents`: how many have the same wallet. `current`: the figures are of all that was read.
 */
export const incomeOf = statement({
  name: "income-of-agent",
  params: { id: t.int8 },
  text: `
    select a.wallet, c.read_to as "readTo", c.from_block as "fromBlock", g.figures, g.computed_at as "computedAt",
      ${walletAgents("a.wallet")} as agents,
      g.seen = ${INCOME_SEEN}
        or g.directory_id is null and not ${HAS_PAYMENTS} as current
    from ${PAID_AGENTS} a
    left join offchain.income_followed w on w.address = a.wallet and w.kind = 'wallet'
    left join offchain.income_cohort c on c.id = w.cohort
    left join offchain.income_figures g on g.directory_id = a.id and g.wallet = a.wallet
    where a.id = $id`,
  columns: {
    wallet: t.filtered(t.text),
    readTo: t.nullable(t.int8),
    fromBlock: t.nullable(t.int8),
    figures: t.nullable(t.jsonb<StoredStats>()),
    computedAt: t.nullable(t.timestamptz),
    agents: t.int8,
    current: t.nullable(t.bool),
  },
}).maybeOne;

/** A payment as it is stored, with what removes it. */
const PAYMENT = {
  ...{ ...KEY, ...OF_PAYMENT },
  ...{ rule: t.nullable(t.narrow<RemovedKey>(t.text)), through: t.nullable(t.text) },
};

/** Payments to an agent's wallet, the newest first. @param after null for the first page */
export const incomePage = statement({
  name: "income-page",
  given: (id: number, { after, limit }: { after: LogPlace | null; limit: number }) => ({
    ...{ id, limit },
    ...placeAfter(after),
  }),
  params: { id: t.int8, block: t.int8, logIndex: t.int4, limit: t.int8 },
  text: `
    select ${t.fieldsOf(PAYMENT)}
    from offchain.income_payment p
    where p.directory_id = $id and (p.block, p.log_index) < ($block::int8, $logIndex::int4)
    order by p.block desc, p.log_index desc limit $limit`,
  columns: PAYMENT,
}).rows;

/** Places and turns of those who pay agents: strangers with many payments, payers, agents or accounts take none of an honest one. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { computeJobs } from "../../core/commerce/stats.ts";
import { MAX_DUST, MAX_PAYERS, MAX_WEIGHED } from "../../core/income/rules.ts";
import { computeIncome } from "../../core/income/stats.ts";
import { jobFacts } from "../../db/commerce/job-stats.ts";
import { weighedOf } from "../../db/income/agent-stats.ts";
import { type CohortKind, cohorts, dueAccounts, enrol } from "../../db/income/followed.ts";
import { incomeFacts } from "../../db/income/income-facts.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { shareOf } from "../support/share.ts";
import { perTest } from "../support/started.ts";

const DAY = 86_400;
const NOW = 1_790_000_000;
const USDC = "0xusdc";
const [WALLET, OWNER, SISTER] = ["0xagent", "0xowner", "0xsister"];
const JOBS = { usdc: USDC, since: 0 };
/** The head is far behind, so that no cohort is behind it. */
const BLOCKS = { fromBlock: 1, behind: 0, knownFrom: 0 };

const db = perTest(() => testDatabase({ indexed: true }));
beforeEach(async () => {
  moves = 0;
});
const query = async (text: string, values: unknown[] = []) => await db.rows(text, values);

/** Agents with wallets that are theirs. */
const plantAgents = (agents: readonly (readonly [id: number, wallet: string, owner: string])[]) =>
  plantDirectory(
    db.pool,
    agents.map(([id, address, owner_address]) => ({
      ...{ platform: "erc8004", agent_id: String(id), token_id: id, name: `Agent ${id}`, cred_score: 1 },
      ...{ address, owner_address, wallet_proven: true, chain_id: 8453 },
    })),
  );
let moves = 0;
type Move = { from: string; to: string; units: number; at?: number; paid?: boolean };
const plantMoves = async (some: readonly Move[]) => {
  const first = moves;
  moves += some.length;
  await db.pool.query(
    `insert into offchain.income_move (block_hash, log_index, block, at, tx_hash, sender, recipient, units, nonce)
     select '0x' || n, 0, n, at, '0x' || n, sender, recipient, units, case when paid then '0x' || n end
     from unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::numeric[], $6::bool[])
       r(n, at, sender, recipient, units, paid)`,
    [
      some.map((_, i) => first + i),
      some.map(({ at = NOW - DAY }) => at),
      ...[some.map(({ from }) => from), some.map(({ to }) => to), some.map(({ units }) => units)],
      some.map(({ paid = true }) => paid),
    ],
  );
};
type Order = { client: string; to: string; state: string; units: number; at: number; endedAt?: number | null };
let orders = 0;
/** A job that was funded. */
const plantJob = async (of: Order & { evaluator?: string | null; token?: string | null }) => {
  const { client, to, state, units, at, endedAt = null, evaluator = null, token = USDC } = of;
  await query(
    `insert into offchain.commerce_job
       (job_id, provider, block, log_index, funded_at, ended_at, client, evaluator, token, units, state, job)
     values ($1::int4, $2, 1, $1::int4, $3, $4, $5, $6, $7, $8, $9, '{}')`,
    [++orders, to, at, endedAt, client, evaluator, token, units, state],
  );
};
/** A payer whose money is read. */
const readAll = async () => {
  await query(
    "insert into offchain.income_cohort (id, kind, from_block, read_to) values (1000, 'payer', 1, 1000000000)",
  );
  await query(
    `insert into offchain.income_followed (address, kind, cohort)
     select distinct sender, 'payer', 1000 from offchain.income_move where nonce is not null
     union select distinct client, 'payer', 1000 from offchain.commerce_job on conflict do nothing`,
  );
};
const idOf = async (agent: number) =>
  (await query("select id from offchain.directory where agent_id = $1", [String(agent)]))[0].id;
const recompute = async () => {
  const { facts, totals } = (await incomeFacts(db.pool, { id: await idOf(31), usdc: USDC, now: NOW }))!;
  return { facts, totals, ...computeIncome(facts, NOW, totals) };
};
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const followed = async (kind: CohortKind = "payer") =>
  new Set(
    (await query("select address from offchain.income_followed where kind = $1", [kind])).map(({ address }) => address),
  );

type Sums = { payments: number; units: bigint };
/** What no figure may lose: raw is organic and all that is removed. */
const addsUp = (windows: readonly { raw: Sums; organic: Sums; removed: readonly Sums[] }[]) => {
  for (const { raw, organic, removed } of windows) {
    expect(removed.reduce((sum, one) => sum + one.payments, organic.payments)).toBe(raw.payments);
    expect(removed.reduce((sum, one) => sum + one.units, organic.units)).toBe(raw.units);
  }
};

describe("what is weighed", () => {
  const HONEST = ["0xalice", "0xbob"].flatMap((from) =>
    many(20, (i) => ({ from, to: WALLET, units: 750_000, at: NOW - (i + 1) * DAY })),
  );
  const ALL = { payments: 40, units: 30_000_000n, payers: 2, repeatPayers: 2 };
  const quarter = async () => {
    await readAll();
    const { figures, facts } = await recompute();
    addsUp(figures.windows);
    return { ...figures.windows.at(-1)!, weighed: facts.payments.length };
  };
  beforeEach(async () => {
    await plantAgents([[31, WALLET, OWNER]]);
    await plantMoves(HONEST);
  });

  it("is all that was, whatever one stranger pays again and again: the rest of it is removed as beyond, and raw", async () => {
    const COUNT = MAX_WEIGHED + 20_000;
    await plantMoves(
      many(COUNT, (i) => ({ from: "0xstranger", to: WALLET, units: 1_000, at: NOW - 10 - (i % 1_000) })),
    );
    const { raw, organic, removed, weighed } = await quarter();
    expect(weighed).toBe(MAX_WEIGHED);
    expect(raw).toMatchObject({ payments: COUNT + 40, units: ALL.units + BigInt(COUNT) * 1_000n, payers: 3 });
    expect(removed).toEqual([{ rule: "beyond", payments: 20_040, units: 20_040_000n }]);
    expect(organic).toMatchObject({ units: raw.units - 20_040_000n, payers: 3 });
  });

  it("is all that was beside more small payers than there are places, older or newer, and dust", async () => {
    const socks = (name: string, count: number, units: number, at: number) =>
      many(count, (i) => ({ from: `0x${name}${i}`, to: WALLET, units, at }));
    await plantMoves([
      ...socks("old", MAX_PAYERS, 1_000, NOW - 80 * DAY),
      ...socks("new", 1_000, 2_000, NOW - 5),
      ...socks("dust", MAX_DUST + 500, 1, NOW - 4),
    ]);
    const { raw, organic, removed } = await quarter();
    expect(raw).toMatchObject({
      payments: 40 + MAX_PAYERS + 1_000 + MAX_DUST + 500,
      payers: 2 + MAX_PAYERS + 1_000 + MAX_DUST + 500,
    });
    expect(organic).toMatchObject({ payers: MAX_PAYERS, repeatPayers: 2 });
    expect(removed).toEqual([
      { rule: "dust", payments: MAX_DUST + 500, units: BigInt(MAX_DUST + 500) },
      expect.objectContaining({ rule: "beyond", payments: 1_002 }),
    ]);
  });

  it("keeps who came first beside as many payers of more money, and names the agent's side", async () => {
    await plantMoves([
      ...many(MAX_PAYERS, (i) => ({ from: `0xrich${i}`, to: WALLET, units: 90_000_000, at: NOW - 5 })),
      ...many(3, (i) => ({ from: OWNER, to: WALLET, units: 500 + i, at: NOW - 3 })),
      ...many(MAX_DUST, () => ({ from: "0xdust", to: WALLET, units: 1, at: NOW - 2 })),
    ]);
    const { organic, removed } = await quarter();
    expect(organic.repeatPayers).toBe(2);
    expect(removed).toEqual([
      { rule: "self", payments: 3, units: 1_503n },
      { rule: "dust", payments: MAX_DUST, units: BigInt(MAX_DUST) },
      { rule: "beyond", payments: 2, units: 180_000_000n },
    ]);
  });

  it("keeps what the side gave back beside a payer that pays the owner's other agent without end", async () => {
    await plantAgents([[32, SISTER, OWNER]]);
    await plantMoves([
      // Alice paid the sister two dollars, which came back; a stranger that paid the agent pays the sister dust of a dust.
      { from: "0xalice", to: SISTER, units: 2_000_000, at: NOW - 50 * DAY },
      { from: SISTER, to: "0xalice", units: 2_000_000, at: NOW - 40 * DAY, paid: false },
      { from: WALLET, to: "0xalice", units: 750_000, at: NOW - DAY / 2, paid: false },
      { from: "0xstranger", to: WALLET, units: 1_000, at: NOW - 9 },
      ...many(MAX_WEIGHED + 10, () => ({ from: "0xstranger", to: SISTER, units: 2_000_000, at: NOW - 8 })),
    ]);
    const { organic, removed } = await quarter();
    expect(organic).toMatchObject({ payments: 40, units: 29_251_000n });
    expect(removed).toEqual([{ rule: "refunded", payments: 1, units: 750_000n }]);
  });

  it("keeps others' payments beside a payer that gets a cent 60,000 times where the side has just sent money", async () => {
    await plantMoves([
      { from: "0xstranger", to: WALLET, units: 1_000, at: NOW - 9 },
      { from: WALLET, to: "0xseller", units: 10_000, at: NOW - 9, paid: false },
      ...many(60_000, () => ({ from: "0xseller", to: "0xstranger", units: 10_000, at: NOW - 8, paid: false })),
      { from: "0xseller", to: "0xalice", units: 10_000, at: NOW - 8, paid: false },
    ]);
    await query("update offchain.income_move set block = 7 where '0xseller' in (sender, recipient)");
    await query("insert into offchain.income_account (address, sent) values ('0xseller', 3)");
    const { organic, removed } = await quarter();
    expect(organic).toMatchObject(ALL);
    expect(removed).toEqual([{ rule: "circular", payments: 1, units: 1_000n }]);
  });
});

it("figures of all that there is are those of the items, where all of them are weighed; of jobs too", async () => {
  await plantAgents([
    [31, WALLET, OWNER],
    [32, SISTER, OWNER],
  ]);
  const account = fc.constantFrom("0xa", "0xb", "0xc", OWNER, SISTER, WALLET);
  const at = fc.integer({ min: NOW - 100 * DAY, max: NOW });
  const payment = fc.record({
    from: account,
    to: fc.constant(WALLET),
    units: fc.constantFrom(1, 999, 1_000, 50_000),
    at,
  });
  const job = fc.record({
    ...{ client: account, evaluator: fc.option(account), token: fc.constantFrom(USDC, "0xjunk", null), at },
    ...{ state: fc.constantFrom("funded", "completed", "rejected", "expired"), lasts: fc.nat(20 * DAY) },
    units: fc.constantFrom(0, 999, 1_000, 50_000),
  });
  const given = fc.array(fc.record({ from: account, to: account, units: fc.constantFrom(10_000, 50_000), at }));
  await fc.assert(
    fc.asyncProperty(fc.array(payment), given, fc.array(job), async (payments, transfers, jobs) => {
      for (const table of ["income_followed", "income_cohort", "income_move", "commerce_job", "commerce_provider"])
        await query(`delete from offchain.${table}`);
      await query("insert into offchain.commerce_provider (provider) values ($1)", [WALLET]);
      await plantMoves([...payments, ...transfers.map((one) => ({ ...one, paid: false }))]);
      for (const { lasts, ...one } of jobs)
        await plantJob({ ...one, to: WALLET, endedAt: one.state === "funded" ? null : one.at + lasts });
      await readAll();
      const { facts, totals, figures } = await recompute();
      expect(figures).toEqual(computeIncome(facts, NOW).figures);
      expect(totals.rest).toEqual([]);
      addsUp(figures.windows);
      const hired = (await jobFacts(db.pool, { id: await idOf(31), usdc: USDC, now: NOW }))!;
      expect(computeJobs(hired.facts, NOW, hired.totals).figures).toEqual(computeJobs(hired.facts, NOW).figures);
    }),
    { numRuns: shareOf(200, 5) },
  );
});

it("places are by sum or by age, and turns of payers: no order and no stranger changes who has one", async () => {
  const row = fc.record({
    payer: fc.nat(12),
    given: fc.integer({ min: 1, max: 90 }),
    at: fc.nat(50),
    counts: fc.boolean(),
  });
  const LIMITS = { payers: 4, weighed: 10, dust: 3 };
  await query(
    "create table source (payer text, given int8, counts bool, at int8, ended_at int8, block int8, log_index int8)",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (rows) => {
      await query("truncate source");
      await query(
        `insert into source select 'p' || lpad((r->>'payer'), 2, '0'), (r->>'given')::int8, (r->>'counts')::bool, (r->>'at')::int8,
           null, n, 0 from jsonb_array_elements($1::jsonb) with ordinality e(r, n)`,
        [JSON.stringify(rows)],
      );
      const all = await query(`with ${weighedOf("select * from source", LIMITS)} select * from s`);
      const counting = all.filter(({ counts }) => counts);
      const payers = [...Map.groupBy(counting, ({ payer }) => payer)].map(([payer, own]) => ({
        ...{ payer, given: own.reduce((sum, { given }) => sum + Number(given), 0) },
        ...{ first: Math.min(...own.map(({ at }) => at)), weighed: own.filter(({ weighed }) => weighed).length },
        payments: own.length,
      }));
      const weighed = all.filter((one) => one.weighed);
      expect(weighed.filter(({ counts }) => !counts)).toHaveLength(Math.min(LIMITS.dust, all.length - counting.length));
      // Half of the places by each order.
      const byAge = payers.toSorted((a, b) => a.first - b.first || (a.payer < b.payer ? -1 : 1));
      const bySum = byAge.toSorted((a, b) => b.given - a.given);
      const sure = [...byAge.slice(0, 2), ...bySum.slice(0, 2)];
      for (const one of sure) expect(one.weighed).toBeGreaterThan(0);
      const placed = payers.filter((one) => one.weighed > 0);
      expect(placed).toHaveLength(Math.min(LIMITS.payers, payers.length));
      const open = placed.reduce((sum, { payments }) => sum + payments, 0);
      expect(weighed.filter(({ counts }) => counts)).toHaveLength(Math.min(LIMITS.weighed, open));
      // Of whom less is weighed than there is, no other has more than one turn more.
      for (const short of placed.filter((one) => one.weighed < one.payments))
        for (const other of placed) expect(other.weighed).toBeLessThanOrEqual(short.weighed + 1);
    }),
    { numRuns: shareOf(1_000, 50) },
  );
});

describe("enrolment goes by turns", () => {
  const HONEST = many(10, (i) => ({
    agent: [1_000 + i, `0xhonest${i}`, `0xholder${i}`] as const,
    payer: `0xzcustomer${i}`,
  }));
  const enrolPayers = () => enrol(db.pool, { kind: "payer", blocks: BLOCKS, jobs: JOBS });
  const pays = (from: string, to: string, units: number, at: number): Move => ({ from, to, units, at });
  const honest = (units: number, at: number) => HONEST.map(({ agent, payer }) => pays(payer, agent[1], units, at));
  beforeEach(() => plantAgents(HONEST.map(({ agent }) => agent)));

  it.each([
    ["one agent", 1, 1],
    ["forty agents of one owner", 40, 1],
    ["forty agents of forty owners", 40, 40],
  ])(
    "beside the older payers of %s with more money, whose places were taken before, too",
    async (_, agents, owners) => {
      await plantAgents(many(agents, (i) => [i, `0xfarm${i}`, `0xfarmer${i % owners}`]));
      const socks = (name: string, at: number) =>
        many(600, (i) => pays(`0x${name}${i}`, `0xfarm${i % agents}`, 900_000_000, at));
      await plantMoves([...socks("sock", NOW - 80 * DAY), ...honest(1_000, NOW - DAY)]);
      expect(await enrolPayers()).toBe(500);
      expect([...(await followed())]).toEqual(expect.arrayContaining(HONEST.map(({ payer }) => payer)));
      // The second customers of honest agents go before the hundreds of newer payers of those who have hundreds.
      await plantMoves([
        ...socks("more", NOW - 3 * 3_600),
        ...HONEST.map(({ agent, payer }) => pays(`${payer}b`, agent[1], 1_000, NOW - 3_600)),
      ]);
      expect(await enrolPayers()).toBe(500);
      expect([...(await followed())]).toEqual(expect.arrayContaining(HONEST.map(({ payer }) => `${payer}b`)));
    },
  );

  it("and who is followed already has taken a turn, whoever is older or gave more", async () => {
    const farms = many(600, (i) => [i, `0xfarm${i}`, `0xfarmer${i}`] as const);
    await plantAgents(farms);
    await plantMoves([
      ...farms.flatMap(([i, farm]) => many(2, (n) => pays(`0xsock${i}-${n}`, farm, 900_000_000, NOW - 90 * DAY))),
      ...honest(1_000, NOW - 80 * DAY),
    ]);
    await readAll();
    await plantMoves([
      ...farms.map(([i, farm]) => pays(`0xmore${i}`, farm, 900_000_000, NOW - 3 * DAY)),
      ...HONEST.map(({ agent, payer }) => pays(`${payer}b`, agent[1], 1_000, NOW - DAY)),
    ]);
    expect(await enrolPayers()).toBe(500);
    expect([...(await followed())]).toEqual(expect.arrayContaining(HONEST.map(({ payer }) => `${payer}b`)));
  });

  it("beside payers that paid every agent first, and agents that were given to an honest owner", async () => {
    await plantAgents(many(30, (i) => [i, `0xgift${i}`, "0xholder0"]));
    await plantMoves([
      ...many(600, (i) => pays(`0xsock${i}`, `0xgift${i % 30}`, 900_000_000, NOW - 80 * DAY)),
      ...many(20, (i) => HONEST.map(({ agent }) => pays(`0xwide${i}`, agent[1], 1_000, NOW - 70 * DAY))).flat(),
      ...honest(1_001, NOW - DAY),
    ]);
    expect(await enrolPayers()).toBe(500);
    expect([...(await followed())]).toEqual(expect.arrayContaining(HONEST.map(({ payer }) => payer)));
  });

  it("and every fourth place goes to the oldest, beside new payers of new agents of new owners", async () => {
    await plantMoves([...honest(1_000, NOW - DAY), ...honest(1_000, NOW - DAY)]);
    await enrolPayers();
    await plantMoves(HONEST.map(({ agent, payer }) => pays(`${payer}b`, agent[1], 1_000, NOW - 7_200)));
    await plantAgents(many(600, (i) => [i, `0xfarm${i}`, `0xfarmer${i}`]));
    await plantMoves(many(600, (i) => pays(`0xsock${i}`, `0xfarm${i}`, 900_000_000, NOW - 3_600)));
    expect(await enrolPayers()).toBe(500);
    expect([...(await followed())]).toEqual(expect.arrayContaining(HONEST.map(({ payer }) => `${payer}b`)));
  });

  it("of clients of jobs as of payers: what an escrow holds, or gave back, weighs nothing", async () => {
    await plantAgents([[1, "0xfarm", "0xfarmer"]]);
    const order = (client: string, to: string, state: string, units: number) =>
      plantJob({ client, to, state, units, at: NOW - DAY + orders });
    for (let i = 0; i < 600; i++) await order(`0xsock${i}`, "0xfarm", i % 2 ? "funded" : "rejected", 900_000_000);
    for (const { agent, payer } of HONEST) await order(payer, agent[1], "funded", 1_000);
    expect(await enrolPayers()).toBe(500);
    expect([...(await followed())]).toEqual(expect.arrayContaining(HONEST.map(({ payer }) => payer)));
    // A client that completed one goes before those that hold more in escrow, of the same provider.
    await order("0xzora", "0xfarm", "completed", 2_000);
    expect(await enrolPayers()).toBeGreaterThan(0);
    expect(await followed()).toContain("0xzora");
  });

  it("of wallets and sides as of payers, whatever their addresses are", async () => {
    await plantAgents(many(600, (i) => [i, `0x00farm${i}`, "0x00farmer"]));
    expect(await enrol(db.pool, { kind: "wallet", blocks: BLOCKS, jobs: JOBS })).toBe(500);
    expect([...(await followed("wallet"))]).toEqual(expect.arrayContaining(HONEST.map(({ agent }) => agent[1])));
    await plantMoves([
      ...many(600, (i) => pays("0xsock", `0x00farm${i}`, 900_000_000, NOW - 80 * DAY)),
      ...honest(1_000, NOW - DAY),
    ]);
    expect(await enrol(db.pool, { kind: "side", blocks: BLOCKS, jobs: JOBS })).toBe(500);
    const sides = HONEST.flatMap(({ agent }) => agent.slice(1));
    expect([...(await followed("side"))]).toEqual(expect.arrayContaining(sides));
  });

  it("of accounts that connect payers, too: one that gave many payers much comes no earlier", async () => {
    await plantAgents([[1, "0xfarm", "0xfarmer"]]);
    const hub = (from: string, to: readonly string[], units: number, at: number) =>
      to.map((one) => ({ from, to: one, units, at, paid: false }));
    const socks = many(9, (i) => `0xsock${i}`);
    await plantMoves([
      ...socks.map((sock) => pays(sock, "0xfarm", 900_000_000, NOW - 80 * DAY)),
      ...many(300, (i) => hub(`0xhub${i}`, socks, 90_000_000, NOW - 80 * DAY)).flat(),
      // A sock of an honest agent, with as many accounts of its own.
      ...["0xleech", "0xleech2"].map((leech) => pays(leech, "0xhonest0", 1_000, NOW - 79 * DAY)),
      ...many(300, (i) => hub(`0xtap${i}`, ["0xleech", "0xleech2"], 90_000_000, NOW - 79 * DAY)).flat(),
      ...honest(1_000, NOW - DAY),
      ...HONEST.flatMap(({ agent, payer }) => pays(`${payer}b`, agent[1], 1_000, NOW - DAY)),
      ...HONEST.flatMap(({ payer }, i) => hub(`0xbank${i}`, [payer, `${payer}b`], 20_000, NOW - 2 * DAY)),
    ]);
    await readAll();
    const banks = HONEST.map((_, i) => `0xbank${i}`);
    expect(await dueAccounts(db.pool, { jobs: JOBS, limit: 40 })).toEqual(expect.arrayContaining(banks));
    for (const account of await dueAccounts(db.pool, { jobs: JOBS, limit: 40 }))
      await query("insert into offchain.income_account (address, sent) values ($1, 3)", [account]);
    const again = await dueAccounts(db.pool, { jobs: JOBS, limit: 1_000 });
    expect(again.filter((account) => banks.includes(account))).toEqual([]);
    expect(again).toHaveLength(300 + 300 + banks.length - 40);
  });
});

it("cohorts are read by turns of their kinds, so that many of one do not delay another", async () => {
  const cohort = (kind: CohortKind, id: number) =>
    query("insert into offchain.income_cohort (id, kind, from_block, read_to, read_at) values ($1, $2, 1, 1, $3)", [
      ...[id, kind, new Date(id * 1_000)],
    ]);
  for (let id = 1; id <= 5; id++) await cohort("payer", id);
  await cohort("wallet", 6);
  await cohort("side", 7);
  const order = (await cohorts(db.pool, { now: new Date() })).map(({ id }) => id);
  expect(order).toEqual([1, 6, 7, 2, 3, 4, 5]);
});

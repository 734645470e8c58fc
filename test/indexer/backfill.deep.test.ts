/** `npm run backfill` on the synthetic chain: a part fetched into the cache, an interrupt, an estimate against what follows. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { zeroAddress } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRpcPool } from "../../clients/rpc/pool.ts";
import { loadConfig } from "../../config/config.ts";
import { readBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { startProgram } from "../../devnet/start-program.ts";
import { type Child, startChild } from "../../harness/child.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { type LoopbackServer, listen } from "../../harness/listen.ts";
import { CHAIN_ID, IDENTITY } from "../../harness/synthetic/blocks.ts";
import { syntheticEnvironment } from "../../harness/synthetic/indexer.ts";
import { until } from "../../harness/until.ts";
import { estimateBackfill } from "../../indexer/estimate/estimate.ts";
import { logFilters } from "../../indexer/estimate/log-filters.ts";
import { WATCHDOG_RATE } from "../../indexer/estimate/request-model.ts";
import { cachedRanges } from "../../indexer/ponder-tables.ts";
import { entryOf } from "../../runtime/processes.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { indexedContracts, selectionOf } from "../../scripts/backfill/arguments.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

/** Ponder takes all but the last 30 blocks as final. */
const FINAL = 900;
const HEAD = FINAL + 30;
/** The part that is fetched alone. */
const PART = { from: 100, to: 160 };

let database: TestDatabase;
/** Of an index that begins with nothing: what an interrupted run has kept is another share each time. */
let fresh: TestDatabase;
let node: Child;
let proxy: LoopbackServer;
let env: Record<string, string>;
/** Looks at the head, and the launcher's at blocks it knows, which it asks for without transactions: more the longer a run lasts. */
const isLook = (method: string, [block, whole]: unknown[]) =>
  method === "eth_getBlockByNumber" && (block === "latest" || whole === false);
/** All other requests by method since the last reset. */
let counts: Record<string, number> = {};
const children: ChildProcess[] = [];

beforeAll(async () => {
  [database, fresh] = [await testDatabase({ migrated: false }), await testDatabase({ migrated: false })];
  node = startChild(join(PROJECT_ROOT, "harness/synthetic/server.ts"), [HEAD]);
  const port = await node.hears<number>();
  proxy = await listen(async (request, response) => {
    const body = await text(request);
    for (const { method, params } of [JSON.parse(body)].flat())
      if (!isLook(method, params)) counts[method] = (counts[method] ?? 0) + 1;
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body });
    response.setHeader("content-type", "application/json");
    response.end(await answer.text());
  });
  env = {
    ...CHILD_ENV,
    ...syntheticEnvironment({
      databaseUrl: database.url,
      rpcUrl: proxy.url,
      lanes: 64,
    }),
  };
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  proxy?.close();
  await node?.stop();
  for (const one of [database, fresh]) await one?.drop();
});

/** Runs the command. @returns its process, and its exit code with everything it printed */
const run = (...words: string[]) => runOn(database, ...words);
function runOn({ url }: TestDatabase, ...words: string[]) {
  const child = startProgram(process.execPath, [entryOf("backfill"), ...words], { env: { ...env, DATABASE_URL: url } });
  children.push(child);
  const ended = Promise.all([text(child.stdout!), text(child.stderr!), once(child, "exit")]).then(
    ([stdout, stderr, [code]]) => ({ code: code as number, stdout, stderr }),
  );
  return { child, ended };
}

const config = () => loadConfig(env, { followStack: false });
const ranges = async () => (await cachedRanges(database.pool, CHAIN_ID)).get(IDENTITY.toLowerCase());
const schemas = async () =>
  (await database.pool.query("select nspname as name from pg_namespace where nspname ~ '^(index|fetch|retained)_'"))
    .rows;

it("fetches one contract's part into the cache and leaves nothing else", async () => {
  const { code, stdout, stderr } = await run("--contract", "identity", "--from", "100", "--to", "160").ended;
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(stdout).toContain("the history of Identity from block 100 to 160 is in the cache");
  expect(await ranges()).toEqual([[PART.from, PART.to]]);
  expect(await schemas()).toEqual([]);
  const { rows } = await database.pool.query("select count(distinct number)::int as blocks from ponder_sync.blocks");
  expect(rows[0].blocks).toBeGreaterThanOrEqual(PART.to - PART.from + 1);
  expect(await readBackfillProgress(database.pool)).toBeNull();
  const late = await run("--contract", "identity", "--to", String(FINAL + 1)).ended;
  expect([late.code, late.stderr]).toEqual([
    2,
    `--to ${FINAL + 1} is not final yet: the newest final block is ${FINAL}.\n`,
  ]);
});

it("the filters of the estimate are those that Ponder has", async () => {
  const { rows } = await database.pool.query("select fragment_id as id from ponder_sync.intervals order by 1");
  const named = logFilters(
    config(),
    indexedContracts(config()).map(({ name }) => name),
  ).flatMap(({ address, events, args }) => {
    const [, attester, schema] = (args ?? []).map((topics) => topics?.[0] ?? null);
    return events.map((event) => `log_${CHAIN_ID}_${address}_${event}_null_${attester ?? null}_${schema ?? null}_0`);
  });
  // Those of the validation registry, which has no address here: Ponder asks one block for them, and no estimate counts it.
  const off = rows.filter(({ id }) => id.startsWith(`log_${CHAIN_ID}_${zeroAddress}_`));
  expect(off).toHaveLength(2);
  expect(rows.filter((row) => !off.includes(row)).map(({ id }) => id)).toEqual(named.sort());
});

it("refuses a second run, is watched by another, and keeps what it has at an interrupt", async () => {
  const first = run();
  await until("it has indexed something", async () => ((await readBackfillProgress(database.pool))?.block ?? 0) > 0);
  const watching = run("--watch");
  await once(watching.child.stdout!, "data");
  watching.child.kill("SIGINT");
  expect((await watching.ended).code).toBe(130);
  expect((await watching.ended).stdout).toMatch(/^\d+\.\d %, block \d+ of 930, .* events\/s, .* requests\/s/);
  const second = await run("--contract", "Identity").ended;
  expect([second.code, second.stderr]).toEqual([3, expect.stringContaining("An indexer of this build runs already")]);
  first.child.kill("SIGINT");
  const { code, stdout } = await first.ended;
  expect(code).toBe(130);
  expect(stdout).toContain("the next run continues");
  expect((await schemas()).length).toBe(1);
  expect((await run().ended).stdout).toMatch(/caught up at block 930 in .* events/);
  expect((await readBackfillProgress(database.pool))!.state).toBe("done");
});

it("needs the requests that the estimate says, within 3 %", async () => {
  const cached = await cachedRanges(fresh.pool, CHAIN_ID);
  const { contracts, to } = selectionOf(
    { contract: undefined, from: undefined, to: undefined },
    indexedContracts(config()),
    FINAL,
  );
  const nodes = openRpcPool({ chainId: CHAIN_ID, nodes: config().chain.nodes });
  const estimate = await estimateBackfill(config(), { contracts, to, cached, nodes });
  nodes.close();
  expect(estimate.events).toBe(FINAL * 10);
  counts = {};
  const { code, stdout } = await runOn(fresh).ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/caught up at block 930 in .* events/);
  console.log(JSON.stringify({ estimated: estimate.requests, seconds: estimate.seconds, counts }), stdout);
  const sum = (requests: Record<string, number>) => Object.values(requests).reduce((total, of) => total + of, 0);
  const expected = sum(estimate.requests) - WATCHDOG_RATE * estimate.seconds;
  expect(Math.abs(sum(counts) / expected - 1)).toBeLessThan(0.03);
  expect((await readBackfillProgress(fresh.pool))!.state).toBe("done");
});

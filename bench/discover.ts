/** `npm run bench -- discover [--short] [--rows N] [--keep FOLDER] [--rebuild] [--no-plain] [--meanings]`: quality and latency of the search for agents, compared with plain ways over the same rows, and the cost of attacks on it. */
import { loadavg } from "node:os";
import type pg from "pg";
import { atLeast, atMost, goal, printTable, quantile, SPREAD, spread } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import type { World } from "./discover/agents.ts";
import { attackPrices, playAttacks } from "./discover/attacks.ts";
import { bestGrades } from "./discover/judge.ts";
import { latencies } from "./discover/latencies.ts";
import { meantSays, withMeanings } from "./discover/meanings.ts";
import {
  type Answer,
  answers,
  type Baseline,
  byKind,
  ofHalf,
  quality,
  spamKinds,
  summaryOf,
} from "./discover/measure.ts";
import { plainWays, TS_RANK_AND, TS_RANK_OR } from "./discover/plain-ways.ts";
import { HALVES } from "./discover/question.ts";
import { QUESTIONS } from "./discover/questions.ts";
import { buildDocuments, discoverWay, FORGET_DOCUMENTS, fillDatabase, sizes } from "./discover/service.ts";
import { withKept } from "./synthetic/kept.ts";

const SEED = 18;
const SWITCH = { type: "boolean" } as const;
/** Above this number of rows trigram similarity takes seconds for a question: it gets every tenth question. */
const SAMPLED_FROM = 100_000;
const SAMPLE = 10;

/** @param args `--short` for 20,000 rows; `--rows`; `--keep` fills a folder, and finds the rows there the next time; `--rebuild` builds its documents again; `--no-plain` leaves out the plain ways; `--meanings` asks by meanings too */
export default async function discover(args: string[]): Promise<void> {
  const { numbers, others } = commandLine(
    { rows: { absent: 1_000_000, short: 20_000, least: 2_000 } },
    { keep: { type: "string" }, rebuild: SWITCH, "no-plain": SWITCH, meanings: SWITCH, ...WITH_SHORT },
    args,
  );
  await withKept<World>(
    { kept: others.keep, note: "world.json", name: "discover" },
    async ({ postgres, pool }) => {
      const world: World = { seed: SEED, rows: numbers.rows, now: Math.floor(Date.now() / 1000) * 1000 };
      await fillDatabase(postgres.url, pool, world);
      return world;
    },
    async ({ pool }, world) => {
      if (others.rebuild) await pool.query(FORGET_DOCUMENTS);
      const seconds = await buildDocuments(pool, world);
      // In a folder that was kept they are built already.
      if (seconds > 1) console.log(atLeast("documents built a second", world.rows / seconds, 3_000));
      const measured = await measure(pool, world, !others["no-plain"]);
      if (others.meanings) console.log(`\n${meantSays(await withMeanings(pool, world, measured))}`);
    },
  );
}

async function measure(pool: pg.Pool, world: World, withPlain: boolean): Promise<Baseline> {
  console.log(`${world.rows.toLocaleString("en")} rows, ${QUESTIONS.length} questions\n`);
  const best = bestGrades(world, QUESTIONS);
  const own = await answers(world, QUESTIONS, best, discoverWay(pool, world));
  const ways: { name: string; all: Answer[] }[] = [{ name: "discover", all: own }];
  for (const way of withPlain ? plainWays(pool) : []) {
    const sampled = way.slow && world.rows > SAMPLED_FROM;
    const chosen = [...QUESTIONS.keys()].filter((i) => !sampled || i % SAMPLE === 0);
    const all = await answers(
      world,
      chosen.map((i) => QUESTIONS[i]!),
      chosen.map((i) => best[i]!),
      way,
    );
    ways.push({ name: sampled ? `${way.name} (${chosen.length} questions)` : way.name, all });
  }
  console.log(`${quality(ways)}\n`);
  console.log(`${byKind(ways)}\n`);
  console.log(`${spamKinds(ways)}\n`);
  console.log(`places of an attacker's best agent\n${attackPrices(await playAttacks(pool, world))}\n`);
  const { whole, prefixes, firstLetters, foundMs } = await latencies(pool, world);
  const row = printTable("milliseconds", SPREAD);
  row("whole questions", ...spread(whole));
  row("every prefix, as it is typed", ...spread(prefixes));
  row("of them the first three letters", ...spread(firstLetters));
  row("a changed description, until it is found", ...spread(foundMs));
  console.log(`\n${await sizes(pool, ["discovery_document", "discovery_word", "directory"])}\n`);
  const summary = summaryOf(own);
  if (withPlain)
    for (const half of HALVES) {
      const ndcg = (all: readonly Answer[]) => summaryOf(ofHalf(all, half)).ndcg;
      const plain = Math.max(
        ...ways.filter(({ name }) => [TS_RANK_AND, TS_RANK_OR].includes(name)).map(({ all }) => ndcg(all)),
      );
      const what = `nDCG@10 above the better ts_rank (${plain.toFixed(3)}), ${half}`;
      console.log(atLeast(what, ndcg(own) - plain, 0.15, { digits: 3 }));
    }
  const ahead = `in ${(100 * summary.spamAhead).toFixed(1)} % of the questions`;
  const ms = { unit: " ms", digits: 1 };
  for (const line of [
    goal("spam@10 is 0", summary.spam.toFixed(4), summary.spam === 0),
    goal("no spam before an honest agent", ahead, summary.spamAhead === 0),
    atMost("p95 of whole questions", quantile(whole, 0.95), 50, ms),
    atMost("p95 while typing", quantile(prefixes, 0.95), 20, ms),
    atMost("a changed description until it is found", Math.max(...foundMs), 2_000, ms),
  ])
    console.log(line);
  console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}`);
  return { own, best };
}

/**
 * `npm run bench -- reviews [--short] [--dev] [--seed N]`: which reviewers of rings are marked, how far rings move honest agents,
 * and what it costs to move one. Half of the kinds of ring were not used when the rules were made.
 */
import { goal, median, sum } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { measureDatabase } from "./reviews/database.ts";
import { judge, type Verdict } from "./reviews/judge.ts";
import { CENTS, priceOf } from "./reviews/price.ts";
import type { Ring } from "./reviews/rings.ts";
import { RINGS_DEV } from "./reviews/rings-dev.ts";
import { RINGS_HELD_OUT } from "./reviews/rings-held-out.ts";
import { RINGS_OF_READERS } from "./reviews/rings-of-readers.ts";
import { factsOf, honestWorld, type World } from "./reviews/world.ts";

/** Every fourth agent is attacked to find the price. */
const EVERY = 4;

/** @param args `--short` for one world of 60 agents instead of five of 120; `--dev` for the kinds alone that rules may be tuned on */
export default async function reviews(args: string[]): Promise<void> {
  const { numbers, others } = commandLine({ seed: { absent: 1 } }, { dev: { type: "boolean" }, ...WITH_SHORT }, args);
  const [size, worlds, each] = others.short ? [60, 1, 3] : [120, 5, 5];
  const first = numbers.seed;
  const seeds = Array.from({ length: worlds }, (_, i) => first + i);
  console.log(`${worlds} worlds of ${size} honest agents from seed ${first}, ${each} rings of each kind in each\n`);

  tell("kinds that the rules were tuned on", verdictsOf(seeds, size, each, RINGS_DEV), false);
  if (others.dev) return;
  tell("kinds held out", verdictsOf(seeds, size, each, RINGS_HELD_OUT), true);
  tell(
    "kinds by those who have read the rules (no goal for recall)",
    verdictsOf(seeds, size, each, RINGS_OF_READERS),
    false,
  );
  await printDatabase(others.short ? 20_000 : 1_000_000);
  printPrices(seeds.map((seed) => honestWorld(seed, size)));
}

async function printDatabase(number: number): Promise<void> {
  const { agents, seconds, oneMs } = await measureDatabase(number);
  console.log(`## ${number.toLocaleString("en")} reviews of ${agents.toLocaleString("en")} agents in a database\n`);
  console.log(
    goal("all weighed and stored, 60 s a million", `${seconds.toFixed(1)} s`, seconds <= (60 * number) / 1e6),
  );
  console.log(goal("one more of the agent that has most, 2 s", `${oneMs.toFixed(0)} ms`, oneMs <= 2_000));
  console.log("");
}

function verdictsOf(seeds: number[], size: number, each: number, rings: Record<string, Ring>): Verdict[] {
  return seeds.map((seed) => {
    const world = honestWorld(seed, size);
    for (const [kind, ring] of Object.entries(rings)) for (let i = 0; i < each; i++) ring(world, `${kind} ${i}`);
    return judge(world, (name) => name.split(" ")[0]!);
  });
}

/** Reviewers of rings, by their kinds, and honest ones: how many there are, and how many of them are marked. */
function countsOf(verdicts: readonly Verdict[]) {
  const kinds = [...verdicts[0]!.all.keys()].filter((whose) => whose !== "honest");
  const count = (of: "marked" | "all", ...some: string[]) =>
    sum(verdicts.flatMap((one) => some.map((whose) => one[of].get(whose) ?? 0)));
  const found = count("marked", ...kinds);
  const precision = found / (found + count("marked", "honest"));
  return { kinds, count, precision, recall: found / count("all", ...kinds) };
}

function tell(title: string, verdicts: readonly Verdict[], isGoal: boolean): void {
  const total = (of: (verdict: Verdict) => number) => sum(verdicts.map(of));
  const { kinds, count, precision, recall } = countsOf(verdicts);
  const ofWorlds = verdicts.map((one) => countsOf([one]));
  const worst = (of: "precision" | "recall") => Math.min(...ofWorlds.map((one) => one[of])).toFixed(3);
  const moved = verdicts.flatMap((one) => one.moved);
  const most = (of: "raw" | "adjusted") => Math.max(...moved.map((one) => one[of]));

  console.log(`## ${title}\n`);
  for (const whose of [...kinds, "honest"])
    console.log(`  ${whose.padEnd(18)} ${count("marked", whose)} of ${count("all", whose)} reviewers marked`);
  console.log(
    `  ${total((one) => one.reviews)} reviews in ${total((one) => one.seconds).toFixed(1)} s; ${total((one) => one.rated)} of ${total((one) => one.agents)} honest agents have an adjusted value`,
  );
  const figure = (what: string, reached: string, met: boolean, judges: boolean) =>
    console.log(judges ? goal(what, reached, met) : `         ${what}: ${reached}`);
  const inWorst = (of: "precision" | "recall", value: number) =>
    `${value.toFixed(3)} (${worst(of)} in the worst world)`;
  figure("precision of marked reviewers, 0.95 or more", inWorst("precision", precision), precision >= 0.95, isGoal);
  figure("recall of marked reviewers, 0.90 or more", inWorst("recall", recall), recall >= 0.9, isGoal);
  const reached = `${most("adjusted").toFixed(2)} at most (its raw value ${most("raw").toFixed(1)})`;
  figure("an honest agent's adjusted value moves by 5 points or less", reached, most("adjusted") <= 5, true);
  console.log("");
}

function printPrices(worlds: readonly World[]): void {
  console.log("## price of moving an honest agent by 20 points\n");
  console.log(
    `  assumed, in cents: an entry ${CENTS.entry}, a grown account ${CENTS.grown}, an identified person's account ${CENTS.human}, a person's word ${CENTS.bribe}\n`,
  );
  const agents = worlds.flatMap((world) => [...factsOf(world).values()].filter((_, i) => i % EVERY === 0));
  for (const [way, human, isGoal] of [
    ["accounts bought", CENTS.human, true],
    ["people bribed", CENTS.bribe, false],
  ] as const) {
    const prices = agents.map((facts) => priceOf(facts, human)).filter((price) => price !== null);
    const inMedian = (of: (price: (typeof prices)[number]) => number) => median(prices.map(of));
    const ratio = inMedian(({ raw, adjusted }) => adjusted / raw);
    const lowest = Math.min(...prices.map(({ raw, adjusted }) => adjusted / raw));
    const below = prices.filter(({ raw, adjusted }) => adjusted / raw < 1_000).length;
    console.log(
      `  ${way}: ${prices.length} agents; median raw ${inMedian(({ raw }) => raw).toFixed(1)}, adjusted ${inMedian(({ adjusted }) => adjusted).toFixed(0)} cents by ${inMedian(({ humans }) => humans)} persons; apart ${ratio.toFixed(0)} × in the median, ${lowest.toFixed(0)} × at least, below 1,000 × for ${below} agents: many reviews by few persons`,
    );
    const least = inMedian(({ raw, humans }) => (1_000 * raw) / Math.max(1, humans));
    console.log(`  a person must cost ${least.toFixed(0)} cents or more for 1,000 × in the median`);
    const line = goal("raw and adjusted are 1,000 × apart in the median", `${ratio.toFixed(0)} ×`, ratio >= 1_000);
    console.log(isGoal ? `${line}\n` : "");
  }
}

/** `npm run bench -- cards`: CPU and time of a card, compared with satori and resvg for the same layout. */
import { join } from "node:path";
import { CARD_SIZES, type CardSize } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import { TIERS } from "../core/cred/tiers.ts";
import { type Child, startChild } from "../harness/child.ts";
import { atMost, median, printTable } from "../harness/figures.ts";
import type { Batch, Cost, Engine } from "./cards/engine.ts";

type Plan = { rounds: number; batch: number };
const FULL: Plan = { rounds: 7, batch: 10 };
const SHORT: Plan = { rounds: 3, batch: 5 };
const ENGINES: Engine[] = ["takumi", "webp", "satori"];
/** CPU milliseconds of a square card as PNG. */
const GOAL_CPU_MS = 15;
const LABELS: Record<Engine, string> = { takumi: "takumi, PNG", webp: "takumi, WebP", satori: "satori+resvg" };

/** @param args `--short` for a quick look (under 20 seconds) */
export default async function cards(args: string[]): Promise<void> {
  const plan = args.includes("--short") ? SHORT : FULL;
  console.log(
    `medians of ${plan.rounds} interleaved rounds of ${plan.batch} cards of all tiers, a process for each engine\n`,
  );
  const processes = new Map(
    ENGINES.map((engine) => [engine, startChild(join(import.meta.dirname, "cards/engine.ts"), [engine])]),
  );
  try {
    const columns = [["ms/card", 1], ["CPU ms/card", 1], "KB", ["takumi is faster by", 2], ["in CPU", 2]] as const;
    const row = printTable("", columns, 24);
    const cpu: Partial<Record<CardSize, number>> = {};
    for (const size of Object.keys(CARD_SIZES) as CardSize[]) cpu[size] = await compare(processes, size, { plan, row });
    console.log(`${atMost("a square PNG", cpu.square!, GOAL_CPU_MS, { unit: " CPU ms", digits: 1 })}\n`);
  } finally {
    for (const child of processes.values()) await child.stop();
  }
}

/** @returns CPU milliseconds of a PNG */
async function compare(
  processes: Map<Engine, Child>,
  size: CardSize,
  { plan, row }: { plan: Plan; row: ReturnType<typeof printTable> },
): Promise<number> {
  const costs = new Map<Engine, Cost[]>(ENGINES.map((engine) => [engine, []]));
  // The first round reads fonts and compiles: it is drawn and thrown away.
  for (let round = 0; round <= plan.rounds; round++)
    for (const [engine, child] of processes) {
      const batch: Batch = { size, cards: sample(plan.batch, round * plan.batch) };
      const cost = await child.asks<Cost>(batch);
      if (round > 0) costs.get(engine)!.push(cost);
    }
  const of = (engine: Engine, pick: (cost: Cost) => number) => median(costs.get(engine)!.map(pick));
  for (const engine of ENGINES) {
    const [wall, cpu] = [of(engine, ({ wallMs }) => wallMs), of(engine, ({ cpuMs }) => cpuMs)];
    const times = [wall / of("takumi", ({ wallMs }) => wallMs), cpu / of("takumi", ({ cpuMs }) => cpuMs)];
    row(`${size.padEnd(8)} ${LABELS[engine]}`, wall, cpu, of(engine, ({ bytes }) => bytes) / 1024, ...times);
  }
  return of("takumi", ({ cpuMs }) => cpuMs);
}

/** Cards of every tier in turn, no two the same. Latin names: the reference has no other letters. */
function sample(count: number, first: number): CardFacts[] {
  const names = [
    "Vesper",
    "Meridian Oracle",
    "quiet-harbor-7",
    "The Cartographer of Forgotten Markets",
    "Bramble & Finch",
  ];
  const traits = ["Trader", "Risk averse", "Open source", "Analyst", "Multilingual"];
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return {
      serviceName: "Helixa",
      tokenId: number,
      name: `${names[number % names.length]} ${number}`,
      framework: "openclaw",
      agentAddress: `0x${(number + 1).toString(16).padStart(40, "a")}`,
      score: TIERS[number % TIERS.length]!.from + 5,
      verifications: { wallet: true, x: number % 2 === 0, github: number % 3 === 0, farcaster: false, exchange: false },
      traits: traits.slice(0, number % (traits.length + 1)),
      moreTraits: number % 3,
      soulbound: number % 2 === 0,
      generation: number % 4,
      mintedOn: "2026-03-12",
    };
  });
}

/**
 * The agents of the synthetic directory as they truly are: tasks, protocols, price, trust, and which of them are spam.
 * Everything follows from the seed and the agent's slot, so that a judgement needs no stored data and no word of a text.
 */
import { between, pick, randomOf, weighted, weightedName } from "../../harness/random.ts";
import { CHAINS, LANGUAGES, TASK_KEYS, type TaskKey, taskOf } from "./tasks.ts";

/** @property now what ages count from, milliseconds since the epoch */
export type World = { seed: number; rows: number; now: number };

export type Kind =
  | "specialist"
  | "generalist"
  | "famous"
  /** Chats, and mentions tasks in passing. */
  | "persona"
  /** Has next to no text. */
  | "blank"
  /** One operator's agent, registered 50 times. The first one shown counts, the others crowd. */
  | "operator-copy"
  /** A text of an honest agent, registered 50 times under fresh owners. */
  | "stolen-copy"
  /** Keywords without an ability behind them. */
  | "stuffed"
  /** 200 times rated by fresh wallets. */
  | "self-rated"
  /** The name of a famous agent, imitated. */
  | "imitator";

export const SPAM: ReadonlySet<Kind> = new Set(["stolen-copy", "stuffed", "self-rated", "imitator"]);

export type Protocol = "mcp" | "a2a" | "x402" | "web";
/** One ability; `scope` names its chains or languages. */
export type Ability = { task: TaskKey; scope: readonly string[]; main: boolean };
export type TextLanguage = "en" | "fr" | "es" | "de" | "pt" | "zh" | "ja";

/** What an agent is. */
export type Agent = {
  slot: number;
  kind: Kind;
  /** Number of its family of copies; null without a family. */
  family: number | null;
  abilities: readonly Ability[];
  speaks: readonly Protocol[];
  /** US dollars per call; null for an agent that does not take x402. */
  priceUsd: number | null;
  platform: string;
  /** How much it deserves trust, 0 to 1; among honest agents evenly distributed. */
  trust: number;
  /** Has not answered for more than a month. */
  dead: boolean;
  ageDays: number;
  language: TextLanguage;
  /** Its place in `FAMOUS`, or that of the agent it imitates. */
  famous: number | null;
  /** Continues after the values above: the words of its text come from it. */
  random: () => number;
};

/** Agents that people know by name, each with its task. */
export const FAMOUS: readonly { name: string; task: TaskKey; scope: readonly string[] }[] = [
  { name: "Lexiport", task: "translation", scope: ["french", "german", "italian"] },
  { name: "Sable Auditor", task: "audit", scope: ["ethereum", "base"] },
  { name: "Quotewright", task: "price-feed", scope: ["solana", "ethereum"] },
  { name: "Marrow Index", task: "analytics", scope: ["base", "arbitrum"] },
  { name: "Tidepool Yield", task: "yield", scope: ["base", "optimism"] },
  { name: "Papyrix", task: "pdf-extraction", scope: [] },
  { name: "Glyphsmith", task: "logos", scope: [] },
  { name: "Otterline Support", task: "support", scope: [] },
  { name: "Clausewell", task: "legal-review", scope: [] },
  { name: "Wayfern", task: "travel", scope: [] },
  { name: "Bramble Scraper", task: "scraping", scope: [] },
  { name: "Kestrel Trade", task: "trading", scope: ["solana", "base"] },
  { name: "Nimbusly", task: "weather", scope: [] },
  { name: "Hollowgate", task: "pentest", scope: [] },
  { name: "Verity Loom", task: "fact-check", scope: [] },
  { name: "Pixelarium", task: "images", scope: [] },
  { name: "Cadenza Nine", task: "music", scope: [] },
  { name: "Ledgerfox", task: "tax", scope: [] },
  { name: "Spanloom", task: "bridge", scope: ["base", "arbitrum", "solana"] },
  { name: "Mintarra", task: "nft", scope: ["base", "ethereum"] },
  { name: "Dr. Quillon", task: "health", scope: [] },
  { name: "Proofmason", task: "unit-tests", scope: [] },
  { name: "Calendrix", task: "scheduling", scope: [] },
  { name: "Scholarwick", task: "papers", scope: [] },
];

/** Slots lie in blocks of this size, the same mixture of agents in each. */
const BLOCK = 1000;
const FAMILY = { from: 880, size: 50 };
const STUFFED_FROM = FAMILY.from + FAMILY.size;
const SELF_RATED = { from: 966, to: 970 };
const IMITATORS_FROM = BLOCK - FAMOUS.length;
/** Blocks with imitators: ten of each famous agent in all. */
const IMITATED_BLOCKS = 10;

/** Tasks of the first families and of self-rated agents: so that small directories have spam where questions are. */
const CONTESTED: readonly TaskKey[] = ["translation", "audit", "price-feed", "trading"];

const BY_WEIGHT = TASK_KEYS.map((key) => [key, taskOf(key).weight] as const);
const TEXT_LANGUAGES = { en: 72, es: 6, fr: 5, de: 5, zh: 5, pt: 4, ja: 3 };
const PLATFORMS = { erc8004: 40, helixa: 16, agentverse: 14, virtuals: 12, "x402-bazaar": 10, "mcp-registry": 8 };
const PRICES = [0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.25, 0.5, 1, 5] as const;

const kindOf = (slot: number): Kind => {
  const [block, place] = [Math.floor(slot / BLOCK), slot % BLOCK];
  if (place < FAMOUS.length) return block === 0 ? "famous" : "specialist";
  if (place < 400) return "specialist";
  if (place < 500) return "generalist";
  if (place < 780) return "persona";
  if (place < FAMILY.from) return "blank";
  if (place < STUFFED_FROM) return block % 2 === 0 ? "operator-copy" : "stolen-copy";
  if (place < SELF_RATED.from) return "stuffed";
  if (place < SELF_RATED.to) return "self-rated";
  return place >= IMITATORS_FROM && block < IMITATED_BLOCKS ? "imitator" : "specialist";
};

/** The seed of one slot: neighbours must not resemble each other. */
const seedOf = (world: World, slot: number) => Math.imul(world.seed ^ slot, 0x9e37_79b1) ^ Math.imul(slot, 0x85eb_ca6b);

/** The agent of a slot. @param slot 0 to `rows` - 1 */
export function agentAt(world: World, slot: number): Agent {
  const kind = kindOf(slot);
  const block = Math.floor(slot / BLOCK);
  if (kind === "operator-copy") return { ...copyOf(world, slot, FAMILY.from + block * BLOCK), kind, family: block };
  if (kind === "stolen-copy") {
    const original = agentAt(world, originalOf(world, block));
    const owner = freshOwner(world, slot);
    // Stolen after it was there.
    const ageDays = Math.min(owner.ageDays, Math.max(0, original.ageDays - 1));
    return { ...original, ...owner, ageDays, kind, slot, family: block, platform: "erc8004" };
  }
  const random = randomOf(seedOf(world, slot));
  const agent = { slot, kind, family: null, random };
  const abilities = abilitiesOf(kind, slot, random);
  const bearing = bearingOf(random, kind);
  const famous = kind === "famous" ? slot % BLOCK : kind === "imitator" ? (slot % BLOCK) - IMITATORS_FROM : null;
  if (!SPAM.has(kind)) return { ...agent, abilities, ...bearing, ...standingOf(random, kind), famous };
  const owner = freshOwner(world, slot);
  // Imitated after it was there.
  const mostDays = kind === "imitator" ? Math.max(0, agentAt(world, famous!).ageDays - 1) : owner.ageDays;
  return { ...agent, abilities, ...bearing, ...owner, ageDays: Math.min(owner.ageDays, mostDays), famous };
}

/** A copy differs from the first of its family in its slot only, and in what its registration number gives its text. */
function copyOf(world: World, slot: number, first: number): Agent {
  const random = randomOf(seedOf(world, first));
  const abilities = abilitiesOf("specialist", first, random);
  return {
    slot,
    kind: "specialist",
    family: null,
    random,
    abilities,
    ...bearingOf(random, "specialist"),
    language: "en",
    trust: 0.25,
    dead: false,
    ageDays: 60,
    famous: null,
  };
}

/** The honest agent whose text a family of stolen copies has: in a directory's first blocks, one of a contested task. */
function originalOf(world: World, block: number): number {
  const wanted = CONTESTED[block % CONTESTED.length]!;
  for (let place = FAMOUS.length; place < 400; place++) {
    const slot = block * BLOCK + place;
    const random = randomOf(seedOf(world, slot));
    if (
      abilitiesOf("specialist", slot, random)[0]?.task === wanted &&
      bearingOf(random, "specialist").language === "en"
    )
      return slot;
  }
  return block * BLOCK + FAMOUS.length;
}

function abilitiesOf(kind: Kind, slot: number, random: () => number): Ability[] {
  const place = slot % BLOCK;
  const block = Math.floor(slot / BLOCK);
  if (kind === "famous" || kind === "imitator") {
    const { task, scope } = FAMOUS[kind === "famous" ? place : place - IMITATORS_FROM]!;
    return [{ task, scope, main: true }];
  }
  if (kind === "blank" || kind === "stuffed") return [];
  if (kind === "persona") {
    const task = pick(random, ["companion", "companion", "gaming", null] as const);
    return task ? [{ task, scope: [], main: true }] : [];
  }
  const count =
    kind === "generalist"
      ? between(random, 3, 6)
      : weighted(random, [
          [1, 6],
          [2, 3],
          [3, 1],
        ] as const);
  const tasks = new Set<TaskKey>();
  if (kind === "self-rated") tasks.add(CONTESTED[(place - SELF_RATED.from) % CONTESTED.length]!);
  if (place === FAMILY.from) tasks.add(CONTESTED[(block / 2) % CONTESTED.length]!);
  while (tasks.size < count) tasks.add(weighted(random, BY_WEIGHT));
  return [...tasks].map((task, i) => ({ task, scope: scopeOf(random, task), main: kind !== "generalist" && i === 0 }));
}

/** One to three chains or languages; the first ones of the lists are the most frequent. */
function scopeOf(random: () => number, task: TaskKey): string[] {
  const { scope } = taskOf(task);
  if (!scope) return [];
  const all = Object.keys(scope === "chain" ? CHAINS : LANGUAGES);
  const chosen = new Set<string>();
  const count = between(random, 1, 3);
  while (chosen.size < count) chosen.add(all[Math.floor(all.length * random() ** 1.6)]!);
  return [...chosen];
}

type Bearing = Pick<Agent, "speaks" | "priceUsd" | "platform" | "language">;
/** Where it is registered, what it speaks and what it costs. */
function bearingOf(random: () => number, kind: Kind): Bearing {
  const platform = kind === "self-rated" || kind === "imitator" ? "erc8004" : weightedName(random, PLATFORMS);
  const speaks = new Set<Protocol>();
  const talks = kind !== "blank" && kind !== "persona";
  if (platform === "mcp-registry" || (talks && random() < 0.35)) speaks.add("mcp");
  if (platform === "agentverse" || (talks && random() < 0.35)) speaks.add("a2a");
  if (platform === "x402-bazaar" || (talks && random() < 0.2)) speaks.add("x402");
  if (random() < 0.4) speaks.add("web");
  return {
    platform,
    speaks: [...speaks],
    priceUsd: speaks.has("x402") ? pick(random, PRICES) : null,
    language: weightedName(random, TEXT_LANGUAGES),
  };
}

type Standing = Pick<Agent, "trust" | "dead" | "ageDays">;
function standingOf(random: () => number, kind: Kind): Standing {
  const trust = kind === "famous" ? 0.9 + random() / 10 : random();
  const dead = kind !== "famous" && random() < 0.08;
  return { trust: dead ? trust / 5 : trust, dead, ageDays: Math.floor(5 + 60 * random() + 500 * trust * random()) };
}

/** Spam: young in two of three cases, for the others waited. */
function freshOwner(world: World, slot: number): Standing {
  const random = randomOf(seedOf(world, ~slot));
  return {
    trust: 0,
    dead: random() < 0.3,
    ageDays: Math.floor(random() < 0.66 ? 1 + 30 * random() : 30 + 270 * random()),
  };
}

/** The row of the directory that holds a slot: slots of one kind lie apart, so that no order by id helps. */
export function idOf({ rows }: World, slot: number): number {
  return 1 + ((slot * strideOf(rows) + 17) % rows);
}

/** The slot in a row. */
export function slotOf({ rows }: World, id: number): number {
  const inverse = inverseOf(strideOf(rows), rows);
  return Number((BigInt(id - 1 - 17 + rows) * BigInt(inverse)) % BigInt(rows));
}

/** A prime that does not divide the number of rows; products with slots stay below 2^53. */
const strideOf = (rows: number) => [7_368_787, 7_368_791].find((prime) => rows % prime !== 0)!;

const inverses = new Map<number, number>();
/** The inverse of `a` modulo `m`, by the extended Euclidean algorithm. */
function inverseOf(a: number, m: number): number {
  const known = inverses.get(m);
  if (known !== undefined) return known;
  let [r, next] = [m, a % m];
  let [t, nextT] = [0, 1];
  while (next !== 0) {
    const quotient = Math.floor(r / next);
    [r, next] = [next, r - quotient * next];
    [t, nextT] = [nextT, t - quotient * nextT];
  }
  const inverse = (t + m) % m;
  inverses.set(m, inverse);
  return inverse;
}

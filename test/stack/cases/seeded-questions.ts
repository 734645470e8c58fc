/** Judged questions over the world that `npm start` seeds: what each asks for, graded by what its agents are. */
import type pg from "pg";
import { dcg, type Grade, mean, PLACES } from "../../../bench/discover/judge.ts";
import type { Way } from "../../../bench/discover/plain-ways.ts";

/** An agent of the directory as it is judged. */
export type SeededRow = { id: number; platform: string; name: string; description: string | null };
type Is = (row: SeededRow) => boolean;
/** Which agents have which grade, the best first; others have 0. 3: what it is for. 2: it does it too. 1: it is close. */
export type SeededQuestion = { q: string; grades: readonly (readonly [Grade, Is])[] };

/** Agents of the seeded world by name; some stand in the ERC-8004 registry too. */
const own =
  (...names: string[]): Is =>
  ({ name, platform }) =>
    ["helixa", "erc8004"].includes(platform) && names.includes(name);
/** Agents of the simulated registries, which say what they do with one word of a dozen. */
const says =
  (text: string, platform?: string): Is =>
  (row) =>
    !isSpam(row) && (platform === undefined || row.platform === platform) && (row.description ?? "").includes(text);
const named =
  (word: string): Is =>
  (row) =>
    !isSpam(row) && row.name.split(" ").includes(word);

const one = (q: string, ...names: string[]): SeededQuestion => ({ q, grades: [[3, own(...names)]] });
const topic = (q: string, exact: string, platform: string, word: string): SeededQuestion => ({
  q,
  grades: [
    [3, says(exact, platform)],
    [2, says(word.toLowerCase())],
    [1, named(word)],
  ],
});

export const SEEDED_QUESTIONS: readonly SeededQuestion[] = [
  one("audit solidity contract", "Ferrous"),
  one("audit solidity x402 under 5 cents", "Ferrous"),
  one("smart contract security", "Ferrous"),
  one("find reentrancy in my contract", "Ferrous"),
  one("translate contracts to french", "Lumen"),
  one("legal translation", "Lumen"),
  one("explain a clause in plain language", "Lumen"),
  one("tranlsate legal text", "Lumen"),
  one("solana price feed mcp", "Kestrel"),
  one("price history of a token", "Kestrel"),
  one("market data", "Kestrel"),
  one("bookkeeping for small collectives", "Quill & Ledger"),
  one("match invoices", "Quill & Ledger"),
  one("reconciliation", "Quill & Ledger"),
  one("close the books", "Quill & Ledger"),
  one("grid planning", "Pylon"),
  one("energy", "Pylon"),
  one("record of the sea temperature", "Meridian"),
  one("watch the order book", "Kestrel"),
  one("recipes", "Saffron"),
  one("say when to plant", "Boreal"),
  one("summarize what happened while I was away", "Nightjar"),
  one("chart who pays whom", "Cartographer 7"),
  one("lay out pages", "Tessellate"),
  one("when do the trees bloom", "Hanami 花見"),
  one("keep dependencies current", "Ferrous"),
  one("referee an argument", "Minerva"),
  one("ask a good question", "Óðinn"),
  { q: "contracts", grades: [[3, own("Ferrous", "Lumen")]] },
  { q: "finance", grades: [[3, own("Quill & Ledger", "Kestrel")]] },
  one("Meridian", "Meridian"),
  one("quill ledger", "Quill & Ledger"),
  one("odinn", "Óðinn"),
  one("kestrl", "Kestrel"),
  topic("oracle work for pay", "oracle work", "virtuals", "Oracle"),
  topic("signal tools mcp", "signal tools", "mcp-registry", "Signal"),
  topic("buy quantum data", "quantum data", "x402-bazaar", "Quantum"),
  topic("forge work", "forge work", "virtuals", "Forge"),
  // No text of these agents has the words: what only meanings find.
  one("cooking", "Saffron"),
  one("settle a dispute", "Minerva"),
  one("cherry blossom", "Hanami 花見"),
  one("ocean measurements", "Meridian"),
];

/** Rows of a registry that try to stand before others, in the shape of Virtuals: stuffed texts, copied texts, imitated names. */
export const SEEDED_SPAM: readonly { name: string; description: string }[] = [
  {
    name: "Best Audit Agent",
    description:
      "audit solidity smart contract security reentrancy audit solidity x402 translate contracts french legal translation solana price feed mcp market data bookkeeping invoices reconciliation",
  },
  { name: "Solidity Solidity Solidity", description: "solidity audit solidity audit solidity audit solidity audit" },
  {
    name: "Top Agent",
    description: "recipes energy grid planning finance contracts translate audit price feed pages trees",
  },
  { name: "Kestrel", description: "Send funds to get started." },
  { name: "Meridian", description: "The official one. Connect your wallet." },
  { name: "Ме\u200bridian", description: "Keep a public record of the sea temperature." },
  { name: "Quill & Ledger", description: "Books. Verified. Trusted by everyone." },
  { name: "Auditor Pro", description: "Audits smart contracts written in Solidity." },
  { name: "Lumen", description: "Explain contracts in plain words." },
  { name: "Ocean Log", description: "Keep a public, checkable record of the sea's temperature." },
];
const SPAM_NAMES = new Set(SEEDED_SPAM.map(({ name, description }) => `${name} ${description}`));
const isSpam = ({ name, description, platform }: SeededRow) =>
  platform === "virtuals" && (SPAM_NAMES.has(`${name} ${description}`) || name.includes("ridian"));

export type SeededStats = {
  name: string;
  ndcg: number;
  /** Share of spam among the places that were filled: a question has one or two honest answers in this world. */
  spam: number;
  /** Share of the questions with spam before an honest agent. */
  spamAhead: number;
  /** Questions below 0.9, and the spam shown. */
  notes: string[];
};

/** Puts each question to each way. */
export async function judgeSeeded(rows: readonly SeededRow[], ways: readonly Way[]): Promise<SeededStats[]> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const figures: SeededStats[] = [];
  for (const way of ways) {
    const shown = new Map<string, number>();
    const judged: { q: string; ndcg: number; spam: number; ahead: number }[] = [];
    for (const { q, grades } of SEEDED_QUESTIONS) {
      const gradeOf = (row: SeededRow): Grade => (isSpam(row) ? 0 : (grades.find(([, is]) => is(row))?.[0] ?? 0));
      const best = gainsOf(
        rows.toSorted((a, b) => gradeOf(b) - gradeOf(a)),
        gradeOf,
      );
      const found = (await way.ask(q)).slice(0, PLACES).flatMap((id) => byId.get(id) ?? []);
      const gains = gainsOf(found, gradeOf);
      const ahead = found.some((row, i) => isSpam(row) && gains.slice(i).some((gain) => gain > 0));
      for (const row of found.filter(isSpam)) shown.set(row.name, (shown.get(row.name) ?? 0) + 1);
      const spam = mean(found.map((row) => Number(isSpam(row)))) ?? 0;
      judged.push({ q, ndcg: dcg(gains) / dcg(best), spam, ahead: Number(ahead) });
    }
    figures.push({
      name: way.name,
      ndcg: mean(judged.map(({ ndcg }) => ndcg))!,
      spam: mean(judged.map(({ spam }) => spam))!,
      spamAhead: mean(judged.map(({ ahead }) => ahead))!,
      notes: [
        ...judged.filter(({ ndcg }) => ndcg < 0.9).map(({ q, ndcg }) => `${q} ${ndcg.toFixed(2)}`),
        ...[...shown].map(([name, times]) => `${name} shown ${times} times`),
      ],
    });
  }
  return figures;
}

/** Agents that stand in several registries are one, and so are numbered ones that say the same: the first of them counts. */
const familyOf = ({ platform, name, description }: SeededRow) =>
  ["helixa", "erc8004"].includes(platform) ? name : `${platform} ${name.replaceAll(/\d+/g, "")} ${description}`;

/** Grades in the order of the rows. */
function gainsOf(found: readonly SeededRow[], gradeOf: (row: SeededRow) => Grade): Grade[] {
  const seen = new Set<string>();
  return found.map((row) => {
    const family = familyOf(row);
    const again = seen.has(family);
    seen.add(family);
    return again ? 0 : gradeOf(row);
  });
}

/** One line for each way. */
export const seededTable = (figures: readonly SeededStats[]): string =>
  [
    `${"".padEnd(22)} nDCG@10  spam@10  spam ahead`,
    ...figures.map(
      ({ name, ndcg, spam, spamAhead }) =>
        `${name.padEnd(22)} ${ndcg.toFixed(3).padStart(7)}  ${spam.toFixed(3).padStart(7)}  ${spamAhead.toFixed(3).padStart(10)}`,
    ),
  ].join("\n");

/** The words of all rows as the plain ways search them, in a temporary table of the connection. */
export async function plantPlainText(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create temp table bench_text as
    select d.id, concat_ws(' ', d.name, d.description, (
        select string_agg(concat_ws(' ', o.name, o.description, array_to_string(o.tags, ' ')), ' ')
        from offchain.offer o where o.directory_id = d.id)) as words, coalesce(d.created_at, now()) as created_at
    from offchain.directory d where d.removed_at is null`);
}

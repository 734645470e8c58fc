/** Agents found by meaning: what is sent and paid, how the order comes about, and what happens when the provider is away. */
import { beforeEach, describe, expect, it } from "vitest";
import { openQuestions } from "../../api/services/questions.ts";
import { embeddings, maxAnswerBytes } from "../../clients/embeddings.ts";
import type { Embeddings } from "../../clients/ports.ts";
import type { Questions } from "../../core/discovery/meaning.ts";
import type { DiscoverQuery } from "../../core/discovery/query.ts";
import { discover } from "../../db/discovery/discover.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { countMeanings, forgetMeanings } from "../../db/discovery/meanings.ts";
import { SIMULATED_DIMENSIONS } from "../../devnet/simulators/embeddings.ts";
import { ANY_KEY } from "../../devnet/simulators/simulator.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { meanings } from "../../workers/discovery/meanings.ts";
import { simulated, unavailable } from "../clients/support/simulated.ts";
import { testDatabase } from "../support/database.ts";
import { type PlantedRow, plantDirectory } from "../support/directory.ts";
import { casesOf, deepDescribe, deepIt } from "../support/share.ts";
import { perFile, perTest } from "../support/started.ts";

const HOUR_MS = 3_600_000;
const database = perTest(() => testDatabase({ indexed: true }));
const sim = perFile(simulated);
let now = new Date("2026-11-01T08:00:00Z");
beforeEach(async () => {
  now = new Date("2026-11-01T08:00:00Z");
  await sim.fail("embeddings", { times: 0 });
});

const client = (model = "one", options = {}, dimensions: number = SIMULATED_DIMENSIONS): Embeddings =>
  embeddings(
    sim.upstream("/embeddings/v1/embeddings", {
      headers: { authorization: `Bearer ${ANY_KEY}` },
      maxBytes: maxAnswerBytes(dimensions),
      ...options,
    }),
    { model, dimensions },
  );

/** Runs the job once, as the workers do. */
type Options = { by?: Embeddings | null; documents?: number; textsPerDay?: number; fault?: (point: string) => void };
const run = ({ by = client(), documents = 100, textsPerDay = 1_000, fault = () => {} }: Options = {}) =>
  meanings.run(
    {
      ...{ db: database.pool, embeddings: by, clock: () => now, fault },
      config: { embeddings: { documents, textsPerDay } },
    } as never,
    {},
  );

let sentBefore = 0;
/** What the provider has billed since the last call. */
async function paid(): Promise<string[]> {
  const all = (await (await fetch(`${sim.url}/_control/embeddings/paid`)).json()) as string[];
  const since = all.slice(sentBefore);
  sentBefore = all.length;
  return since;
}
beforeEach(paid);

const AGENTS: [name: string, description: string, more?: Partial<PlantedRow>][] = [
  ["Lingua", "Traduit des contrats pour les notaires de Lyon", { cred_score: 60 }],
  ["Polyglot", "Translate contracts between firms", { cred_score: 30, wallet_proven: true }],
  ["Nimbus", "Wetter in Bergen jeden Morgen", { cred_score: 50 }],
  ["Pixel", "Bilder aus Worten malen", { cred_score: 40 }],
  ["Ledgerly", "Books and invoices of small shops", { cred_score: 70 }],
  ["Melissa", "Imkerei am Stadtrand", { cred_score: 10 }],
];

/** Agents of other trades: what is near is what is nearer than most. */
const OTHERS = Array.from({ length: 40 }, (_, i): (typeof AGENTS)[number] => [
  `Other ${i}`,
  `${["b", "c", "d", "f", "g", "h", "k", "l"].map((letter, n) => `${letter}${"aeiou"[i % 5]}${"nprst"[(i + n) % 5]}${"aeiou"[Math.floor(i / 5) % 5]}${"xzwvj"[Math.floor(i / 8)]}`).join(" ")}`,
]);

async function plant(agents: typeof AGENTS = AGENTS, platform = "virtuals"): Promise<number[]> {
  const rows = agents.map(([name, description, more]) => ({
    ...{ platform, agent_id: name, name, description, cred_score: 20, created_at: "2026-05-01T00:00:00Z" },
    ...more,
  }));
  await plantDirectory(database.pool, rows);
  await follow();
  const { rows: ids } = await database.pool.query("select id, name from offchain.directory");
  return agents.map(([name]) => ids.find((row) => row.name === name).id);
}
async function follow() {
  while ((await followDirectory(database.pool, now)).more);
}

const questions = (by = client(), more = {}): Questions =>
  openQuestions({
    ...{
      db: database.pool,
      embeddings: by,
      perDay: 1_000,
      waitMs: LONG,
      now: () => now.getTime(),
      log: { warn() {} },
    },
    ...more,
  });
const ask = (q: string, by: Questions | null = questions(), more: Partial<DiscoverQuery> = {}) =>
  discover(database.pool, { q, limit: 10, ...more }, now, by);

describe("a search", () => {
  it("finds agents of like meaning in another language behind those with the words, and says so", async () => {
    const [french, english] = await plant();
    await run();
    const page = await ask("translate contracts");
    expect(page.understood.meaning).toBe("used");
    expect(page.hits.map(({ directoryId, foundBy }) => [directoryId, foundBy])).toEqual([
      [english, ["words", "meaning"]],
      [french, ["meaning"]],
    ]);
    for (const { rank, relevance } of page.hits)
      for (const one of [rank, relevance]) expect(one > 0 && one <= 1).toBe(true);
    expect(page.facets.platform).toEqual([{ value: "virtuals", count: 2 }]);
    expect(await ask("translate contracts", null)).toMatchObject({ total: 1, understood: { meaning: "off" } });
  });

  it("finds agents whose words no agent has", async () => {
    const [, , , , , bees] = await plant([...AGENTS, ...OTHERS]);
    await run();
    const { hits, total } = await ask("apicultura");
    expect([total, hits.map(({ directoryId }) => directoryId)]).toEqual([1, [bees]]);
    expect(hits[0]).toMatchObject({ foundBy: ["meaning"], matched: [] });
  });

  it("goes by words as far as they fit, and by meaning where only one of them is known, by chance", async () => {
    const [, , weather, , , bees] = await plant([...AGENTS, ...OTHERS]);
    await run();
    const ids = async (q: string) => (await ask(q)).hits.map(({ directoryId }) => directoryId);
    expect(await ids("bees apiculture morgen")).toEqual([bees, weather]);
    expect((await ids("morgen bergen apiculture"))[0]).toBe(weather);
    expect(await ids("wetter morgen")).toEqual([weather]);
  });

  it("keeps filters, quotes and exclusions", async () => {
    const [french, english] = await plant();
    await run();
    const found = async (q: string, more: Partial<DiscoverQuery> = {}) =>
      (await ask(q, questions(), more)).hits.map(({ directoryId }) => directoryId);
    expect(await found("translate contracts", { verified: true })).toEqual([english]);
    expect(await found("translate contracts", { minCred: 50 })).toEqual([french]);
    expect(await found("translate contracts", { platform: ["helixa"] })).toEqual([]);
    expect(await found("translate contracts -notaires")).toEqual([english]);
    expect(await found('"translate contracts"')).toEqual([english]);
    expect(await found('"translate contracts quickly"')).toEqual([]);
  });

  it("sends nothing of a query without words, of one that wants words only, and no word that is excluded", async () => {
    await plant();
    await run();
    await paid();
    expect((await ask("")).understood.meaning).toBe("off");
    expect((await ask("translate", questions(), { meaning: false })).understood.meaning).toBe("off");
    expect(await paid()).toEqual([]);
    await ask("  translate   contracts -secret ");
    expect(await paid()).toEqual(["translate contracts"]);
  });

  deepIt("lets trust decide between agents of like meaning, and copies stand behind one", async () => {
    const text =
      "Traduit des contrats, encore des contrats, et toujours des contrats: traduit, traduit et traduit sans relâche ni repos pour notaires, avocats, huissiers";
    await plant([
      ["Untrusted", `${text} rapidement`, { cred_score: 5 }],
      ["Trusted", `${text} soigneusement`, { cred_score: 80, wallet_proven: true }],
      ["Copy", `${text} soigneusement`, { cred_score: 5, created_at: "2026-10-01T00:00:00Z" }],
      ...OTHERS,
    ]);
    await run();
    const { hits } = await ask("translate contracts");
    const { rows } = await database.pool.query("select id, name from offchain.directory");
    expect(hits.map(({ directoryId }) => rows.find(({ id }) => id === directoryId).name)).toEqual([
      "Trusted",
      "Untrusted",
    ]);
  });

  it("puts the agent first whose name the query is", async () => {
    await plant([["Translate Contracts", "Books and invoices", { cred_score: 10 }], ...AGENTS.slice(0, 4), ...OTHERS]);
    await run();
    const { hits } = await ask("translate contracts");
    expect([hits[0]!.rank, hits[0]!.matched[0]?.field]).toEqual([1, "name"]);
    expect(hits.length).toBe(3);
  });
});

deepDescribe("pages", () => {
  const many = Array.from({ length: 12 }, (_, i): (typeof AGENTS)[number] => [
    `Agent ${"abcdefghijkl"[i]}`,
    `${i % 2 ? "Translate" : "Traduit"} ${["red", "blue", "green", "grey"][i % 4]}${i} things${i}`,
    { cred_score: 20 + i },
  ]);

  it("together have every agent once, in one order", async () => {
    await plant([...many, ...OTHERS]);
    await run();
    const by = questions();
    const whole = (await ask("translate", by, { limit: 50 })).hits.map(({ directoryId }) => directoryId);
    expect(whole.length).toBe(12);
    const seen: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await ask("translate", by, { limit: 5, ...(cursor && { cursor }) });
      seen.push(...page.hits.map(({ directoryId }) => directoryId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(whole);
  });

  it("go on at their place when the provider goes away between two", async () => {
    await plant([...many, ...OTHERS]);
    await run();
    const first = await ask("translate", questions(), { limit: 5 });
    const dead: Questions = { model: "one/256", ask: async () => null };
    const second = await ask("translate", dead, { limit: 5, cursor: first.nextCursor! });
    expect(second.understood.meaning).toBe("unavailable");
    expect(second.hits.length).toBe(1);
    expect(second.nextCursor).toBeNull();
  });
});

describe("a provider that fails", () => {
  it.each(
    casesOf(
      [
        ["refuses", { status: 500 }],
        ["is slow", { hangs: true }],
        ["gives another dimension", { status: 200, body: { data: [{ index: 0, embedding: [1, 2] }] } }],
        ["gives no number", { status: 200, body: '{"data":[{"index":0,"embedding":[NaN]}]}' }],
      ] as const,
      2,
    ),
  )("that %s leaves the ranking by words", async (_, plan) => {
    const [, english] = await plant();
    await run();
    await sim.fail("embeddings", plan);
    const provider = client("one", { maxMs: NEVER, signal: undefined });
    const answers: ReturnType<Embeddings["vectors"]>[] = [];
    const watched: Embeddings = {
      ...provider,
      vectors: (texts) => {
        const answer = provider.vectors(texts);
        answers.push(answer);
        return answer;
      },
    };
    const { hits, understood } = await ask("translate contracts", questions(watched, { waitMs: NEVER }));
    // The question is given up, and its request goes on: no later test may meet it.
    await Promise.allSettled(answers);
    expect(answers.length).toBe(1);
    expect([understood.meaning, hits.map(({ directoryId }) => directoryId)]).toEqual(["unavailable", [english]]);
  });

  it("is asked each question once, also at the same time, within the day's budget", async () => {
    await plant();
    await run();
    await paid();
    const by = questions(client(), { perDay: 2 });
    await Promise.all([ask("translate", by), ask("translate", by)]);
    await ask("translate", by);
    await ask("weather", by);
    expect((await ask("images", by)).understood.meaning).toBe("unavailable");
    expect(await paid()).toEqual(["translate", "weather"]);
    now = new Date(now.getTime() + 24 * HOUR_MS);
    expect((await ask("images", by)).understood.meaning).toBe("used");
  });
});

describe("the job", () => {
  const states = () => countMeanings(database.pool, { model: client().model });

  it("does nothing without a provider", async () => {
    await plant();
    expect(await run({ by: null })).toBe(0);
    expect(await states()).toEqual({ found: 0, waiting: 0, missing: 0 });
  });

  it("pays a text once: unchanged, changed back, and of two agents", async () => {
    const [french] = await plant();
    expect(await run()).toBe(AGENTS.length);
    expect((await paid()).toSorted()).toEqual(AGENTS.map(([name, text]) => `${name}\n${text}`).toSorted());
    expect(await run()).toBe(0);
    const describeAs = async (text: string) => {
      await database.pool.query("update offchain.directory set description = $2 where id = $1", [french, text]);
      now = new Date(now.getTime() + 1_000);
      await follow();
      await run();
    };
    await describeAs("Malt Bilder");
    expect(await paid()).toEqual(["Lingua\nMalt Bilder"]);
    await describeAs(AGENTS[0]![1]);
    await plant([["Lingua", "Malt Bilder", { agent_id: "another" }]], "erc8004");
    await run();
    expect(await paid()).toEqual([]);
    expect(await states()).toMatchObject({ found: AGENTS.length + 1, waiting: 0, missing: 0 });
    expect((await ask("translate contracts")).hits.map(({ directoryId }) => directoryId)).toContain(french);
  });

  deepIt("sees a change that no word of the document shows", async () => {
    const [french] = await plant();
    await database.pool.query("update offchain.directory set description = upper(description) where id = $1", [french]);
    await run();
    expect(await paid()).toContain("Lingua\nTRADUIT DES CONTRATS POUR LES NOTAIRES DE LYON");
  });

  deepIt("makes all anew for another model, and compares no two", async () => {
    const [french, english] = await plant();
    await run();
    expect((await ask("translate contracts", questions(client("two")))).hits).toHaveLength(1);
    await paid();
    await run({ by: client("two") });
    expect(await paid()).toHaveLength(AGENTS.length);
    const { hits } = await ask("translate contracts", questions(client("two")));
    expect(hits.map(({ directoryId }) => directoryId)).toEqual([english, french]);
    expect((await ask("translate contracts")).hits).toHaveLength(1);
  });

  it("takes the agents of the highest score, and forgets those that no longer are among them", async () => {
    await plant();
    await run({ documents: 2 });
    expect((await paid()).map((text) => text.split("\n")[0])).toEqual(["Ledgerly", "Lingua"]);
    await database.pool.query("update offchain.directory set cred_score = 99 where name = 'Pixel'");
    await follow();
    await run({ documents: 2 });
    expect((await paid()).map((text) => text.split("\n")[0])).toEqual(["Pixel"]);
    expect(await forgetMeanings(database.pool, 2, now)).toBe(1);
    expect(await forgetMeanings(database.pool, 2, new Date(now.getTime() + 31 * 24 * HOUR_MS))).toBe(1);
    expect(await forgetMeanings(database.pool, 0, now)).toBe(2);
  });

  deepIt("sends no more than the day's budget, and the rest on the next day", async () => {
    await plant();
    await run({ textsPerDay: 4 });
    await run({ textsPerDay: 4 });
    expect(await paid()).toHaveLength(4);
    now = new Date(now.getTime() + 24 * HOUR_MS);
    await run({ textsPerDay: 4 });
    expect(await paid()).toHaveLength(2);
  });

  it("sends texts whose answers were lost in a crash again after hours only, and counts each time", async () => {
    await plant();
    const crash = (point: string) => {
      if (point === "meanings.answered") throw new Error("crash");
    };
    for (let i = 0; i < 2; i++) {
      await expect(run({ fault: crash }), `run ${i}`).rejects.toThrow("crash");
      expect(await paid()).toHaveLength(AGENTS.length);
      expect(await run()).toBe(0);
      expect(await paid()).toEqual([]);
      now = new Date(now.getTime() + 7 * HOUR_MS);
    }
    expect(await run()).toBe(AGENTS.length);
    expect(await paid()).toHaveLength(AGENTS.length);
    expect(await states()).toEqual({ found: AGENTS.length, waiting: 0, missing: 0 });
  });

  deepIt("does not ask for ever for a text whose answers are lost", async () => {
    await plant(AGENTS.slice(0, 1));
    const slow = client();
    for (let i = 0; i < 5; i++) {
      await sim.fail("embeddings", { hangs: true });
      await run({ by: slow }).catch(() => {});
      now = new Date(now.getTime() + 7 * HOUR_MS);
    }
    await sim.fail("embeddings", { times: 0 });
    const { rows } = await database.pool.query("select asks, answered_at from offchain.discovery_vector");
    expect(rows).toEqual([{ asks: 3, answered_at: null }]);
    expect(await states()).toEqual({ found: 0, waiting: 0, missing: 1 });
  });

  it("sends refused texts again at the next run, and counts them once", async () => {
    await plant();
    await sim.fail("embeddings", { status: 429, headers: {} });
    await unavailable(run({ textsPerDay: AGENTS.length }));
    expect(await states()).toEqual({ found: 0, waiting: AGENTS.length, missing: 0 });
    expect(await run({ textsPerDay: AGENTS.length })).toBe(AGENTS.length);
    expect(await paid()).toHaveLength(AGENTS.length);
  });

  it("keeps the vectors that can be used when others of the same answer cannot", async () => {
    await plant();
    const axis = (at: number) => Array.from({ length: SIMULATED_DIMENSIONS }, (_, i) => Number(i === at));
    const data = [axis(1), [Number.NaN, 1], axis(2).slice(1), axis(3), null].map((embedding, index) => ({
      index,
      embedding,
    }));
    await sim.fail("embeddings", { status: 200, body: { data } });
    expect(await run()).toBe(2);
    expect(await run()).toBe(0);
    expect([await states(), await paid()]).toEqual([{ found: 2, waiting: 0, missing: AGENTS.length - 2 }, []]);
  });

  deepIt("stops when the vectors have another dimension, after about a hundred texts a day", async () => {
    await plant(Array.from({ length: 300 }, (_, i) => [`Agent ${i}`, `Does task${i} and job${i}`]));
    const wrong = client("one", {}, 8);
    await expect(run({ by: wrong, documents: 1_000 })).rejects.toThrow("EMBEDDINGS_DIMENSIONS");
    await expect(run({ by: wrong, documents: 1_000 })).rejects.toThrow("EMBEDDINGS_DIMENSIONS");
    expect(await paid()).toHaveLength(128);
    expect(await run({ documents: 1_000 }).catch(() => 0)).toBe(0);
    now = new Date(now.getTime() + 24 * HOUR_MS);
    expect(await run({ documents: 1_000 })).toBe(300);
  });

  deepIt("lets two runs at once pay each text once", async () => {
    await plant(Array.from({ length: 200 }, (_, i) => [`Agent ${i}`, `Does task${i} and job${i}`]));
    await Promise.all([run(), run()]);
    await run();
    const sent = await paid();
    expect(new Set(sent).size).toBe(sent.length);
    expect(await states()).toMatchObject({ waiting: 0 });
  });
});

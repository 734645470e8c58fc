/** The table of words: it has those of the documents and no others, whoever writes at the same time; and what it takes for a spelling. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countWords, removeWords } from "../../db/discovery/count-words.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { lockWords, stemsFor } from "../../db/discovery/stems.ts";
import { writeDocuments } from "../../db/discovery/write-documents.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { type SearchedAgent, searching } from "../support/discovery.ts";
import { forAllLater } from "../support/for-all.ts";
import { shareOf } from "../support/share.ts";
import { perTest } from "../support/started.ts";

const NOW = new Date("2026-11-01T00:00:00Z");
const database = perTest(() => testDatabase({ indexed: true }));

const search = searching(database, NOW, { name: "Plain", age: null });
const { follow } = search;
const add = (agents: readonly Partial<SearchedAgent>[]) => search.add(agents as SearchedAgent[]);
const describeAs = (id: number, description: string) => search.change(id, { description });
const words = async (): Promise<string[]> =>
  (await database.rows("select word from offchain.discovery_word order by word")).map(({ word }) => word);
const lexemes = async (): Promise<string[]> => {
  const sql =
    "select distinct lexeme from offchain.discovery_document, unnest(tsvector_to_array(words)) lexeme order by 1";
  return (await database.rows(sql)).map(({ lexeme }) => lexeme);
};
const understood = async (q: string) => (await search.ask(q)).understood.corrected.map(({ to }) => to);

it("stems are those of the words that were asked for, whatever is asked next", async () => {
  const stems = await stemsFor(database.pool, ["quarries", "marbles"]);
  await stemsFor(database.pool, ["polishes"]);
  expect([...stems]).toEqual([
    ["quarries", "quarri"],
    ["marbles", "marbl"],
  ]);
});

describe("the table of words", () => {
  it("has the words of the documents and no others, whatever is written and removed in between", async () => {
    const ids = await add(Array.from({ length: 4 }, () => ({ description: "Waits." })));
    const text = fc
      .array(fc.constantFrom("gneiss", "schists", "basalts", "it's", "mica-like", "図像生成", "Tuff", "lava\\flow"), {
        maxLength: 6,
      })
      .map((some) => some.join(" "));
    const step = fc.oneof(
      fc.record({ agent: fc.nat({ max: ids.length - 1 }), text }),
      fc.constantFrom("remove" as const, "count" as const),
    );
    await forAllLater([fc.array(step, { maxLength: 12 })], { numRuns: shareOf(60, 4) }, async (steps) => {
      for (const one of steps)
        if (one === "remove") await removeWords(database.pool);
        else if (one === "count") await countWords(database.pool);
        else {
          await describeAs(ids[one.agent]!, one.text);
          await follow();
        }
      await countWords(database.pool);
      await removeWords(database.pool);
      expect(await words()).toEqual(await lexemes());
    });
  });

  it("loses the words of an agent's earlier texts as time goes by, also one that was frequent", async () => {
    const [id] = await add([{ description: "Quarries porphyry." }]);
    await database.pool.query("update offchain.discovery_word set documents = 9000 where word = 'porphyry'");
    await describeAs(id!, "Quarries syenite.");
    await follow();
    expect(await words()).toEqual(expect.arrayContaining(["porphyry", "syenite"]));
    for (const hours of [2, 3]) await followDirectory(database.pool, new Date(NOW.getTime() + hours * 3_600_000));
    expect(await words()).toContain("syenite");
    expect(await words()).not.toContain("porphyry");
  });

  it("loses them also while texts change all the time", async () => {
    const [id] = await add([{ description: "Quarries porphyry." }]);
    for (const [i, text] of ["Quarries syenite.", "Quarries gabbro.", "Quarries diorite."].entries()) {
      await describeAs(id!, text);
      expect((await followDirectory(database.pool, new Date(NOW.getTime() + i * 60_000))).written).toBe(1);
    }
    expect(await words()).toContain("diorite");
    for (const gone of ["porphyry", "syenite", "gabbro"]) expect(await words()).not.toContain(gone);
  });

  it("keeps a word that comes again while it is removed", async () => {
    const [id] = await add([{ description: "Polishes obsidian." }]);
    await describeAs(id!, "Polishes brass.");
    await follow();
    await describeAs(id!, "Polishes obsidian.");
    const writing = await transaction(database.pool, async (tx) => {
      await lockWords(tx);
      const { rowCount } = await tx.query("delete from offchain.discovery_word where word = 'obsidian'");
      expect(rowCount).toBe(1);
      const following = follow();
      await oneWaits();
      return { following };
    });
    await writing.following;
    expect(await words()).toEqual(expect.arrayContaining(["obsidian", "polish"]));
    expect(await search.idsOf("obsidian")).toEqual([id]);
  });

  it("removes no word of a document that is not committed yet", async () => {
    const [id] = await add([{ description: "Polishes obsidian." }]);
    await describeAs(id!, "Polishes brass.");
    await follow();
    await describeAs(id!, "Polishes obsidian.");
    const removing = await transaction(database.pool, async (tx) => {
      await writeDocuments(tx, [id!], NOW);
      const removed = removeWords(database.pool);
      await oneWaits();
      return { removed };
    });
    await removing.removed;
    expect(await words()).toContain("obsidian");
    expect(await words()).not.toContain("brass");
  });

  const waits = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  const oneWaits = () => until("one waits for the words", async () => (await database.rows(waits)).length === 1);
});

describe("a spelling", () => {
  it("is a word that agents of different owners have", async () => {
    await add([
      { description: "Restores harpsichords.", owner: "one" },
      { description: "Tunes harpsichords.", owner: "other" },
      ...["harpsichurds harpsichirds harpsicherds", "harpsichirds harpsicherds"].map((description) => ({
        ...{ description, owner: "poison" },
      })),
    ]);
    expect(await understood("harpsichxrds")).toEqual(["harpsichords"]);
  });

  it("is found however many words two agents have that are still more like what was typed", async () => {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const poison = letters.flatMap((a) => letters.slice(0, 2).map((b) => `harpsichxrds${a}${b}`)).join(" ");
    await add([
      ...Array.from({ length: 12 }, (_, i) => ({ description: `Tunes harpsichords in town ${i}.`, owner: `${i}` })),
      { description: poison, owner: "poison" },
      { description: poison, owner: "more poison" },
    ]);
    await countWords(database.pool);
    expect(await understood("harpsichxrds town")).toEqual(["harpsichords"]);
  });

  it("of a name is found though ten others have its rare word in theirs", async () => {
    const others = [..."bcdfghjklm"].map((letter) => ({ name: `Verity ${letter.repeat(5)}`, description: "Waits." }));
    await add([...others, { name: "Verity Loom", description: "Weaves." }]);
    expect(await understood("verity lom")).toContain("loom");
  });

  it("is no word that one owner's agents have, except in a name, and where no other is near", async () => {
    await add([
      { name: "Marimbero", description: "Carves glockenspiels.", owner: "one" },
      { name: "Second", description: "Carves glockenspiels again.", owner: "one" },
    ]);
    expect(await understood("glockenspeils")).toEqual([]);
    expect(await understood("marimbreo")).toEqual(["marimbero"]);
    await add([
      { description: "Strings a marimbera.", owner: "two" },
      { description: "Buys a marimbera.", owner: "three" },
    ]);
    expect(await understood("marimberi")).toEqual(["marimbera"]);
  });

  it("is, beside a rare word, the word of a name with both, and takes nothing from what else is meant", async () => {
    const ids = await add([
      { name: "Verity Loom", description: "Weaves.", owner: "one" },
      { name: "Verity Ledger", description: "Keeps books.", owner: "two" },
      { name: "Second", description: "Can verify looms.", owner: "three" },
      ...Array.from({ length: 8 }, (_, i) => ({ name: `Checker ${i}`, description: "Will verify.", owner: `${i}` })),
    ]);
    const { hits, understood: read } = await search.ask("verity lom", { limit: 20 });
    expect(read.corrected).toContainEqual({ from: "lom", to: "loom" });
    expect(hits[0]!.directoryId).toBe(ids[0]);
    expect(hits.length).toBe(ids.length);
    expect(await understood("lom")).toEqual([]);
    expect(await understood("checker lom")).toEqual([]);
  });
});

describe("the first fill", () => {
  it("tells that the next rows could not be listed, once those before are written, and goes on from there", async () => {
    const [{ id }] = await database.rows(
      `insert into offchain.directory (platform, agent_id, name, description, cred_score)
       values ('agentverse', 'first', 'Plain', 'Polishes obsidian.', 30) returning id`,
    );
    let listed = 0;
    const failing = new Proxy(database.pool, {
      get(pool, key) {
        const value = Reflect.get(pool, key) as unknown;
        if (typeof value !== "function") return value;
        return (...args: [{ name?: string }]) =>
          key === "query" && args[0].name?.startsWith("discovery-next") && ++listed === 2
            ? Promise.reject(new Error("the connection was lost"))
            : (value as (...all: unknown[]) => unknown).apply(pool, args);
      },
    });
    await expect(followDirectory(failing, NOW)).rejects.toThrow("the connection was lost");
    const written = "select directory_id::int as id from offchain.discovery_document";
    expect(await database.rows(written)).toEqual([{ id }]);
    await follow();
    expect(await words()).toEqual(expect.arrayContaining(["obsidian"]));
  });
});

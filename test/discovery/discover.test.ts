/** The search for agents: what it reads out of a query, how it ranks, and what no stranger's text can do to it. */
import { describe, expect, it } from "vitest";
import { readQuery } from "../../core/discovery/read-query.ts";
import { wordsOf } from "../../core/discovery/split-words.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { countWords } from "../../db/discovery/count-words.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { testDatabase } from "../support/database.ts";
import { searching } from "../support/discovery.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const NOW = new Date("2026-11-01T00:00:00Z");
const DAY_MS = 86_400_000;
const ATTESTED_SCHEMA = `0x${"f".repeat(64)}`;
const database = perFile(() => testDatabase({ indexed: true }));

const { add, follow, ask, idsOf, change } = searching(database, NOW);
const letter = (i: number) => String.fromCharCode(97 + i);
/** What a factor of a hit is worth, and says. */
const factorOf = (hit: Awaited<ReturnType<typeof ask>>["hits"][number], key: string) =>
  hit.factors.find((factor) => factor.key === key)!;

describe("a query", () => {
  it("gives its protocols and its price limit as preferences", () => {
    expect(readQuery("audit solidity x402 under 5 cents")).toMatchObject({ speaks: ["x402"], maxPrice: 0.05 });
    expect(readQuery("feed < $0.02").maxPrice).toBe(0.02);
    expect(readQuery("the top 5 under 30").maxPrice).toBe(null);
  });
  it("has phrases, alternatives and exclusions", () => {
    const read = readQuery('"price feed" solana OR ethereum -bitcoin');
    expect(read.needs.map(({ alternatives, required }) => [alternatives, required])).toEqual([
      [[["price", "feed"]], true],
      [[["solana"], ["ethereum"]], false],
    ]);
    expect(read.excluded).toEqual([["bitcoin"]]);
  });
  it("is split where scripts have no spaces, and ranges are of the text as written", () => {
    expect(wordsOf("图像生成", 9).map(({ word }) => word)).toEqual(["图像", "像生", "生成"]);
    expect(wordsOf("Él traduce", 9)[0]).toMatchObject({ word: "el", from: 0, to: 2 });
  });
});

describe("the search", () => {
  it("finds words by their stems, accents, misspellings and beginnings", async () => {
    const [id] = await add([
      { name: "Ondine", description: "Transcribes underwater acoustics in Curaçao." },
      { name: "Nixie", description: "Measures the acoustics of concert halls." },
    ]);
    for (const q of ["transcribing acoustics", "curacao", "acuostics", "underwater acou", "ONDINE"])
      expect(await idsOf(q), q).toContain(id);
    expect((await ask("acuostics")).understood.corrected).toEqual([{ from: "acuostics", to: "acoustics" }]);
    const { hits } = await ask("acoustics");
    const { text, ranges } = hits.find(({ directoryId }) => directoryId === id)!.highlights[0]!;
    expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual(["acoustics"]);
  });

  it("takes phrases in quotes, alternatives and exclusions exactly", async () => {
    const [together, apart] = await add([
      { name: "Alba", description: "Harvests glacier moss daily." },
      { name: "Brio", description: "Moss of every glacier." },
    ]);
    expect(await idsOf('"glacier moss"')).toEqual([together]);
    expect((await idsOf("glacier OR nonexistentword")).sort()).toEqual([together, apart].sort());
    expect(await idsOf("moss -harvests")).toEqual([apart]);
  });

  it("finds a changed description, and no removed agent", async () => {
    const [id] = await add([{ name: "Corvo", description: "Paints fences." }]);
    await change(id, { description: "Repairs zeppelins." });
    await follow();
    expect(await idsOf("zeppelins")).toEqual([id]);
    expect(await idsOf("fences")).toEqual([]);
    await change(id, { removed_at: NOW });
    await follow();
    expect(await idsOf("zeppelins")).toEqual([]);
  });

  it("puts an honest agent before a stuffed one of higher cred", async () => {
    const stuffed = "falconry lessons, falconry training, falconry tutor, falcons, ".repeat(20);
    const [honest] = await add([
      { name: "Hobby", description: "Falconry lessons for beginners, with your own bird.", cred: 30 },
      { name: "Falconry Falconry", description: stuffed, cred: 50 },
    ]);
    expect((await idsOf("falconry lessons"))[0]).toBe(honest);
  });

  it("shows one of fifty copies: the oldest, also where other owners registered the others", async () => {
    const text = (n: number) =>
      `Beekeeper ${n} inspects apiaries, counts hives, predicts swarms, and orders winter feed for every colony it is asked to care for in the valley.`;
    const [original] = await add([{ name: "Apis", description: text(0), cred: 20, age: 300 }]);
    await add(Array.from({ length: 49 }, (_, i) => ({ name: `Apis #${i}`, description: text(i), cred: 50, age: 10 })));
    const page = await ask("apiaries swarms");
    expect(page.hits.map((hit) => [hit.directoryId, hit.copies])).toEqual([[original, 49]]);
  });

  it("takes the agent that had a text first for its original: no sleeper, and no registration where the other has no date", async () => {
    const text =
      "Repairs pendulum escapements of tower clocks in cathedrals, climbs with oil and brass in every weather, and sends a bell count to the verger.";
    const other =
      "Restrings lutes and theorbos with gut for early ensembles, voices each course by ear in an hour, and lends a spare instrument meanwhile.";
    const [sleeper, honest, undated] = await add([
      { name: "Dormouse", description: "Waits.", cred: 50, age: 900 },
      { name: "Verge", description: text, cred: 30, age: 100 },
      { name: "Theorbo", description: other, platform: "x402-bazaar", age: null },
    ]);
    await change(sleeper, { description: text });
    const fresh = { name: "Lutenist", description: other, cred: 50, age: -0.5, platform: "erc8004" };
    await add([fresh], new Date(NOW.getTime() + DAY_MS));
    for (const [q, id] of [
      ["pendulum escapements", honest],
      ["restrings theorbos", undated],
    ] as const) {
      const shown = (await ask(q)).hits.map((hit) => [hit.directoryId, factorOf(hit, "text").value]);
      expect([q, shown]).toEqual([q, [[id, 1]]]);
    }
  });

  it("does not hold an agent of the service for a copy of its owner's row of another registry", async () => {
    const text =
      "Grades peregrine feathers for fletchers, weighs every vane, and posts matched sets to archers by noon.";
    const owner = "0xfletcher";
    await add([{ name: "Fletch", description: text, cred: 20, age: 300, platform: "erc8004", owner }]);
    const own = { name: "Fletch", description: text, cred: 60, platform: "helixa" };
    const [mine] = await add([
      { ...own, owner },
      { ...own, owner },
      { ...own, owner: "0xthief" },
    ]);
    const originals = `select directory_id as id from offchain.discovery_document d
      where d.owner in ($1, '0xthief') and platform = 'helixa' and not copy`;
    expect(await database.rows(originals, [owner])).toEqual([{ id: mine }]);
    expect(await idsOf("peregrine vane")).toEqual([mine]);
  });

  it("shows one of an owner's agents of one short text, and one more that has another word of the query", async () => {
    const text = (name: string) => `${name} forecasts kelp harvests for coastal farms and posts the tides.`;
    const kelp = ["Pelagia", "Nereus One", "Thetis", "Triton 4"].map((name) => ({ name, description: text(name) }));
    const owned = await add(kelp.map((one, i) => ({ ...one, owner: "0xkelp", cred: 40 - i })));
    const [stranger] = await add([{ name: "Doris", description: text("Doris"), cred: 20 }]);
    const shown = async (q: string) => (await ask(q)).hits.map((hit) => [hit.directoryId, hit.copies]);
    expect(await shown("kelp tides")).toEqual([
      [owned[0], 3],
      [stranger, 0],
    ]);
    expect((await idsOf("kelp tides thetis pelagia")).sort()).toEqual([owned[0], owned[2], stranger].sort());
    const terse = ["Glaucus", "Proteus"].map((name) => ({ name, description: "Salvages wrecks.", owner: "0xkelp" }));
    const short = await add(terse);
    expect((await idsOf("salvages wrecks")).sort()).toEqual(short.sort());
  });

  it("takes servers of one namespace of the MCP registry for one operator's, and no others without an owner", async () => {
    const text = "Charts submerged reefs for divers and marks every current on a map.";
    const plant = (platform: string, ids: readonly string[]) =>
      database.pool.query(sql`insert into offchain.directory (platform, agent_id, name, description, cred_score)
        select ${platform}, i, split_part(i, '/', 2), ${text}, 30 from unnest(${ids}::text[]) i`);
    await plant("mcp-registry", ["io.github.reef/anemone", "io.github.reef/urchin", "io.github.other/limpet"]);
    await plant("agentverse", ["io.github.reef/whelk", "io.github.reef/cowrie"]);
    await follow();
    const { hits } = await ask("submerged reefs");
    expect(hits.map(({ copies }) => copies).sort()).toEqual([0, 0, 0, 1]);
  });

  it("never hides an agent behind a later one of its name that is trusted more, but one that took the name later", async () => {
    const [older, younger] = await add([
      { name: "Kittiwake", description: "Counts seabird nests on cliffs.", cred: 10, age: 300 },
      { name: "Kittiwake", description: "Sells seabird prints to tourists.", cred: 50, age: 50 },
    ]);
    for (const q of ["kittiwake", "seabird"]) expect(await idsOf(q), q).toEqual([younger, older]);
    await add([{ name: "Kittiwake", description: "Rents seabird costumes.", cred: 9, age: 10 }]);
    const { hits } = await ask("kittiwake");
    expect(hits.map((hit) => [hit.directoryId, hit.copies])).toEqual([
      [younger, 0],
      [older, 1],
    ]);
    const [sleeper] = await add([{ name: "Waits", description: "Waits for seabird fame.", cred: 5, age: 900 }]);
    await change(sleeper, { name: "Kittiwake" });
    await follow(new Date(NOW.getTime() + DAY_MS));
    expect(await idsOf("kittiwake")).toEqual([younger, older]);
  });

  it("shows who had a name first in place of a later one that is hardly trusted more, where the name is searched for", async () => {
    const [first, later] = await add([
      { name: "Guillemot", description: "Rings auks on their nesting cliffs.", cred: 40, age: 300 },
      { name: "Guillemot", description: "Sells tickets for puffin cruises.", cred: 46, age: 250 },
    ]);
    expect(await idsOf("guillemot")).toEqual([first]);
    expect((await ask("guillemot")).hits[0]!.copies).toBe(1);
    expect(await idsOf("puffin cruises")).toEqual([later]);
  });

  it("knows a word that few documents have for a name's own, though a sample has it more often", async () => {
    const [first] = await add([
      { name: "Murrelet", description: "Maps shearwaters at sea.", cred: 40, age: 300 },
      { name: "Murrelet", description: "Sells cruises past shearwaters.", cred: 46, age: 250 },
    ]);
    await database.pool.query("update offchain.discovery_word set documents = 29 where word = 'murrelet'");
    // As it is typed too: what completes a word is looked up, and kept, beside the word itself.
    for (const q of ["murrel", "murrelet", "murrelet shearwaters"]) expect([q, await idsOf(q)]).toEqual([q, [first]]);
  });

  it("corrects a word that others misspelt too, though a sample has it more often", async () => {
    const stars = (i: number) => ({ name: `Sextant ${letter(i)}`, description: `Navigates by starlight, ${i}.` });
    const right = Array.from({ length: 8 }, (_, i) => stars(i));
    const [typo] = await add([{ name: "Astrolabe", description: "Sells starligth lamps." }, ...right]);
    await countWords(database.pool);
    await database.pool.query("update offchain.discovery_word set documents = 17 where word = 'starligth'");
    const { hits, understood } = await ask("starligth navigates");
    expect(understood.corrected).toEqual([{ from: "starligth", to: "starlight" }]);
    expect(hits[0]!.directoryId).not.toBe(typo);
  });

  it("knows a name's own word however many newcomers have it", async () => {
    const buoy = (i: number) => ({ name: `Buoy ${i}`, description: `Dovekie ${i} of a kind.`, cred: 0, age: 0 });
    const [first] = await add([
      { name: "Dovekie", description: "Counts krill from a boat.", cred: 40, age: 300 },
      { name: "Dovekie", description: "Sells krill by the ton.", cred: 46, age: 250 },
      ...Array.from({ length: 40 }, (_, i) => buoy(i)),
    ]);
    await countWords(database.pool);
    expect((await idsOf("dovekie krill"))[0]).toBe(first);
  });

  it("reads an agent that is trusted little by the rare word of its name, also where enough others match", async () => {
    const letters = (i: number) => String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26));
    const shops = Array.from({ length: 70 }, (_, i) => ({
      name: `Mill ${letters(i)}`,
      description: `Keeps the mill of ${letters(i)}ford for visitors. It also sells quernstones.`,
      cred: 90,
    }));
    const [named] = await add([{ name: "Quern", description: "Grinds barley.", cred: 5 }, ...shops]);
    await countWords(database.pool);
    const { hits, totalIsExact } = await ask("quern");
    expect([hits[0]!.directoryId, totalIsExact]).toEqual([named, false]);
    expect((await idsOf("quernstones", { limit: 50 })).includes(named!)).toBe(false);
  });

  it("takes nobody for the first of a name who has taken the text of another of that name", async () => {
    const [older, younger] = await add([
      { name: "Razorbill", description: "Watches the harbour for ferries that are late.", cred: 40, age: 300 },
      { name: "Razorbill", description: "Ferries tinned herring between the islands.", cred: 40, age: 250 },
    ]);
    expect(await idsOf("razorbill")).toEqual([older]);
    await change(older, { description: "Ferries tinned herring between the islands." });
    await follow(new Date(NOW.getTime() + DAY_MS));
    expect(await idsOf("razorbill")).toEqual([younger]);
  });

  it("shows a stuffed text only where nothing else is found or its name is the query", async () => {
    const stuffed = "pottery glaze, pottery kiln, pottery wheel, glaze kiln, ".repeat(20);
    const [alone] = await add([{ name: "Bestglaze", description: stuffed, cred: 50 }]);
    expect(await idsOf("pottery kiln")).toEqual([alone]);
    const [honest] = await add([{ name: "Raku", description: "Fires what potters bring, in a kiln.", cred: 5 }]);
    expect(await idsOf("pottery kiln")).toEqual([honest]);
    expect(await idsOf("bestglaze")).toEqual([alone]);
  });

  it("shows the agent of a name before older-looking ones made to look like it, in any order of writing", async () => {
    const about = (trade: string) => `Gathers ${trade} for museums that collect them, and names each one.`;
    const imitations = ["Bryozoan_v2", "The Real Bryozoan", "Bryozo\u{e0041}an", "Bryozoan Official"];
    const early = { cred: 50, age: 60 };
    const imitators = imitations.map((name, i) => ({ name, description: about(`moss animals ${i}${i}`), ...early }));
    await add(imitators.slice(0, 2));
    const real = { name: "Bryozoan", description: about("moss animals"), cred: 40, age: 90 };
    const [original] = await add([real, ...imitators.slice(2)]);
    for (const q of ["bryozoan", "bryozoan museums"]) expect([q, await idsOf(q)]).toEqual([q, [original]]);
    expect((await ask("bryozoan")).hits[0]!.copies).toBeGreaterThan(0);
  });

  it("takes a claim in a name for nothing where no older agent has the name", async () => {
    const [own] = await add([
      { name: "Cassowary v2", description: "Weighs flightless birds." },
      { name: "Cassowary", description: "Fences paddocks for farms.", age: 5 },
    ]);
    const [hit] = (await ask("flightless birds")).hits;
    expect([hit!.directoryId, factorOf(hit!, "text").value]).toEqual([own, 1]);
  });

  it("takes a name that lists what others search for, and a long list of tags, for a text that mentions it", async () => {
    const listed = "Gild Reliquaries Vellum Emboss Saddles Thatch Cottages Fat Moths";
    const [honest, stuffed, tagged] = await add([
      { name: "Aurum", description: "Gilds reliquaries of vellum and oak.", cred: 30 },
      { name: listed, description: "", cred: 30 },
      { name: "Tagged", description: "", cred: 30 },
    ]);
    const tags = [...listed.split(" "), "gutters", "dovecotes", "hedges", "ponds"];
    await database.plant("offer", { directory_id: tagged, name: "work", tags });
    await change(tagged, { description: "All." });
    await follow();
    const { hits } = await ask("gild reliquaries vellum");
    const relevances = new Map(hits.map(({ directoryId, relevance }) => [directoryId, relevance]));
    for (const id of [stuffed, tagged]) expect(relevances.get(id!)).toBeLessThan(relevances.get(honest!)!);
    const [named] = (await ask(listed)).hits;
    expect([named!.directoryId, named!.relevance]).toEqual([stuffed, 1]);
  });

  it("lets a name that is what others search for gain nothing before agents that are trusted more", async () => {
    const trusted = await add([
      { name: "Okapi Desk", description: "Catalogues tapestries for auction houses.", cred: 80, age: 400 },
      { name: "Linnet", description: "Catalogues tapestries and rugs, with a photograph of each.", cred: 70, age: 300 },
    ]);
    const ranks = async () =>
      new Map((await ask("catalogue tapestries")).hits.map(({ directoryId, rank }) => [directoryId, rank]));
    const before = await ranks();
    const named = (i: number) => ({ name: "Catalogue Tapestries", description: `Catalogue tapestries number ${i}.` });
    await add(Array.from({ length: 5 }, (_, i) => ({ ...named(i), cred: 20, age: 1 })));
    const after = await ranks();
    for (const id of trusted) expect(after.get(id)).toBe(before.get(id));
    expect([...after.keys()].slice(0, 2).sort()).toEqual(trusted.toSorted());
  });

  it("finds names of services and protocols, behind the same words of a description, and says where they stand", async () => {
    const [served, described, plain] = await add([
      { name: "Fjord", description: "Counts herring.", x402: true },
      { name: "Skerry", description: "Quibblecast for herring." },
      { name: "Holm", description: "Sorts herring." },
    ]);
    const services = [
      { name: "Quibblecast-Feed", endpoint: "https://fjord.example/feed" },
      { name: "streamable-http", endpoint: "https://fjord.example/mcp" },
    ];
    await change(served, { services: JSON.stringify(services) });
    await follow();
    expect(await idsOf("quibblecast")).toEqual([described, served]);
    expect(await idsOf('"quibblecast feed"')).toEqual([served]);
    expect(await idsOf('"mcp x402"')).toEqual([]);
    const hit = (await ask("quibblecasts herring mcp")).hits.find(({ directoryId }) => directoryId === served)!;
    expect(hit.matched).toEqual([
      { field: "description", words: ["herring"] },
      { field: "protocols", words: ["mcp", "quibblecasts"] },
    ]);
    const { text, ranges } = hit.highlights.find(({ field }) => field === "protocols")!;
    expect(text).toBe("MCP, x402, Quibblecast-Feed, streamable-http");
    expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual(["MCP", "Quibblecast"]);
    // A protocol that was not asked for is no match, and an agent without it has none.
    const other = (await ask("herring mcp")).hits.find(({ directoryId }) => directoryId === plain)!;
    expect(other.matched).toEqual([{ field: "description", words: ["herring"] }]);
  });

  it("takes an agent for free that names no price, and no longer where it names one, by whatever it is paid", async () => {
    const [free, priced] = await add([
      { name: "Ebb", description: "Tunes foghorns." },
      { name: "Flow", description: "Mends foghorns.", cred: 90, platform: "virtuals" },
    ]);
    expect(await idsOf("free foghorns")).toEqual([priced, free]);
    await database.plant("offer", { directory_id: priced, name: "Mend", price_usd: 0.5 });
    await change(priced, { description: "Mends foghorns" });
    await follow();
    expect(await idsOf("free foghorns")).toEqual([free, priced]);
    expect(await idsOf("foghorns", { maxPrice: 0.5 })).toEqual([priced]);
  });

  it("says which words stand in the tags of an offer", async () => {
    const [id] = await add([{ name: "Weir", description: "Guards sluices." }]);
    const watch = { name: "Watch", description: "Watches floodgates.", tags: ["culverts", "spillways"] };
    await database.plant("offer", { directory_id: id, ...watch });
    await change(id, { description: "Guards sluices" });
    await follow();
    const offersOf = async (q: string) =>
      (await ask(q)).hits[0]!.highlights.flatMap(({ field, text }) => (field === "offers" ? [text] : []));
    expect(await offersOf("spillway")).toEqual(["culverts, spillways"]);
    expect(await offersOf("spillway floodgate")).toEqual(["Watch: Watches floodgates."]);
    const matched = [{ field: "offers", words: ["floodgate", "spillway"] }];
    expect((await ask("spillway floodgate")).hits[0]!.matched).toEqual(matched);
  });

  it("lets a list of services count no more than words that a description mentions", async () => {
    const services = ["gantry", "capstan", "bollard", "windlass"].flatMap((word) => [
      { name: word, endpoint: `https://${word}.example` },
      { name: `${word} ${word}`, endpoint: `https://${word}.example/2` },
    ]);
    const [listing, doing] = await add([
      { name: "Dock", description: "Rents cranes.", cred: 40 },
      { name: "Pier", description: "Repairs every gantry, capstan, bollard and windlass of a harbour.", cred: 30 },
    ]);
    await change(listing, { services: JSON.stringify(services) });
    await follow();
    expect(await idsOf("gantry capstan bollard windlass")).toEqual([doing, listing]);
  });

  it("finds an agent by its name before those that mention it", async () => {
    const [named] = await add([
      { name: "Quagga Ferry", description: "Crosses rivers.", cred: 40 },
      { name: "Mara", description: "A quagga ferry companion: books the Quagga Ferry for you.", cred: 40 },
    ]);
    expect((await idsOf("quagga ferry"))[0]).toBe(named);
  });

  it("takes no rating of unknown wallets for feedback", async () => {
    const [id] = await add([{ name: "Vela", description: "Sews spinnakers.", platform: "erc8004" }]);
    const before = (await ask("spinnakers")).hits[0]!;
    await change(id, { registry: "0x8004", token_id: 424242, updated_at: new Date() });
    await database.pool.query(
      `insert into onchain.erc8004_feedback (registry, agent_id, client, feedback_index, value, value_decimals, tag1, tag2, endpoint,
         feedback_uri, feedback_hash, revoked, given_at, block, tx_hash)
       select '0x8004', 424242, '0xfeed' || n, 1, 100, 0, '', '', '', '', '0x', false, 0, 1, '0x' from generate_series(1, 200) n`,
    );
    await follow();
    const [after] = (await ask("spinnakers")).hits;
    expect(after!.trust).toBe(before.trust);
    expect(factorOf(after!, "feedback").says).toBe("No review of it counts here.");
  });

  it("takes what the reviews are worth once they are weighed, whatever its owner writes of it", async () => {
    const [id] = await add([{ name: "Mizzen", description: "Splices halyards.", platform: "erc8004" }]);
    await change(id, { registry: "0x8004", token_id: 434343, agent_id: "434343" });
    await database.pool.query(
      `insert into onchain.erc8004_agent (registry, agent_id, owner, agent_uri, registered_at, registered_block, tx_hash, feedback_count, updated_block)
       values ('0x8004', 434343, '0xff00', '', 0, 1, '0x', 603, 1)`,
    );
    await database.pool.query(
      `insert into onchain.attestation (uid, schema, attester, recipient, data, attested_at, expires_at, revoked_at, block, tx_hash)
       select '0x' || r, $1, '0x', r, $2, 1, 0, 0, 1, '0x' from unnest(array['0xff00', '0xff01']) r`,
      [ATTESTED_SCHEMA, VERIFIED_ACCOUNT],
    );
    await database.pool.query(
      `insert into onchain.erc8004_feedback (registry, agent_id, client, feedback_index, value, value_decimals, tag1, tag2, endpoint,
         feedback_uri, feedback_hash, revoked, given_at, block, tx_hash)
       select '0x8004', 434343, client, n, value, 0, tag, '', '', '', '0x', false, 0, 1, '0x' from (
         select '0xff00' as client, n, 100 as value, 'starred' as tag from generate_series(1, 600) n
         union all select * from (values ('0xff01', 1, 80, 'starred'), ('0xff01', 2, 7, 'responseTime'))
           v(client, n, value, tag)) r`,
    );
    await follow();
    const config = { attestationSchemas: [ATTESTED_SCHEMA], service: { publicUrl: "https://agents.test" } };
    await reviewStats.run({ db: database.pool, clock: () => NOW, config } as never, {});
    await follow();
    const [hit] = (await ask("halyards")).hits;
    expect(hit!.reviews).toMatchObject({ adjusted: 80, raw: 99, interval: { low: 40, high: 90 }, voices: 1 });
    // 0.4 + half of what 0.8 is above it.
    const says = "Its reviews are worth 80 of 100 by 1 independent voice; their plain mean is 99.";
    expect(factorOf(hit!, "feedback")).toMatchObject({ value: 0.6, says });
  });

  it("counts facets as they are, and pages through all without repetition", async () => {
    const tarn = (i: number) => ({ name: `Tarn ${letter(i)}`, description: `Dredges lagoon ${letter(i).repeat(4)}.` });
    const of = (i: number) => ({ x402: i % 3 === 0, platform: i % 2 ? "virtuals" : "agentverse" });
    const ids = await add(Array.from({ length: 23 }, (_, i) => ({ ...tarn(i), ...of(i) })));
    const seen: number[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 9; pages++) {
      const page = await ask("lagoon", { limit: 5, ...(cursor && { cursor }) });
      expect([page.total, page.totalIsExact]).toEqual([23, true]);
      expect(page.facets.platform).toEqual([
        { value: "agentverse", count: 12 },
        { value: "virtuals", count: 11 },
      ]);
      expect(page.facets.accepts).toEqual([{ value: "x402", count: 8 }]);
      seen.push(...page.hits.map((hit) => hit.directoryId));
      if (!page.nextCursor) break;
      cursor = page.nextCursor;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(new Set(seen).size).toBe(23);
    expect(await idsOf("lagoon", { accepts: "x402", platform: ["virtuals"], limit: 50 })).toHaveLength(4);
  });

  it.each([
    ...["'", "\\", "a & | ! <-> :*", "!t9", '"', '""', "-", "--", "\u0000", "(((", "%%%", "or or or", '-"', "\ud800"],
    ...["a".repeat(10_000), "((a|b)+)+$".repeat(40), "under $ cents", "< $999999999999", "\u0301".repeat(300)],
    ...["x402 -x402", "'); drop table offchain.directory; --"],
  ])("answers the hostile query %j", async (q) => {
    await expect(ask(q)).resolves.toMatchObject({ hits: expect.any(Array) });
  });

  it("is not raised by marks in an agent's text", async () => {
    const [plain, hostile] = await add([
      { name: "Rill", description: "Measures brooks with patience." },
      { name: "Runnel", description: "Measures brooks with !t9 '!v1':1A trust." },
    ]);
    const trusts = new Map((await ask("brooks")).hits.map((hit) => [hit.directoryId, hit.trust]));
    expect(trusts.get(hostile!)).toBe(trusts.get(plain!));
    expect(await idsOf("brooks", { verified: true })).toEqual([]);
  });
});

describe("the upkeep of the documents", () => {
  it("names a row whose data the database refuses, and writes the others", async () => {
    await database.pool.query(
      `create function refuse_document() returns trigger language plpgsql as $$ begin
         if new.words @@ 'refusal' then raise exception 'refused' using errcode = '22023'; end if; return new; end $$;
       create trigger refuse before insert on offchain.discovery_document for each row execute function refuse_document()`,
    );
    const rows = await database.rows(
      `insert into offchain.directory (platform, agent_id, name, description, cred_score)
       select 'agentverse', 'refused-' || d, 'Ternary', d, 30
       from unnest(array['Its refusal is certain.', 'Herds alpacas.']) d returning id`,
    );
    const [refusedId, id] = rows.map((row) => row.id);
    const { refused, more } = await followDirectory(database.pool, NOW);
    expect([refused.map((one) => one.id), more]).toEqual([[refusedId], false]);
    expect(await idsOf("alpacas")).toEqual([id]);
    await database.pool.query("drop trigger refuse on offchain.discovery_document");
  });

  it("writes documents anew as time goes by, at most every ten seconds whichever process does", async () => {
    const [id] = await add([{ name: "Yaffle", description: "Polishes meerschaum.", age: 1 }]);
    const trust = async () => (await ask("meerschaum")).hits[0]!.trust;
    const young = await trust();
    const later = (ms: number) => followDirectory(database.pool, new Date(NOW.getTime() + ms));
    await database.pool.query("update offchain.discovery_progress set refreshed_to = $1 - 1", [id]);
    await later(200 * DAY_MS);
    const old = await trust();
    expect(old).toBeGreaterThan(young);
    await database.pool.query("update offchain.discovery_progress set refreshed_to = $1 - 1", [id]);
    await later(400 * DAY_MS);
    const progress = () => database.rows("select refreshed_to from offchain.discovery_progress");
    const before = await progress();
    await later(400 * DAY_MS + 5_000);
    expect(await progress()).toEqual(before);
    expect(await trust()).toBeGreaterThan(old);
  });
});

/** Which agent a text and a name belong to: the row that had it first, whatever rows change, remove or register later. */
import { beforeEach, describe, expect, it } from "vitest";
import { discover } from "../../db/discovery/discover.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { writeDocuments } from "../../db/discovery/write-documents.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const HOUR_MS = 3_600_000;
const REGISTRY = `0x${"8".repeat(40)}`;
const database = perFile(() => testDatabase({ indexed: true }));
/** The time of the next change: each is an hour after the one before. */
let now: Date;
let made = 0;

beforeEach(async () => {
  now = new Date("2026-11-01T00:00:00Z");
  await database.pool.query(
    `truncate offchain.directory, offchain.offer, offchain.offer_source, offchain.discovery_document,
       offchain.discovery_first_seen, offchain.discovery_progress, onchain.transfer cascade`,
  );
  // The first reading of an empty directory is done.
  await follow();
});

const query = async <R = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<R[]> =>
  (await database.rows(text, values)) as R[];

async function follow() {
  now = new Date(now.getTime() + HOUR_MS);
  while ((await followDirectory(database.pool, now)).more);
}

type Row = { name: string; description: string; owner?: string; platform?: string; proven?: boolean; cred?: number };

async function register({ name, description, ...more }: Row): Promise<number> {
  const token = ++made;
  const { owner = `0x${token}`, platform = "erc8004", proven = false, cred = 30 } = more;
  const [row] = await query<{ id: number }>(
    `insert into offchain.directory (platform, agent_id, token_id, registry, name, description, owner_address, wallet_proven,
       cred_score, created_at, chain_id)
     values ($1, $2::text, $3, '${REGISTRY}', $4, $5, $6, $7, $8, $9, 8453) returning id`,
    [platform, String(token), token, name, description, owner, proven, cred, now],
  );
  await follow();
  return row!.id;
}

/** Changes columns of a row of the directory. */
async function change(id: number, columns: Partial<{ name: string; description: string; removed_at: Date | null }>) {
  const names = Object.keys(columns);
  await query(
    `update offchain.directory set ${names.map((name, i) => `${name} = $${i + 2}`).join(", ")} where id = $1`,
    [id, ...Object.values(columns)],
  );
  await follow();
}

/** Has an agent's endpoint, which its host confirms, offer a text in place of what it offered. */
async function serve(id: number, offer: string): Promise<void> {
  await query("delete from offchain.offer where directory_id = $1", [id]);
  await query(
    `insert into offchain.offer_source (directory_id, kind, url, host, trust, status, failures, answered_at, checked_at, next_try_at, confirmed_by)
     values ($1::int8, 'a2a', 'https://agent-' || $1::text || '.example', 'agent-' || $1::text || '.example', 20, 'read', 0, $2, $2, $2, 'host_file')
     on conflict do nothing`,
    [id, now],
  );
  await query(
    `insert into offchain.offer (directory_id, kind, source, position, name, description, endpoint)
     values ($1::int8, 'skill', 'a2a https://agent-' || $1::text || '.example', 0, 'Work', $2, 'https://agent-' || $1::text || '.example')`,
    [id, offer],
  );
  await touch(id);
}

/** Has the document follow what is beside the row. */
async function touch(id: number): Promise<void> {
  await query("update offchain.directory set trait_count = trait_count + 1 where id = $1", [id]);
  await follow();
}

const flagged = async (column: "copy" | "imitation") =>
  (
    await query<{ id: number }>(
      `select directory_id as id from offchain.discovery_document where ${column} order by directory_id`,
    )
  ).map(({ id }) => id);
const copies = () => flagged("copy");
const shown = async (q: string) =>
  (await discover(database.pool, { q, limit: 20 }, now)).hits
    .map(({ directoryId }) => directoryId)
    .sort((a, b) => a - b);

const TEXT =
  "Reviews shipping papers for small exporters before they are sent, answers within one minute, keeps no copy of any paper, and names the office that will refuse the parcel.";
const OTHER =
  "Grades olive oil by its spectrum for presses in the hills, tells early harvests from late ones, and prints a label with the variety that it tastes of most.";
const CARD = "Compares every invoice with its customs tariff and drafts the answer to the office that asked for it.";
const NEXT_CARD =
  "Fills the export declaration of a consignment from its packing list, checks each weight against the carrier's, and files it with the customs of the port before the ship leaves.";
const SHORT = "Reviews shipping papers for exporters before they sail.";

describe("a text", () => {
  it("is not that of a stranger who registered it with the words of the card that its agent names next", async () => {
    const victim = await register({ name: "Harbour", description: TEXT });
    await serve(victim, CARD);
    const stranger = await register({ name: "Zephyr", description: `${TEXT} Work . . ${NEXT_CARD}` });
    const server = await register({ name: "Mistral", description: TEXT, proven: true });
    await serve(server, NEXT_CARD);
    await serve(victim, NEXT_CARD);
    expect(await copies()).not.toContain(victim);
    expect(await shown("shipping papers export declaration")).toContain(victim);
    // Whoever only registers the words of a card has not said them first as an offer.
    const cards = await register({ name: "Sirocco", description: NEXT_CARD, proven: true });
    const bare = await register({ name: "Levanter", description: "Files." });
    await serve(bare, NEXT_CARD);
    expect(await copies()).not.toContain(cards);
    expect([stranger, server]).toHaveLength(2);
  });

  it("that an agent changes and takes back is the agent's, though a stranger registered it meanwhile", async () => {
    const victim = await register({ name: "Harbour", description: TEXT });
    await change(victim, { description: OTHER });
    const stranger = await register({ name: "Zephyr", description: TEXT, proven: true });
    await change(victim, { description: TEXT });
    expect(await copies()).not.toContain(victim);
    // Without proof of its own the stranger is the copy.
    await query("update offchain.directory set wallet_proven = false where id = $1", [stranger]);
    await follow();
    expect(await copies()).toEqual([stranger]);
    expect(await shown("shipping papers")).toEqual([victim]);
  });

  it("stays an agent's through its removal, and when all documents are written again", async () => {
    const victim = await register({ name: "Harbour", description: TEXT });
    await change(victim, { removed_at: now });
    const stranger = await register({ name: "Zephyr", description: TEXT });
    expect(await copies()).toEqual([]);
    await change(victim, { removed_at: null });
    expect(await copies()).toEqual([stranger]);
    await query("update offchain.directory set created_at = '2020-01-01' where id = $1", [stranger]);
    await query("truncate offchain.discovery_document, offchain.discovery_progress");
    await follow();
    expect(await copies()).toEqual([stranger]);
  });

  it.each([
    ["a long text", TEXT],
    ["a short one", SHORT],
  ])("stays an agent's under a new name, for which a stranger registered it before: %s", async (_, text) => {
    const naming = (name: string) => `${name} ${text} Ask ${name}.`;
    const victim = await register({ name: "Harbour", description: naming("Harbour") });
    await register({ name: "Papers Portside", description: naming("Harbour"), proven: true });
    await register({ name: "Papers Portside", description: naming("Harbour").replaceAll("papers", ""), proven: true });
    await change(victim, { name: "Papers Portside" });
    expect(await copies()).not.toContain(victim);
  });

  it("of few words stays an agent's when it offers more", async () => {
    const victim = await register({ name: "Harbour", description: SHORT });
    const stranger = await register({ name: "Zephyr", description: SHORT });
    expect(await copies()).toEqual([]);
    await serve(stranger, NEXT_CARD);
    await serve(victim, NEXT_CARD);
    expect(await copies()).not.toContain(victim);
  });

  it("is a copy under another name, in the words of the other agent or with the own name in place of its name, without its offers", async () => {
    const victim = await register({ name: "Harbour", description: `Harbour: ${TEXT}` });
    await serve(victim, CARD);
    const verbatim = await register({ name: "Zephyr", description: `Harbour: ${TEXT}` });
    const renamed = await register({ name: "Papers Mistral", description: `Mistral: ${TEXT}` });
    const own = await register({ name: "Mistral", description: `Mistral: ${TEXT}` });
    expect(await copies()).toEqual([verbatim, own]);
    // With a name that is a word of the text it is another text, as it is with one more word.
    expect(await copies()).not.toContain(renamed);
  });

  it("is lost neither by an agent without proof to one that has some, nor by one with proof to one that has none", async () => {
    const first = await register({ name: "Harbour", description: TEXT });
    const proven = await register({ name: "Zephyr", description: TEXT, proven: true });
    const third = await register({ name: "Mistral", description: TEXT, proven: true });
    const fourth = await register({ name: "Sirocco", description: TEXT });
    expect(await copies()).toEqual([third, fourth]);
    expect(await shown("shipping papers")).toEqual([first, proven]);
    await serve(third, CARD);
    expect(await copies()).toEqual([fourth]);
    await query("update offchain.directory set wallet_proven = false where id = $1", [proven]);
    await follow();
    expect(await copies()).toEqual([proven, fourth]);
  });

  it("of an owner's agent elsewhere is no copy here, but one that was sent to the owner is", async () => {
    const owner = "0xowner";
    const text = `${TEXT} Since long ago.`;
    const first = await register({ name: "Harbour", description: text, owner });
    const own = await register({ name: "Harbour", description: text, owner, platform: "helixa" });
    expect(await copies()).toEqual([]);
    const sent = await register({ name: "Zephyr", description: text, owner: "0xthief", platform: "helixa" });
    await query("update offchain.directory set owner_address = $2 where id = $1", [sent, owner]);
    await query(
      `insert into onchain.transfer (id, contract, token_id, "from", "to", transferred_at, block, tx_hash)
       select 'sent', registry, token_id, '0xthief', owner_address, 1, 1, '0x' from offchain.directory where id = $1`,
      [sent],
    );
    await touch(sent);
    expect(await copies()).toEqual([sent]);
    expect([first, own]).toHaveLength(2);
  });

  it("of an owner's agent here is no copy in another registry, where the first is excused and no further one", async () => {
    const owner = "0xowner";
    await register({ name: "Harbour", description: TEXT, owner, platform: "helixa" });
    await register({ name: "Harbour", description: TEXT, owner });
    expect(await copies()).toEqual([]);
    const clone = await register({ name: "Harbour Two", description: TEXT, owner });
    const stranger = await register({ name: "Harbour", description: TEXT });
    expect(await copies()).toEqual([clone, stranger]);
  });

  it("that an agent had early is not forgotten over a hundred later ones, nor is the one before the last", async () => {
    const victim = await register({ name: "Harbour", description: TEXT });
    const digits = (n: number) => [...String(n)].map((digit) => "bdfghjklmn"[Number(digit)]).join("a");
    for (let n = 0; n < 100; n++) await change(victim, { description: `${OTHER} Batch ${digits(n)}.` });
    const [kept] = await query<{ n: number }>("select count(*)::int4 as n from offchain.discovery_first_seen");
    expect(kept!.n).toBeLessThanOrEqual(70);
    const [early, late] = [
      await register({ name: "Zephyr", description: TEXT }),
      await register({ name: "Mistral", description: `${OTHER} Batch ${digits(98)}.` }),
    ];
    await change(victim, { description: `${OTHER} Batch ${digits(98)}.` });
    expect(await copies()).toEqual([late]);
    await change(victim, { description: TEXT });
    expect(await copies()).toEqual([early]);
  });
});

describe("a name", () => {
  it("that an agent changes and takes back is the agent's, though strangers took it and names like it meanwhile", async () => {
    const victim = await register({ name: "Guillemot", description: TEXT, cred: 40 });
    await change(victim, { name: "Auk" });
    const taker = await register({ name: "Guillemot", description: OTHER, cred: 42 });
    const like = await register({ name: "Guillemot v2", description: `${OTHER} And more.`, cred: 42 });
    expect(await flagged("imitation")).toEqual([like]);
    await change(victim, { name: "Guillemot" });
    expect(await shown("guillemot")).toEqual([victim]);
    expect(await flagged("imitation")).toEqual([like]);
    expect([taker]).toHaveLength(1);
  });

  it("of an agent with proof is no imitation of one without, but of one that has some", async () => {
    await register({ name: "Guillemot", description: TEXT });
    const proven = await register({ name: "Guillemot v2", description: OTHER, proven: true });
    expect(await flagged("imitation")).toEqual([]);
    const bare = await register({ name: "Guillemot Official", description: SHORT });
    const third = await register({ name: "Guillemot v3", description: CARD, proven: true });
    expect(await flagged("imitation")).toEqual([bare, third]);
    expect([proven]).toHaveLength(1);
  });

  it("that hundreds are made to look like is found out for the most trusted at once, and for all of them in time", async () => {
    const total = 300;
    const first = await register({ name: "Guillemot", description: TEXT });
    await change(first, { name: "Auk" });
    await query(
      `insert into offchain.directory (platform, agent_id, name, description, owner_address, cred_score, created_at)
       select 'agentverse', n::text, 'Guillemot v' || n, 'Counts auks.', '0xcrowd', (n + 48) % 50, $2
       from generate_series(1, $1::int4) n`,
      [total, now],
    );
    await follow();
    expect(await flagged("imitation")).toEqual([]);
    await query("update offchain.directory set name = 'Guillemot' where id = $1", [first]);
    await transaction(database.pool, (tx) => writeDocuments(tx, [first], now));
    const found = await query<{ imitation: boolean; n: number; least: number; most: number }>(
      `select imitation, count(*)::int4 as n, min(cred) as least, max(cred) as most
       from offchain.discovery_document where disguised group by imitation order by imitation`,
    );
    expect(found.map(({ imitation }) => imitation)).toEqual([false, true]);
    expect(found[0]!.most).toBeLessThanOrEqual(found[1]!.least);
    for (let round = 0; round < 6; round++) await follow();
    expect(await flagged("imitation")).toHaveLength(total);
  });
});

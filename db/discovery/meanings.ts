/** The meanings of agents: which text each has, which texts were sent to the provider of embeddings, and their vectors. */
import type pg from "pg";
import { type Bucket, ofDay } from "../../core/agents/social-proof-allowances.ts";
import { meaningDigest, meaningText, numbersOf, packed, signsOf } from "../../core/discovery/meaning.ts";
import { levelsOf, takeTokens } from "../callers/allowances.ts";
import { deleteInParts } from "../sql/batches.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { knownAgents } from "./known.ts";

const ROWS_PER_STATEMENT = 250;
/** Times that a text is sent without a known answer, and the wait between two of them. */
const MAX_ASKS = 3;
const ASK_AGAIN_MS = 6 * 3_600_000;
/** Vectors of texts that no agent has any more are kept for this long. */
const KEPT_MS = 30 * 86_400_000;

/** The agents that get a vector: those of the highest score. */
const FIRST =
  "select s.id, s.cred_score from offchain.directory_score s where s.cred_score is not null order by s.cred_score desc nulls last, s.id limit $documents";

const UNREAD = statement({
  name: "meanings-unread",
  params: { model: t.text, documents: t.int8, most: t.int8 },
  text: `
    select d.directory_id as id, d.written_at as "writtenAt"
    from (${FIRST}) s join offchain.discovery_document d on d.directory_id = s.id
    left join offchain.discovery_meaning m on m.directory_id = s.id and m.model = $model
    where not d.copy and m.read_at is distinct from d.written_at limit $most`,
  columns: { id: t.int8, writtenAt: t.timestamptz },
});

type ReadRow = { id: number; digest: string; readAt: Date; signs: string | null };
const PUT_READ = statement({
  name: "meanings-put-read",
  params: { model: t.text, rows: t.jsonb<ReadRow[]>() },
  text: `
    insert into offchain.discovery_meaning (directory_id, digest, model, read_at, signs)
    select r.id, decode(r.digest, 'hex'), $model, r."readAt", r.signs::varbit
    from jsonb_to_recordset($rows) as r(id int8, digest text, "readAt" timestamptz, signs text) order by r.id
    on conflict (directory_id) do update set digest = excluded.digest, model = excluded.model,
      read_at = excluded.read_at, signs = excluded.signs`,
});

const KNOWN = statement({
  name: "meanings-known-vectors",
  params: { digests: t.array(t.bytea) },
  text: "select digest, vector from offchain.discovery_vector where digest = any($digests) and vector is not null",
  columns: { digest: t.bytea, vector: t.filtered(t.bytea) },
});

/** An agent with the digest of its text as it is now. */
type Text = { id: number; digest: string; text: string };

async function textsOf(db: Queryable, model: string, ids: readonly number[], now: Date): Promise<Text[]> {
  return (await knownAgents(db, ids, now)).map((agent) => {
    const text = meaningText(agent);
    return { id: agent.id, digest: hexOf(meaningDigest(model, text)), text };
  });
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Writes which text agents have, with the signs of its vector where that is known already. */
async function putTexts(db: Queryable, model: string, texts: readonly (Text & { readAt: Date })[]): Promise<void> {
  if (texts.length === 0) return;
  const known = await KNOWN.rows(db, { digests: texts.map(({ digest }) => Buffer.from(digest, "hex")) });
  const signs = new Map(known.map(({ digest, vector }) => [hexOf(digest), signsOf(numbersOf(vector))]));
  const rows = texts.map(({ id, digest, readAt }) => ({ id, digest, readAt, signs: signs.get(digest) ?? null }));
  await PUT_READ.run(db, { model, rows });
}

/** Whose texts are read: those of the agents with the highest score. */
export type MeaningScope = { model: string; documents: number };

/**
 * Reads texts of agents whose document was written since, and of those without a text of this model.
 * @returns number of texts read, and whether there are more
 */
export async function readTexts(db: Queryable, of: MeaningScope, now: Date): Promise<{ read: number; more: boolean }> {
  const unread = await UNREAD.rows(db, { ...of, most: ROWS_PER_STATEMENT });
  const writtenAt = new Map(unread.map(({ id, writtenAt: at }) => [id, at]));
  const texts = await textsOf(db, of.model, [...writtenAt.keys()], now);
  await putTexts(
    db,
    of.model,
    texts.map((one) => ({ ...one, readAt: writtenAt.get(one.id)! })),
  );
  return { read: texts.length, more: unread.length === ROWS_PER_STATEMENT && texts.length > 0 };
}

const DUE = statement({
  name: "meanings-due",
  params: { model: t.text, documents: t.int8, again: t.timestamptz, most: t.int8 },
  text: `
    select m.digest, min(m.directory_id) as id, min(m.read_at) as "readAt"
    from (${FIRST}) s join offchain.discovery_meaning m on m.directory_id = s.id
    left join offchain.discovery_vector v on v.digest = m.digest
    where m.model = $model and m.signs is null
      and (v.digest is null or (v.answered_at is null and v.asks < ${MAX_ASKS} and v.asked_at < $again))
    group by m.digest order by max(s.cred_score) desc, 2 limit $most`,
  columns: { digest: t.bytea, id: t.filtered(t.int8), readAt: t.filtered(t.timestamptz) },
});

const CLAIM = statement({
  name: "meanings-claim",
  params: { model: t.text, digests: t.array(t.bytea), now: t.timestamptz, again: t.timestamptz },
  text: `
    insert into offchain.discovery_vector as v (digest, model, asked_at, asks)
    select d, $model, $now, 1 from unnest($digests::bytea[]) d order by d
    on conflict (digest) do update set asks = v.asks + 1, asked_at = excluded.asked_at
    where v.answered_at is null and v.asks < ${MAX_ASKS} and v.asked_at < $again
    returning digest`,
  columns: { digest: t.bytea },
});

/** Texts that may be sent, and are noted as sent. */
export type ClaimedTexts = { digest: string; text: string }[];

/**
 * Chooses texts to send, and notes them as sent.
 * Check then write: no vector of the text, and the day's budget, then the note that it was sent and later its vector
 * (`storeVectors`); another worker may send it, or the text change: the note (unique by the text's digest) and the
 * budget are one transaction before it is sent, and the vector belongs to the digest, not to an agent. A text that was
 * answered is never sent again, and one whose answer was lost only after hours and a few times.
 * @param most texts of one call
 */
export async function claimTexts(
  db: pg.Pool,
  of: MeaningScope & { perDay: number; most: number },
  now: Date,
): Promise<ClaimedTexts> {
  const again = new Date(now.getTime() - ASK_AGAIN_MS);
  const budget = textsOfDay(of.perDay, now);
  const left = (await levelsOf(db, [budget.name], now)).get(budget.name)?.level ?? of.perDay;
  const most = Math.min(of.most, Math.floor(left));
  if (most < 1) return [];
  const due = await DUE.rows(db, { model: of.model, documents: of.documents, again, most });
  const readAt = new Map(due.map((row) => [row.id, row.readAt]));
  const wanted = new Set(due.map(({ digest }) => hexOf(digest)));
  const texts = await textsOf(
    db,
    of.model,
    due.map(({ id }) => id),
    now,
  );
  // Changed since, in a way that no word of the document shows.
  const changed = texts.filter(({ digest }) => !wanted.has(digest));
  await putTexts(
    db,
    of.model,
    changed.map((one) => ({ ...one, readAt: readAt.get(one.id)! })),
  );
  const sent = new Map(texts.filter(({ digest }) => wanted.has(digest)).map(({ digest, text }) => [digest, text]));
  if (sent.size === 0) return [];
  const overdrawn = new Error("the budget is used up");
  return transaction(db, async (tx) => {
    const digests = [...sent.keys()].map((digest) => Buffer.from(digest, "hex"));
    const claimed = await CLAIM.rows(tx, { model: of.model, digests, now, again });
    const levels = await takeTokens(tx, [budget], claimed.length, now);
    if (levels.get(budget.name)! < 0) throw overdrawn;
    return claimed.map(({ digest }) => ({ digest: hexOf(digest), text: sent.get(hexOf(digest))! }));
  }).catch((error) => {
    if (error !== overdrawn) throw error;
    return [];
  });
}

const UNCLAIM = statement({
  name: "meanings-unclaim",
  params: { digests: t.array(t.bytea) },
  text: `
    with back as (
      update offchain.discovery_vector set asks = asks - 1
      where digest = any($digests) and answered_at is null and asks > 1)
    delete from offchain.discovery_vector where digest = any($digests) and answered_at is null and asks = 1`,
});

/** Takes claimed texts back: the provider has refused them, and billed nothing. */
export async function unclaimTexts(db: pg.Pool, claimed: ClaimedTexts, perDay: number, now: Date): Promise<void> {
  await transaction(db, async (tx) => {
    await UNCLAIM.run(tx, { digests: claimed.map(({ digest }) => Buffer.from(digest, "hex")) });
    await takeTokens(tx, [textsOfDay(perDay, now)], -claimed.length, now);
  });
}

type Vector = { digest: string; vector: string | null; signs: string | null };
const STORE = statement({
  name: "meanings-store",
  params: { rows: t.jsonb<Vector[]>(), now: t.timestamptz },
  text: `
    with r as (select decode(digest, 'hex') as digest, decode(vector, 'base64') as vector, signs::varbit as signs
      from jsonb_to_recordset($rows) as r(digest text, vector text, signs text)),
    answered as (
      update offchain.discovery_vector v set answered_at = $now, vector = r.vector from r where v.digest = r.digest)
    update offchain.discovery_meaning m set signs = r.signs from r where m.digest = r.digest and r.signs is not null`,
});

/**
 * Stores the answer for claimed texts, in their order. Answers that cannot be used count against `UNUSABLE`.
 * @returns number of agents that have a vector now
 */
export function storeVectors(
  db: pg.Pool,
  claimed: ClaimedTexts,
  vectors: readonly (Float32Array | null)[],
  now: Date,
): Promise<number> {
  const rows = claimed.map(({ digest }, i): Vector => {
    const vector = vectors[i];
    if (!vector) return { digest, vector: null, signs: null };
    const numbers = packed(vector);
    return { digest, vector: Buffer.from(numbers.buffer).toString("base64"), signs: signsOf(numbers) };
  });
  const unusable = rows.filter(({ vector }) => vector === null).length;
  return transaction(db, async (tx) => {
    if (unusable > 0) await takeTokens(tx, [UNUSABLE], unusable, now);
    return STORE.run(tx, { rows, now });
  });
}

const DAY_SECONDS = 86_400;
const textsOfDay = (perDay: number, now: Date): Bucket => ofDay("embeddings:texts", perDay, 1, now);
/** Answers that may be of no use: another size of vectors than is configured would otherwise be paid for every text. */
const MAX_UNUSABLE_PER_DAY = 100;
const UNUSABLE: Bucket = {
  name: "embeddings:unusable",
  most: MAX_UNUSABLE_PER_DAY,
  perSecond: MAX_UNUSABLE_PER_DAY / DAY_SECONDS,
};

/** Whether too many answers of the last day were of no use. */
export async function areUnusable(db: Queryable, now: Date): Promise<boolean> {
  const levels = await levelsOf(db, [UNUSABLE.name], now);
  return (levels.get(UNUSABLE.name)?.level ?? MAX_UNUSABLE_PER_DAY) <= 0;
}

/** Forgets the texts of agents that no longer are among the first, and old vectors that no agent's text has. @returns how many */
export async function forgetMeanings(db: Queryable, documents: number, now: Date): Promise<number> {
  const texts = await deleteInParts(
    db,
    "offchain.discovery_meaning",
    `directory_id not in (select id from (${FIRST.replace("$documents", "$1")}) s)`,
    [documents],
  );
  const vectors = await deleteInParts(
    db,
    "offchain.discovery_vector",
    `asked_at < $1 and not exists (
      select from offchain.discovery_meaning m where m.digest = offchain.discovery_vector.digest)`,
    [new Date(now.getTime() - KEPT_MS)],
  );
  return texts + vectors;
}

/** Agents by their vector: `found` have one, `waiting` were not sent yet, `missing` were sent and have no usable answer. */
export const countMeanings = statement({
  name: "meanings-counts",
  params: { model: t.text },
  text: `
    select count(*) filter (where m.signs is not null) as found, count(*) filter (where v.digest is null) as waiting,
      count(*) filter (where v.digest is not null and m.signs is null) as missing
    from offchain.discovery_meaning m left join offchain.discovery_vector v on v.digest = m.digest
    where m.model = $model`,
  columns: { found: t.int8, waiting: t.int8, missing: t.int8 },
}).one;

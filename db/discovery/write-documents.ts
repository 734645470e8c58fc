/** Writes documents of rows of the directory: the only writer of `discovery_document`. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { type DocumentText, documentText, tsvectorOf } from "../../core/discovery/document.ts";
import * as filterLexemes from "../../core/discovery/filter-lexemes.ts";
import { imitates, isDisguised } from "../../core/discovery/look-alikes.ts";
import { IMITATION_QUALITY } from "../../core/discovery/text-quality.ts";
import { factorValues, trustOf } from "../../core/discovery/weights.ts";
import { array, bool, int8, jsonb, nullable, statement, text as textType, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { type KnownAgent, knownAgents } from "./known.ts";
import { addWords, stemsFor } from "./stems.ts";

/** Max disguised names that are checked again in one transaction. */
const MAX_DISGUISED = 250;

type WrittenDocument = { agent: KnownAgent; text: DocumentText; textSince: Date; nameSince: Date };

/**
 * Brings the documents of rows up to date, and removes those of removed rows. Part of the caller's transaction.
 * @param ids at most a thousand
 */
export async function writeDocuments(tx: Queryable, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length > 0) await writeRead(tx, await readDocuments(tx, ids, now), now);
}

/** What rows say and what is known about them: most of the work of a document. */
export type ReadDocuments = { ids: readonly number[]; agents: readonly { agent: KnownAgent; text: DocumentText }[] };

/** Reads rows whose documents are to be written. @param ids at most a thousand */
export async function readDocuments(db: Queryable, ids: readonly number[], now: Date): Promise<ReadDocuments> {
  const agents = await knownAgents(db, ids, now);
  return { ids, agents: agents.map((agent) => ({ agent, text: documentText(agent, agent.operator) })) };
}

/** `writeDocuments` of rows that were read just before. Part of the caller's transaction. */
export async function writeRead(tx: Queryable, read: ReadDocuments, now: Date): Promise<void> {
  const touched = await write(tx, read, now);
  // The first of equal texts is the original. Where another one is the first now, both documents are written again; so are
  // documents with disguised names, because an older agent may have got such a name.
  const changed = [
    ...(touched.texts.length === 0 ? [] : await MISTAKEN.rows(tx, { keys: touched.texts })),
    ...(touched.names.length === 0 ? [] : await DISGUISED.rows(tx, { keys: touched.names })),
  ];
  if (changed.length > 0) await write(tx, await readDocuments(tx, [...new Set(changed.map(({ id }) => id))], now), now);
}

/** @returns keys of texts that the rows have, or had, and of their names */
async function write(
  tx: Queryable,
  { ids, agents }: ReadDocuments,
  now: Date,
): Promise<{ texts: number[]; names: number[] }> {
  const before = await KEYS.rows(tx, { ids });
  const shown = new Set(agents.map(({ agent }) => agent.id));
  const gone = ids.filter((id) => !shown.has(id));
  if (gone.length > 0) await REMOVE.run(tx, { ids: gone });
  const isFirstFill = (await FILLING.maybeOne(tx))?.filling ?? true;
  const known = new Map(before.map((one) => [one.id, one]));
  const written = agents.map(({ agent, text }) => {
    const had = known.get(agent.id);
    // Of a row that is older than the documents, only the time of its registration is known.
    const sinceOf = (isSame: boolean | undefined, since: Date | null | undefined) =>
      ((isSame ?? isFirstFill) && (since ?? agent.registeredAt)) || now;
    const textSince = sinceOf(had && had.key === text.textKey, had?.since);
    const nameSince = sinceOf(had && had.nameKey === text.nameKey, had?.nameSince);
    return { agent, text, textSince, nameSince };
  });
  const keys = written.flatMap(({ text }) => (text.textKey === null ? [] : [text.textKey]));
  const originals = await originalsOf(tx, written, keys);
  const copies = await copiesOf(tx, written, originals);
  const words = written.flatMap(({ text }) => text.words.map(({ word }) => word));
  const stems = await stemsFor(tx, words);
  await addWords(tx, words, stems);
  const imitations = await imitationsOf(tx, written);
  const rows = written.map((one) =>
    rowOf(one, stems, { copy: copies.has(one.agent.id), imitation: imitations.has(one.agent.id) }),
  );
  if (rows.length > 0) await PUT.run(tx, { rows, now });
  const distinct = (some: readonly (number | null)[]) => [...new Set(some)].filter((key) => key !== null);
  return {
    texts: distinct([...keys, ...before.map(({ key }) => key)]),
    names: distinct(written.map(({ text }) => text.nameKey)),
  };
}

type Original = { id: number; since: number; at: number };
const age = (at: Date | null) => at?.getTime() ?? Number.MAX_SAFE_INTEGER;
const isEarlier = (a: Original, b: Original) => a.since - b.since || a.at - b.at || a.id - b.id;

/** The first document of each text, among the stored ones and those being written. */
async function originalsOf(tx: Queryable, written: readonly WrittenDocument[], keys: readonly number[]) {
  const originals = new Map<number, Original>();
  const add = (key: number, one: Original) => {
    const known = originals.get(key);
    if (!known || isEarlier(one, known) < 0) originals.set(key, one);
  };
  if (keys.length > 0)
    for (const { key, id, since, at } of await FIRST.rows(tx, { keys, except: written.map(({ agent }) => agent.id) }))
      add(key, { id, since: age(since), at: age(at) });
  for (const { agent, text, textSince } of written)
    if (text.textKey !== null) add(text.textKey, { id: agent.id, since: age(textSince), at: age(agent.registeredAt) });
  return originals;
}

/** Ids of agents whose texts others had first; an owner's agent here is no copy of the owner's row of another registry. */
async function copiesOf(tx: Queryable, written: readonly WrittenDocument[], originals: ReadonlyMap<number, Original>) {
  const later = written.flatMap(({ agent: { id, platform }, text: { textKey: key } }) => {
    const original = key === null ? undefined : originals.get(key);
    return original && original.id !== id ? [{ id, key: key!, platform, original: original.id }] : [];
  });
  const asked = later.filter(({ platform }) => platform === OWN_PLATFORM);
  const own = asked.length === 0 ? [] : await OF_ONE_OWNER.rows(tx, { asked });
  const exempt = new Set(own.map(({ id }) => id));
  return new Set(later.map(({ id }) => id).filter((id) => !exempt.has(id)));
}

/** Ids of agents whose names imitate the oldest one's of their key. */
async function imitationsOf(tx: Queryable, written: readonly WrittenDocument[]): Promise<Set<number>> {
  const asked = written.flatMap(
    ({ agent: { id, operator: owner, name, registeredAt }, text: { nameKey: key }, nameSince: at }) =>
      key !== null && isDisguised(name) ? [{ id, key, owner, at, registeredAt }] : [],
  );
  if (asked.length === 0) return new Set();
  const names = new Map(written.map(({ agent }) => [agent.id, agent.name]));
  const older = await OLDER_OF_NAME.rows(tx, { asked });
  return new Set(older.filter(({ id, name }) => imitates(names.get(id)!, name)).map(({ id }) => id));
}

function rowOf(
  { agent, text: { words, quality, ...keys }, textSince, nameSince }: WrittenDocument,
  stems: ReadonlyMap<string, string>,
  { copy, imitation }: { copy: boolean; imitation: boolean },
) {
  const textQuality = imitation ? Math.min(quality, IMITATION_QUALITY) : quality;
  const factors = factorValues({ ...agent.known, textQuality, copy });
  const trust = trustOf(factors);
  const { id, platform, chainId, verified, speaks, priceUsd, operator: owner, registeredAt } = agent;
  const lexemes = [
    filterLexemes.platformLexeme(platform),
    filterLexemes.verifiedLexeme(verified),
    ...speaks.map(filterLexemes.protocolLexeme),
    ...(chainId === null ? [] : [filterLexemes.chainLexeme(chainId)]),
    ...(priceUsd === null ? [] : [filterLexemes.pricedLexeme]),
  ];
  return {
    id,
    words: tsvectorOf(words, lexemes, stems),
    trust,
    factors,
    platform,
    chainId,
    cred: agent.known.cred,
    verified,
    speaks: PROTOCOLS.reduce((bits, protocol, i) => bits | (speaks.includes(protocol) ? 1 << i : 0), 0),
    priceUsd,
    owner,
    ...keys,
    textSince: keys.textKey === null ? null : textSince,
    nameSince: keys.nameKey === null ? null : nameSince,
    copy,
    disguised: isDisguised(agent.name),
    imitation,
    registeredAt,
  };
}

const KEYS = statement({
  name: "discovery-keys",
  params: { ids: array(int8) },
  text: `
    select directory_id as id, text_key as key, text_since as since, name_key as "nameKey", name_since as "nameSince"
    from offchain.discovery_document
    where directory_id = any($ids)
    union all
    select r.directory_id, r.text_key, r.text_since, r.name_key, r.name_since
    from offchain.discovery_removed r
    where r.directory_id = any($ids)
      and not exists (select from offchain.discovery_document d where d.directory_id = r.directory_id)`,
  columns: {
    id: int8,
    key: nullable(int8),
    since: nullable(timestamptz),
    nameKey: nullable(int8),
    nameSince: nullable(timestamptz),
  },
  prepared: true,
});

const FILLING = statement({
  name: "discovery-filling",
  text: "select filled_to is not null as filling from offchain.discovery_progress",
  columns: { filling: bool },
  prepared: true,
});

const REMOVE = statement({
  name: "discovery-remove",
  params: { ids: array(int8) },
  text: `
    with gone as (delete from offchain.discovery_document where directory_id = any($ids) returning *)
    insert into offchain.discovery_removed (directory_id, text_key, text_since, name_key, name_since)
    select directory_id, text_key, text_since, name_key, name_since from gone order by directory_id
    on conflict (directory_id) do update set text_key = excluded.text_key, text_since = excluded.text_since,
      name_key = excluded.name_key, name_since = excluded.name_since`,
});

/** The order of documents of one text: the one that had it first, then the older one. */
const BY_TEXT = "coalesce(d.text_since, d.registered_at), d.registered_at, d.directory_id";

const FIRST = statement({
  name: "discovery-first-of-text",
  params: { keys: array(int8), except: array(int8) },
  text: `
    select k.key, o.directory_id as id, coalesce(o.text_since, o.registered_at) as since, o.registered_at as at
    from (select distinct unnest($keys::int8[]) as key) k, lateral (
      select d.directory_id, d.text_since, d.registered_at from offchain.discovery_document d
      where d.text_key = k.key and not d.directory_id = any($except)
      order by ${BY_TEXT} limit 1) o`,
  columns: { key: int8, id: int8, since: nullable(timestamptz), at: nullable(timestamptz) },
  prepared: true,
});

/** Agents of the service whose original is a row of the same owner or proven wallet: of each owner and text the first one. */
const OF_ONE_OWNER = statement({
  name: "discovery-of-one-owner",
  params: { asked: jsonb<{ id: number; key: number; original: number }[]>() },
  text: `
    select a.id from jsonb_to_recordset($asked) as a(id int8, key int8, original int8)
    join offchain.directory d on d.id = a.id
    join offchain.directory o on o.id = a.original
    left join offchain.directory_alias w on w.directory_id = d.id
    left join offchain.directory_alias v on v.directory_id = o.id
    where (d.owner_address = o.owner_address or w.wallet in (o.owner_address, v.wallet) or d.owner_address = v.wallet)
      and not exists (
        select from offchain.discovery_document e
        where e.text_key = a.key and e.platform = d.platform and e.owner = d.owner_address and e.directory_id < d.id)`,
  columns: { id: int8 },
});

/** Disguised names of a few keys that are held for no imitation. */
const DISGUISED = statement({
  name: "discovery-disguised",
  params: { keys: array(int8) },
  text: `
    select d.directory_id as id from offchain.discovery_document d
    where d.name_key = any($keys) and d.disguised and not d.imitation
    limit ${MAX_DISGUISED}`,
  columns: { id: int8 },
});

/** The document that had each name first, where it had it before the one asked about and is another owner's. */
const OLDER_OF_NAME = statement({
  name: "discovery-older-of-name",
  params: { asked: jsonb<{ id: number; key: number; owner: string | null; at: Date; registeredAt: Date | null }[]>() },
  text: `
    select a.id, r.name
    from jsonb_to_recordset($asked) as a(id int8, key int8, owner text, at timestamptz, "registeredAt" timestamptz), lateral (
      select d.directory_id, d.owner, coalesce(d.name_since, d.registered_at) as since, d.registered_at from offchain.discovery_document d
      where d.name_key = a.key and d.directory_id <> a.id
      order by coalesce(d.name_since, d.registered_at), d.registered_at, d.directory_id limit 1) o
    join offchain.directory r on r.id = o.directory_id
    where (o.owner = a.owner) is not true
      and (o.since, coalesce(o.registered_at, 'infinity')) < (a.at, coalesce(a."registeredAt", 'infinity'))`,
  columns: { id: int8, name: textType },
});

/** Documents that are held for copies and are the first, or that are held for the original and are not. */
const MISTAKEN = statement({
  name: "discovery-mistaken",
  params: { keys: array(int8) },
  text: `
    select d.directory_id as id
    from (select distinct unnest($keys::int8[]) as key) k
    cross join lateral (
      select d.directory_id from offchain.discovery_document d where d.text_key = k.key
      order by ${BY_TEXT} limit 1) o
    join offchain.discovery_document d on d.text_key = k.key and d.copy = (d.directory_id = o.directory_id)`,
  columns: { id: int8 },
});

const PUT = statement({
  name: "discovery-put",
  params: { rows: jsonb<ReturnType<typeof rowOf>[]>(), now: timestamptz },
  text: `
    insert into offchain.discovery_document as d (directory_id, words, trust, factors, platform, chain_id, cred, verified,
      speaks, price_usd, owner, name_key, text_key, sibling_key, text_since, name_since, simhash, copy, disguised, imitation, registered_at, written_at)
    select r.id, r.words::tsvector, r.trust, r.factors, r.platform, r."chainId", r.cred, r.verified, r.speaks, r."priceUsd",
      r.owner, r."nameKey", r."textKey", r."siblingKey", r."textSince", r."nameSince", r.simhash, r.copy, r.disguised, r.imitation, r."registeredAt",
      $now
    from jsonb_to_recordset($rows) as r(id int8, words text, trust int2, factors int2[], platform text, "chainId" int4,
      cred int2, verified bool, speaks int2, "priceUsd" float8, owner text, "nameKey" int8, "textKey" int8, "siblingKey" int8, "textSince" timestamptz, "nameSince" timestamptz, simhash int8,
      copy bool, disguised bool, imitation bool, "registeredAt" timestamptz)
    order by r.id
    on conflict (directory_id) do update set words = excluded.words, trust = excluded.trust, factors = excluded.factors,
      platform = excluded.platform, chain_id = excluded.chain_id, cred = excluded.cred, verified = excluded.verified,
      speaks = excluded.speaks, price_usd = excluded.price_usd, owner = excluded.owner, name_key = excluded.name_key,
      text_key = excluded.text_key, sibling_key = excluded.sibling_key, text_since = excluded.text_since,
      name_since = excluded.name_since, simhash = excluded.simhash, copy = excluded.copy, disguised = excluded.disguised,
      imitation = excluded.imitation,
      registered_at = excluded.registered_at, written_at = excluded.written_at
    where (d.words, d.trust, d.factors, d.platform, d.chain_id, d.cred, d.verified, d.speaks, d.price_usd, d.owner,
        d.name_key, d.text_key, d.sibling_key, d.text_since, d.name_since, d.simhash, d.copy, d.disguised, d.imitation,
        d.registered_at)
      is distinct from (excluded.words, excluded.trust, excluded.factors, excluded.platform, excluded.chain_id,
        excluded.cred, excluded.verified, excluded.speaks, excluded.price_usd, excluded.owner, excluded.name_key,
        excluded.text_key, excluded.sibling_key, excluded.text_since, excluded.name_since, excluded.simhash, excluded.copy, excluded.disguised, excluded.imitation,
        excluded.registered_at)`,
});

/** Writes documents of rows of the directory: the only writer of `discovery_document`. */
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { type DocumentText, documentText, tsvectorOf } from "../../core/discovery/document.ts";
import * as marks from "../../core/discovery/marks.ts";
import { factorValues, trustOf } from "../../core/discovery/ranking.ts";
import { array, int8, jsonb, nullable, statement, timestamptz } from "../statement.ts";
import type { Queryable } from "../transaction.ts";
import { type KnownAgent, knownAgents } from "./known.ts";
import { addWords, stemsFor } from "./stems.ts";

type Written = { agent: KnownAgent; text: DocumentText };

/**
 * Brings the documents of rows up to date, and removes those of removed rows. Part of the caller's transaction.
 * @param ids at most a few hundred
 * @returns what to call once the transaction is committed
 */
export async function writeDocuments(tx: Queryable, ids: readonly number[], now: Date): Promise<() => void> {
  const committed: (() => void)[] = [];
  if (ids.length === 0) return () => {};
  const touched = await write(tx, ids, now, committed);
  // The oldest of equal texts is the original. Where another one is so now, both it and its successor are written anew.
  const changed = touched.length === 0 ? [] : await MISTAKEN.rows(tx, { keys: touched });
  if (changed.length > 0)
    await write(
      tx,
      changed.map(({ id }) => id),
      now,
      committed,
    );
  return () => {
    for (const done of committed) done();
  };
}

/** @returns keys of texts that the rows have, or had */
async function write(tx: Queryable, ids: readonly number[], now: Date, committed: (() => void)[]): Promise<number[]> {
  const agents = await knownAgents(tx, ids, now);
  const before = await KEYS.rows(tx, { ids });
  const shown = new Set(agents.map(({ id }) => id));
  const gone = ids.filter((id) => !shown.has(id));
  if (gone.length > 0) await REMOVE.run(tx, { ids: gone });
  const written = agents.map((agent) => ({ agent, text: documentText(agent) }));
  const keys = written.flatMap(({ text }) => (text.textKey === null ? [] : [text.textKey]));
  const originals = await originalsOf(tx, written, keys);
  const words = written.flatMap(({ text }) => text.words.map(({ word }) => word));
  const stems = await stemsFor(tx, words);
  committed.push(await addWords(tx, words));
  const rows = written.map((one) => rowOf(one, stems, isCopy(one, originals)));
  if (rows.length > 0) await PUT.run(tx, { rows, now });
  return [...new Set([...keys, ...before.flatMap(({ key }) => (key === null ? [] : [key]))])];
}

type Original = { id: number; at: number };
const age = (at: Date | null) => at?.getTime() ?? Number.MAX_SAFE_INTEGER;
const isOlder = (a: Original, b: Original) => a.at < b.at || (a.at === b.at && a.id < b.id);

/** The oldest document of each text, among the stored ones and those being written. */
async function originalsOf(tx: Queryable, written: readonly Written[], keys: readonly number[]) {
  const originals = new Map<number, Original>();
  const add = (key: number, one: Original) => {
    const known = originals.get(key);
    if (!known || isOlder(one, known)) originals.set(key, one);
  };
  if (keys.length > 0)
    for (const { key, id, at } of await OLDEST.rows(tx, { keys, except: written.map(({ agent }) => agent.id) }))
      add(key, { id, at: age(at) });
  for (const { agent, text } of written)
    if (text.textKey !== null) add(text.textKey, { id: agent.id, at: age(agent.registeredAt) });
  return originals;
}

const isCopy = ({ agent, text }: Written, originals: ReadonlyMap<number, Original>) =>
  text.textKey !== null && originals.get(text.textKey)?.id !== agent.id;

function rowOf(
  { agent, text: { words, quality, ...keys } }: Written,
  stems: ReadonlyMap<string, string>,
  copy: boolean,
) {
  const factors = factorValues({ ...agent.known, textQuality: quality, copy });
  const trust = trustOf(factors);
  const { id, platform, chainId, verified, speaks, priceUsd, owner, registeredAt } = agent;
  const marked = [
    marks.trustMark(marks.trustRange(trust)),
    marks.platformMark(platform),
    marks.verifiedMark(verified),
    ...speaks.map(marks.protocolMark),
    ...(chainId === null ? [] : [marks.chainMark(chainId)]),
    ...(priceUsd === null ? [] : [marks.pricedMark]),
  ];
  return {
    id,
    words: tsvectorOf(words, marked, stems),
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
    copy,
    registeredAt,
  };
}

const KEYS = statement({
  name: "discovery-keys",
  params: { ids: array(int8) },
  text: `select text_key as key from offchain.discovery_document where directory_id = any($ids) and text_key is not null`,
  columns: { key: nullable(int8) },
  prepared: true,
});

const REMOVE = statement({
  name: "discovery-remove",
  params: { ids: array(int8) },
  text: "delete from offchain.discovery_document where directory_id = any($ids)",
});

const OLDEST = statement({
  name: "discovery-oldest",
  params: { keys: array(int8), except: array(int8) },
  text: `
    select k.key, o.directory_id as id, o.registered_at as at
    from (select distinct unnest($keys::int8[]) as key) k, lateral (
      select d.directory_id, d.registered_at from offchain.discovery_document d
      where d.text_key = k.key and not d.directory_id = any($except)
      order by d.registered_at, d.directory_id limit 1) o`,
  columns: { key: int8, id: int8, at: nullable(timestamptz) },
  prepared: true,
});

/** Documents that are held for copies and are the oldest, or that are held for the original and are not. */
const MISTAKEN = statement({
  name: "discovery-mistaken",
  params: { keys: array(int8) },
  text: `
    select d.directory_id as id
    from (select distinct unnest($keys::int8[]) as key) k
    cross join lateral (
      select d.directory_id from offchain.discovery_document d where d.text_key = k.key
      order by d.registered_at, d.directory_id limit 1) o
    join offchain.discovery_document d on d.text_key = k.key and d.copy = (d.directory_id = o.directory_id)`,
  columns: { id: int8 },
});

const PUT = statement({
  name: "discovery-put",
  params: { rows: jsonb<ReturnType<typeof rowOf>[]>(), now: timestamptz },
  text: `
    insert into offchain.discovery_document as d (directory_id, words, trust, factors, platform, chain_id, cred, verified,
      speaks, price_usd, owner, name_key, text_key, simhash, copy, registered_at, written_at)
    select r.id, r.words::tsvector, r.trust, r.factors, r.platform, r."chainId", r.cred, r.verified, r.speaks, r."priceUsd",
      r.owner, r."nameKey", r."textKey", r.simhash, r.copy, r."registeredAt", $now
    from jsonb_to_recordset($rows) as r(id int8, words text, trust int2, factors int2[], platform text, "chainId" int4,
      cred int2, verified bool, speaks int2, "priceUsd" float8, owner text, "nameKey" int8, "textKey" int8, simhash int8,
      copy bool, "registeredAt" timestamptz)
    order by r.id
    on conflict (directory_id) do update set words = excluded.words, trust = excluded.trust, factors = excluded.factors,
      platform = excluded.platform, chain_id = excluded.chain_id, cred = excluded.cred, verified = excluded.verified,
      speaks = excluded.speaks, price_usd = excluded.price_usd, owner = excluded.owner, name_key = excluded.name_key,
      text_key = excluded.text_key, simhash = excluded.simhash, copy = excluded.copy,
      registered_at = excluded.registered_at, written_at = excluded.written_at
    where (d.words, d.trust, d.factors, d.platform, d.chain_id, d.cred, d.verified, d.speaks, d.price_usd, d.owner,
        d.name_key, d.text_key, d.simhash, d.copy, d.registered_at)
      is distinct from (excluded.words, excluded.trust, excluded.factors, excluded.platform, excluded.chain_id,
        excluded.cred, excluded.verified, excluded.speaks, excluded.price_usd, excluded.owner, excluded.name_key,
        excluded.text_key, excluded.simhash, excluded.copy, excluded.registered_at)`,
});

/** Writes documents of rows of the directory: the only writer of `discovery_document`. */
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { type DocumentText, documentText, tsvectorOf } from "../../core/discovery/document.ts";
import * as filterLexemes from "../../core/discovery/filter-lexemes.ts";
import { imitates, isDisguised } from "../../core/discovery/look-alikes.ts";
import { IMITATION_QUALITY } from "../../core/discovery/text-quality.ts";
import { factorValues, trustOf } from "../../core/discovery/weights.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { type FirstSeen, originalsOf, type Recorded, recordKeys } from "./first-seen.ts";
import { type KnownAgent, knownAgents } from "./known.ts";
import { addWords, stemsFor } from "./stems.ts";

/** Max documents of disguised names that one transaction writes again because another row is the first of the name. */
const MAX_DISGUISED = 250;
/** Documents. */
const MAX_AT_ONCE = 1_000;

type WrittenDocument = { agent: KnownAgent; text: DocumentText };

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

/**
 * `writeDocuments` of rows that were read just before. Part of the caller's transaction. Where another row is the first of a
 * text or a name now, the documents of both are written again, and those of disguised names that look like it.
 * Bound: a row has at most seven keys and each has two first rows, before and after; of disguised names `MAX_DISGUISED`, the most
 * trusted first. What is beyond it is written by the round that writes all documents again (`REFRESH_ROUND_MS`).
 */
export async function writeRead(tx: Queryable, read: ReadDocuments, now: Date): Promise<void> {
  const done = new Set(read.ids);
  const { changed, changedKeys } = await write(tx, read, now);
  const disguised = changedKeys.length === 0 ? [] : await DISGUISED.rows(tx, { keys: changedKeys });
  const waiting = new Set([...changed, ...disguised.map(({ id }) => id)]).difference(done);
  while (waiting.size > 0) {
    const ids = waiting.values().take(MAX_AT_ONCE).toArray();
    for (const id of ids) {
      waiting.delete(id);
      done.add(id);
    }
    // These rows may have changed too, and their own turn would find nothing new.
    const further = await write(tx, await readDocuments(tx, ids, now), now);
    for (const id of further.changed) if (!done.has(id)) waiting.add(id);
  }
}

/** Writes documents. @returns what follows for those of other rows */
async function write(tx: Queryable, { ids, agents }: ReadDocuments, now: Date): Promise<Recorded> {
  const shown = new Set(agents.map(({ agent }) => agent.id));
  const gone = ids.filter((id) => !shown.has(id));
  if (gone.length > 0) await REMOVE.run(tx, { ids: gone });
  const isFirstFill = (await FILLING.value(tx)) ?? true;
  const keyed = agents.map(({ agent: { id, backed, registeredAt }, text: { nameKey, textKeys } }) => ({
    ...{ id, backed, registeredAt, nameKey, textKeys },
  }));
  const recorded = await recordKeys(tx, ids, keyed, { now, isFirstFill });
  const { firstSeen } = recorded;
  const copies = await copiesOf(tx, agents, await originalsOf(tx, keyed, firstSeen));
  const words = agents.flatMap(({ text }) => text.words.map(({ word }) => word));
  const stems = await stemsFor(tx, words);
  await addWords(tx, stems);
  const imitations = await imitationsOf(tx, agents, firstSeen);
  const rows = agents.map((one) =>
    rowOf(one, stems, {
      copy: copies.has(one.agent.id),
      imitation: imitations.has(one.agent.id),
      nameSince: firstSeen.since(one.agent.id, one.text.nameKey),
    }),
  );
  if (rows.length > 0) await PUT.run(tx, { rows, now });
  return recorded;
}

/**
 * Ids of agents whose texts others had first. The registrations of one owner in several registries are one agent: the first in
 * each registry is no copy of that in another. One whose token was transferred has no known owner: a copy could be sent to
 * whose text it has.
 */
async function copiesOf(tx: Queryable, written: readonly WrittenDocument[], originals: ReadonlyMap<number, number>) {
  const lookups = written.flatMap(({ agent: { id, operator }, text: { textKeys } }) => {
    const original = originals.get(id);
    return original === undefined || operator === null ? [] : [{ id, key: textKeys.sets[0]!.at(-1)!, original }];
  });
  const own = lookups.length === 0 ? [] : await OF_ONE_OWNER.rows(tx, { asked: lookups });
  return new Set(originals.keys()).difference(new Set(own.map(({ id }) => id)));
}

/** Ids of agents whose names imitate the name of the row that had their key first. */
async function imitationsOf(tx: Queryable, written: readonly WrittenDocument[], firstSeen: FirstSeen) {
  const lookups = written.flatMap(({ agent, text: { nameKey } }) => {
    const first = nameKey === null || !isDisguised(agent.name) ? null : firstSeen.before(agent, nameKey);
    return first === null ? [] : [{ agent, first }];
  });
  if (lookups.length === 0) return new Set();
  const stored = await NAMED.rows(tx, { ids: [...new Set(lookups.map(({ first }) => first))] });
  const named = new Map(stored.map((one) => [one.id, one]));
  for (const { agent } of written) named.set(agent.id, { id: agent.id, name: agent.name, owner: agent.operator });
  return new Set(
    lookups.flatMap(({ agent: { id, name, operator }, first }) => {
      const other = named.get(first);
      const isOthers = other && (other.owner === null || other.owner !== operator);
      return isOthers && imitates(name, other.name) ? [id] : [];
    }),
  );
}

function rowOf(
  { agent, text: { words, quality, textKeys, ...keys } }: WrittenDocument,
  stems: ReadonlyMap<string, string>,
  { copy, imitation, nameSince }: { copy: boolean; imitation: boolean; nameSince: Date | null },
) {
  const textQuality = imitation ? Math.min(quality, IMITATION_QUALITY) : quality;
  const factors = factorValues({ ...agent.known, textQuality, copy });
  const trust = trustOf(factors);
  const { id, platform, chainId, verified, active, speaks, priceUsd, operator: owner, registeredAt } = agent;
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
    active,
    speaks: PROTOCOLS.reduce((bits, protocol, i) => bits | (speaks.includes(protocol) ? 1 << i : 0), 0),
    priceUsd,
    owner,
    ...keys,
    textKeys: textKeys.keys.map(({ key }) => key),
    nameSince,
    copy,
    disguised: isDisguised(agent.name),
    imitation,
    registeredAt,
  };
}

const FILLING = statement({
  name: "discovery-filling",
  text: "select filled_to is not null as filling from offchain.discovery_progress",
  columns: { filling: t.bool },
  prepared: true,
});

const REMOVE = statement({
  name: "discovery-remove",
  params: { ids: t.array(t.int8) },
  text: "delete from offchain.discovery_document where directory_id = any($ids)",
});

/** Agents whose original is a row of the same owner or proven wallet: of each owner, text and registry the first one. */
const OF_ONE_OWNER = statement({
  name: "discovery-of-one-owner",
  params: { asked: t.records({ id: t.int8, key: t.int8, original: t.int8 }) },
  text: `
    select a.id from (select * from $asked) a join offchain.directory d on d.id = a.id
    join offchain.directory o on o.id = a.original
    left join offchain.directory_alias w on w.directory_id = d.id
    left join offchain.directory_alias v on v.directory_id = o.id
    where (d.owner_address = o.owner_address or w.wallet in (o.owner_address, v.wallet) or d.owner_address = v.wallet)
      and not exists (
        select from offchain.directory e
        join offchain.discovery_first_seen f on f.directory_id = e.id and f.key = a.key and f.left_at is null
        where e.owner_address collate "C" = d.owner_address and e.platform = d.platform and e.id < d.id)`,
  columns: { id: t.int8 },
});

/** Documents of disguised names, by the keys of the names. */
const DISGUISED = statement({
  name: "discovery-disguised",
  params: { keys: t.array(t.int8) },
  text: `
    select d.directory_id as id from offchain.discovery_document d
    where d.name_key = any($keys) and d.disguised order by d.trust desc, d.directory_id limit ${MAX_DISGUISED}`,
  columns: { id: t.int8 },
});

const NAMED = statement({
  name: "discovery-named",
  params: { ids: t.array(t.int8) },
  text: `
    select r.id, r.name, d.owner from offchain.directory r
    left join offchain.discovery_document d on d.directory_id = r.id where r.id = any($ids)`,
  columns: { id: t.int8, name: t.text, owner: t.nullable(t.text) },
});

const PUT = statement({
  name: "discovery-put",
  params: { rows: t.jsonb<ReturnType<typeof rowOf>[]>(), now: t.timestamptz },
  text: `
    insert into offchain.discovery_document as d (directory_id, words, trust, factors, platform, chain_id, cred, verified, active,
      speaks, price_usd, owner, name_key, text_keys, sibling_key, name_since, simhash, copy, disguised, imitation, registered_at, written_at)
    select r.id, r.words::tsvector, r.trust, r.factors, r.platform, r."chainId", r.cred, r.verified, r.active, r.speaks, r."priceUsd",
      r.owner, r."nameKey", r."textKeys", r."siblingKey", r."nameSince", r.simhash, r.copy, r.disguised, r.imitation, r."registeredAt",
      $now
    from jsonb_to_recordset($rows) as r(id int8, words text, trust int2, factors int2[], platform text, "chainId" int4,
      cred int2, verified bool, active bool, speaks int2, "priceUsd" float8, owner text, "nameKey" int8, "textKeys" int8[], "siblingKey" int8, "nameSince" timestamptz, simhash int8,
      copy bool, disguised bool, imitation bool, "registeredAt" timestamptz)
    order by r.id
    on conflict (directory_id) do update set words = excluded.words, trust = excluded.trust, factors = excluded.factors,
      platform = excluded.platform, chain_id = excluded.chain_id, cred = excluded.cred, verified = excluded.verified, active = excluded.active,
      speaks = excluded.speaks, price_usd = excluded.price_usd, owner = excluded.owner, name_key = excluded.name_key,
      text_keys = excluded.text_keys, sibling_key = excluded.sibling_key, name_since = excluded.name_since, simhash = excluded.simhash, copy = excluded.copy, disguised = excluded.disguised,
      imitation = excluded.imitation,
      registered_at = excluded.registered_at, written_at = excluded.written_at
    where (d.words, d.trust, d.factors, d.platform, d.chain_id, d.cred, d.verified, d.active, d.speaks, d.price_usd, d.owner,
        d.name_key, d.text_keys, d.sibling_key, d.name_since, d.simhash, d.copy, d.disguised, d.imitation,
        d.registered_at)
      is distinct from (excluded.words, excluded.trust, excluded.factors, excluded.platform, excluded.chain_id,
        excluded.cred, excluded.verified, excluded.active, excluded.speaks, excluded.price_usd, excluded.owner, excluded.name_key,
        excluded.text_keys, excluded.sibling_key, excluded.name_since, excluded.simhash, excluded.copy, excluded.disguised, excluded.imitation,
        excluded.registered_at)`,
});

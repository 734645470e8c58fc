/** The files that reviews name: which are listed, which are due in whose turn, and what was read of them. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { FileState, ProofClaim } from "../../core/reviews/feedback-files.ts";
import { MAX_ENTRIES } from "../../core/reviews/rules.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { AGENTS } from "./review-facts.ts";

/** What the file of a review `f` was read from. */
export const FILE_DIGEST = "md5(f.feedback_uri || ' ' || f.feedback_hash || ' ' || f.given_at)";
export const OF_REVIEW =
  "f.registry = r.registry and f.agent_id = r.agent_id and f.client = r.client and f.feedback_index = r.feedback_index";

/** Agents with reviews that were weighed and whose files are not listed yet. */
export const unlistedAgents = statement({
  name: "review-files-agents",
  params: { limit: t.int8 },
  text: `
    select g.registry, g.agent_id::text as "agentId", g.seen from offchain.review_figures g
    where g.seen is not null and g.files_seen is distinct from g.seen order by g.computed_at, g.agent_id limit $limit`,
  columns: { registry: t.text, agentId: t.text, seen: t.filtered(t.text) },
}).rows;

const FILE = {
  registry: t.text,
  agentId: t.text,
  client: t.narrow<Address>(t.text),
  index: t.text,
  uri: t.text,
  hash: t.narrow<Hex>(t.text),
  givenAt: t.int8,
  digest: t.text,
};
/** Reviews of some agents whose file is not listed as they name it now: of each reviewer those of its newest entries. */
export const unlistedFiles = statement({
  name: "review-files-unlisted",
  params: { agents: AGENTS, limit: t.int8 },
  text: `
    select f.registry, f.agent_id::text as "agentId", f.client, f.feedback_index::text as index, f.feedback_uri as uri,
      f.feedback_hash as hash, f.given_at as "givenAt", ${FILE_DIGEST} as digest
    from $agents join offchain.review_weight w on w.registry = agents.registry and w.agent_id = agents.agent_id
    cross join lateral (
      select * from onchain.erc8004_feedback f
      where f.registry = w.registry and f.agent_id = w.agent_id and f.client = w.client
      order by f.feedback_index desc limit ${MAX_ENTRIES}) f
    left join offchain.review_file r on ${OF_REVIEW}
    where f.feedback_uri <> '' and r.digest is distinct from ${FILE_DIGEST} limit $limit`,
  columns: FILE,
}).rows;

/** A review with its file's URI and the hash that it gives, all zero for none. */
export type NamedFile = Row<typeof unlistedFiles>;

/** What is known of a file. `tried`: its host was asked. */
export type FileRead = Omit<NamedFile, "uri" | "hash"> & {
  site: string | null;
  state: FileState;
  why: string | null;
  readAt: Date | null;
  failures: number;
  tried: boolean;
  nextTryAt: Date | null;
  proof: ProofClaim;
};

const READS = t.records({
  ...{ registry: t.text, agentId: t.numeric, client: t.text, index: t.numeric, digest: t.text, givenAt: t.int8 },
  ...{ site: t.nullable(t.text), state: t.text, why: t.nullable(t.text), readAt: t.nullable(t.timestamptz) },
  ...{ failures: t.int4, tried: t.bool, nextTryAt: t.nullable(t.timestamptz) },
  ...{ proofTx: t.nullable(t.text), proofState: t.nullable(t.text) },
});
const KNOWN = "state, why, read_at, failures, tried_at, next_try_at, proof_tx, proof_state, proof_next_at";
const FOUND = `n.state, n.why, n.read_at, n.failures, case when n.tried then $now::timestamptz end, n.next_try_at,
  n.proof_tx, n.proof_state, case when n.proof_tx is not null then $now::timestamptz end`;

/** Lists files, those that can be read from their URI with what they say. @returns how many were not listed as they are */
export const listFiles = statement({
  name: "review-files-list",
  given: (reads: readonly FileRead[], now: Date) => ({ reads: stored(reads), now }),
  params: { reads: READS, now: t.timestamptz },
  text: `
    insert into offchain.review_file as r
      (registry, agent_id, client, feedback_index, digest, given_at, site, ${KNOWN})
    select n.registry, n.agent_id, n.client, n.index, n.digest, n.given_at, n.site, ${FOUND} from (select * from $reads) n
    order by n.registry, n.agent_id, n.client, n.index
    on conflict (registry, agent_id, client, feedback_index) do update set digest = excluded.digest,
      given_at = excluded.given_at, site = excluded.site,
      (${KNOWN}) = row(excluded.state, excluded.why, excluded.read_at, excluded.failures, excluded.tried_at,
        excluded.next_try_at, excluded.proof_tx, excluded.proof_state, excluded.proof_next_at),
      (proof_wallet, payer, units, paid_at, block_hash) = row(null, null, null, null, null)
    where r.digest <> excluded.digest`,
}).run;

/**
 * Stores what came of asking for files.
 * Check then write: a review as it names its file, then what was read there; it may name another meanwhile: the update names the
 * digest, and changes nothing when that is gone.
 */
export const storeFiles = statement({
  name: "review-files-store",
  given: (reads: readonly FileRead[], now: Date) => ({ reads: stored(reads), now }),
  params: { reads: READS, now: t.timestamptz },
  text: `
    update offchain.review_file r set (${KNOWN}) = row(${FOUND}) from (select * from $reads) n
    where r.registry = n.registry and r.agent_id = n.agent_id and r.client = n.client and r.feedback_index = n.index
      and r.digest = n.digest`,
}).run;

const stored = (reads: readonly FileRead[]) =>
  reads.map(({ proof, ...read }) => ({
    ...read,
    proofTx: proof && "txHash" in proof ? proof.txHash : null,
    proofState: proof && ("state" in proof ? proof.state : "waiting"),
  }));

/** Says that all files of these agents' reviews are listed. */
export const filesListed = statement({
  name: "review-files-listed",
  params: { agents: t.records({ registry: t.text, agentId: t.numeric, seen: t.text }), now: t.timestamptz },
  // What was no payment to a former wallet is looked up again; files of reviews that are no more go.
  text: `
    with agents as materialized (select * from $agents), gone as (
      delete from offchain.review_file r using agents d
      where r.registry = d.registry and r.agent_id = d.agent_id
        and not exists (select from onchain.erc8004_feedback f where ${OF_REVIEW} and ${FILE_DIGEST} = r.digest)
    ), again as (
      update offchain.review_file r set proof_next_at = $now from agents d
      join onchain.erc8004_agent a on a.registry = d.registry and a.agent_id = d.agent_id
      where r.registry = d.registry and r.agent_id = d.agent_id and r.proof_tx is not null
        and r.proof_wallet is distinct from a.agent_wallet and r.proof_next_at is null and r.proof_state <> 'paid')
    update offchain.review_figures g set files_seen = g.seen from agents d
    where g.registry = d.registry and g.agent_id = d.agent_id and g.seen = d.seen`,
}).run;

/**
 * Files that are due for a read, at most `limit`: half of them of sites that have answered before, half of other ones.
 * In each half the reviewers' turns and the sites' turns alternate: one file of each before a second of any, those whose
 * reviewers have proof first, then the longest due. Sites cost nothing, nor do reviewers; a file that is first by either
 * does not wait for those that are many by the other.
 * @param due.since time from which on reads of a site count @param due.perSite max files of a site since then
 * @param due.perRun max files of a site now
 */
export const dueFiles = statement({
  name: "review-files-due",
  params: { now: t.timestamptz, since: t.timestamptz, perSite: t.int8, perRun: t.int8, limit: t.int8 },
  // Of a site's day three quarters are for all, the rest for reviewers with proof: many share the site of a gateway.
  text: `
    with sites as materialized (
      select s.site, (select count(*) from offchain.review_file t where t.site = s.site and t.tried_at > $since) as files,
        exists (select from offchain.review_file t
          where t.site = s.site and t.tried_at is not null and t.read_at is not null) as answers
      from (select distinct site from offchain.review_file where next_try_at <= $now) s
    ), turns as (
      select r.*, coalesce(w.rank, 2) as rank,
        row_number() over (partition by r.client order by r.failures, r.next_try_at, r.agent_id, r.feedback_index) as turn
      from offchain.review_file r
      left join offchain.review_weight w on w.registry = r.registry and w.agent_id = r.agent_id and w.client = r.client
      where r.next_try_at <= $now
    ), places as (
      select t.*, row_number() over (partition by t.site order by t.turn, t.rank, t.next_try_at, t.client) as place from turns t
    ), orders as (
      select p.*, s.answers,
        row_number() over (partition by s.answers order by p.turn, p.rank, p.next_try_at, p.client) as of_reviewer,
        row_number() over (partition by s.answers order by p.place, p.rank, p.next_try_at, p.client) as of_site
      from places p join sites s on s.site is not distinct from p.site
      where p.place <= least($perRun::int8,
        case when p.rank = 0 then $perSite::int8 else $perSite * 3 / 4 end - coalesce(s.files, 0)))
    select r.registry, r.agent_id::text as "agentId", r.client, r.feedback_index::text as index, f.feedback_uri as uri,
      f.feedback_hash as hash, r.given_at as "givenAt", r.digest, r.failures, r.site, r.answers
    from orders r join onchain.erc8004_feedback f on ${OF_REVIEW} and ${FILE_DIGEST} = r.digest
    where least(r.of_reviewer, r.of_site) <= $limit::int8 / 4
    order by least(r.of_reviewer, r.of_site), r.client`,
  columns: { ...FILE, failures: t.int4, site: t.nullable(t.text), answers: t.bool },
}).rows;

/** @property answers its site has answered with a file before */
export type DueFile = Row<typeof dueFiles>;

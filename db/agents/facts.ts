/** Loads the facts of agents: all stored data about them at one time, in one statement. */

import { type OwnedFacts, type Ownership, UNSHARED } from "../../core/agents/caveats.ts";
import type { Address, AgentFacts, AgentRef } from "../../core/agents/facts.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import type { StoredJobStats, StoredStats } from "../../core/income/view.ts";
import type { CanonicalReviews } from "../../core/reviews/view.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { restsOn } from "./attestations.ts";
import { canonicalReviews } from "./canonical-identity.ts";
import { ownershipOf } from "./proof-ownership.ts";
import { othersAttested } from "./shared-sql.ts";
import { agentOf, walletConfirmed } from "./wallets.ts";

/**
 * SQL of the figures of an own agent's payments, as `StoredStats`, or of its jobs, as `StoredJobStats`; null where none
 * are known. @param a alias of an own agent
 */
const walletStats = (a: string, table: "income_figures" | "commerce_figures"): string => `(
  select g.figures from offchain.${table} g
  join offchain.directory d on d.id = g.directory_id
  where g.wallet = ${a}.agent_address and d.platform = '${OWN_PLATFORM}' and d.token_id = ${a}.token_id
    and ${walletConfirmed(a)})`;

/**
 * Bound: on-chain traits shown of an agent, the newest: its controller can add any number of them (to 6 MB, which costs
 * gas).
 */
const MAX_TRAITS = 1_000;

/** SQL of all stored data about the agent `a`, as one JSON object in the shape of `AgentFacts`. */
export const FACTS = `json_build_object(
  'tokenId', a.token_id,
  'agentAddress', a.agent_address,
  'owner', a.owner,
  'operator', a.operator,
  'name', a.name,
  'framework', a.framework,
  'mintedAt', a.minted_at,
  'mintedBlock', a.minted_block,
  'mintTx', a.mint_tx,
  'verified', a.verified,
  'walletConfirmed', ${walletConfirmed("a")},
  'soulbound', a.soulbound,
  'origin', a.origin,
  'generation', a.generation,
  'mutationCount', a.mutation_count,
  'version', a.version,
  'points', a.points,
  'agentName', a.agent_name,
  'onchainPersonality', a.personality,
  'personalityAt', a.personality_at,
  'onchainNarrative', a.narrative,
  'narrativeAt', a.narrative_at,
  'updatedBlock', a.updated_block,
  'traits', (
    select coalesce(json_agg(json_build_object('name', name, 'category', category, 'addedAt', ${t.isoTime("added_at")})
                             order by place, position, added_at, name), '[]')
    from (
      (select 1 as place, position, name, category, to_timestamp(added_at) as added_at
       from onchain.trait where token_id = a.token_id order by position desc limit ${MAX_TRAITS})
      union all
      select 2, 0, name, category, added_at from offchain.profile_trait where token_id = a.token_id
    ) t),
  'profile', (
    select coalesce(json_agg(json_build_object('field', field, 'value', value, 'writtenAt', ${t.isoTime("written_at")})
                             order by field), '[]')
    from offchain.profile_field where token_id = a.token_id),
  'proofs', (
    select coalesce(json_agg(json_build_object(
      'platform', platform, 'accountId', account_id, 'handle', handle, 'username', username, 'status', status,
      'verifiedAt', ${t.isoTime("verified_at")}, 'checkedAt', ${t.isoTime("checked_at")}, 'txHash', tx_hash,
      'evidence', evidence) order by platform), '[]')
    from offchain.proof where token_id = a.token_id),
  'exchange', (
    select json_build_object(
      'attestationUid', t.uid, 'recipient', e.recipient, 'expiresAt', t.expires_at,
      'revokedAt', t.revoked_at, 'verifiedAt', ${t.isoTime("e.verified_at")})
    from (
      select * from offchain.exchange_verification e where e.token_id = a.token_id
      order by e.recipient <> a.owner, e.verified_at desc limit 1) e
    cross join lateral ${restsOn("e")} t),
  'ethosScore', coalesce(
    (select case when ${walletConfirmed("a")} then score end from offchain.ethos_score where wallet = a.agent_address),
    (select score from offchain.ethos_score where wallet = a.owner)),
  'referralCode', (select code from offchain.referral_code where token_id = a.token_id),
  'cred', (
    select json_build_object(
      'score', score, 'seenBlock', seen_block, 'computedAt', ${t.isoTime("computed_at")},
      'raw', json_build_object(${SIGNALS.map(({ key }) => `'${key}', ${key}`).join(", ")}))
    from offchain.cred where token_id = a.token_id)
)`;

/**
 * SQL of an array parameter as rows. The subselect hides the array from the planner, which would otherwise plan each
 * single read again, for a better plan for a shorter array; that takes longer than the read.
 */
const rowsOf = (array: string, type: string) => `unnest((select ${array}::${type}[])) with ordinality`;

const LOAD = statement({
  name: "facts-load",
  params: { tokenIds: t.array(t.int8) },
  text: `
  select ${FACTS} as facts
  from ${rowsOf("$tokenIds", "int8")} as requested(token_id, place)
  join onchain.agent a on a.token_id = requested.token_id
  order by requested.place`,
  columns: { facts: t.json<AgentFacts>() },
  prepared: true,
});

/**
 * The facts of agents, in the order of the token ids; ids that do not exist are left out.
 * @throws the driver's error; 42P01 or 3F000 while there is no index (see `isNoIndex`)
 */
export async function loadFacts(db: Queryable, tokenIds: readonly number[]): Promise<AgentFacts[]> {
  if (tokenIds.length === 0) return [];
  return await LOAD.values(db, { tokenIds });
}

const FIND = statement({
  name: "facts-find",
  params: { tokenIds: t.array(t.int8), wallets: t.array(t.narrow<Address>(t.text)), identity: t.text },
  text: `
  select requested.ref, ${FACTS} as facts, ${ownershipOf("a", "$identity")} as ownership,
    case when exists (
      select from offchain.exchange_verification e where e.token_id = a.token_id and e.recipient = a.owner)
    then ${othersAttested("a.owner", (f) => `not (${f}.platform = '${OWN_PLATFORM}' and ${f}.token_id = a.token_id)`)}
    else 0 end as attested, ${canonicalReviews("a")} as reviews,
    ${walletStats("a", "income_figures")} as payments, ${walletStats("a", "commerce_figures")} as jobs
  from (
    select ref::text as ref, ref as token_id from unnest((select $tokenIds::int8[])) as ids(ref)
    union all
    select ref, ${agentOf("wallets.ref")} from unnest((select $wallets::text[])) as wallets(ref)
  ) requested
  join onchain.agent a on a.token_id = requested.token_id`,
  columns: {
    ref: t.text,
    facts: t.json<AgentFacts>(),
    ownership: t.json<Ownership>(),
    attested: t.int8,
    reviews: t.nullable(t.json<CanonicalReviews>()),
    payments: t.nullable(t.jsonb<StoredStats>()),
    jobs: t.nullable(t.jsonb<StoredJobStats>()),
  },
  prepared: true,
});

/** How this service's agents are named on chain and in files. */
export type OwnRegistry = { identity: Address };

/**
 * The facts of agents by token ids and by wallets, with who owns them, from one snapshot: one for each reference, null where
 * there is no such agent.
 * @param own.identity the identity contract's address
 * @throws the driver's error; 42P01 or 3F000 while there is no index (see `isNoIndex`)
 */
export async function findFacts(
  db: Queryable,
  refs: readonly AgentRef[],
  { identity }: OwnRegistry,
): Promise<(OwnedFacts | null)[]> {
  const tokenIds = refs.flatMap((ref) => ("tokenId" in ref ? [ref.tokenId] : []));
  const wallets = refs.flatMap((ref) => ("address" in ref ? [ref.address] : []));
  const rows = await FIND.rows(db, { tokenIds, wallets, identity });
  const found = new Map(
    rows.map(({ ref, facts, ownership, attested: attestation, ...rest }) => [
      ref,
      { ...facts, ownership, shared: { ...UNSHARED, attestation }, ...rest },
    ]),
  );
  return refs.map((ref) => found.get("tokenId" in ref ? String(ref.tokenId) : ref.address) ?? null);
}

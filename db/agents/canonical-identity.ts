/** Which agent of the canonical ERC-8004 registry an own agent is: reviews of an own agent are the ones it has there. */
import { int8, nullable, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { walletConfirmed } from "./wallets.ts";

/** Max registrations of one wallet that are read, the oldest first: a wallet can make any number. */
const MAX_REGISTRATIONS = 100;

/**
 * SQL of the registration that is an own agent's, as `registry` and `agent_id`; at most one row.
 * The registry has the agent's confirmed wallet for it; or it has the agent's owner, who also owns it, and its file names the
 * agent's record here. The registry sets a wallet only by the wallet's own transaction or signature, and a transfer of the
 * registration unsets it: an agent cannot receive a registration, and its reviews, as a gift. A file that names the agent
 * comes first, then the oldest registration: a second registration takes no reviews away.
 * @param a alias of an own agent
 * @param records SQL of the address of the records here, to which a token id is appended (core/agents/registration-file.ts)
 */
const canonicalIdentity = (a: string, records: string): string => `
  select e.registry, e.agent_id
  from (
    select e.registry, e.agent_id, e.owner, e.agent_wallet, e.registered_block
    from onchain.erc8004_agent e
    where e.agent_wallet in (${a}.owner, ${a}.agent_address)
    order by e.registered_block, e.agent_id limit ${MAX_REGISTRATIONS}) e
  cross join lateral (
    select exists (
      select from offchain.registration_file f
      where f.registry = e.registry and f.agent_id = e.agent_id
        and f.content->'services' @> jsonb_build_array(jsonb_build_object('endpoint', ${records} || ${a}.token_id))
    ) as named) n
  where (e.agent_wallet = ${a}.agent_address and ${walletConfirmed(a)})
    or (e.agent_wallet = ${a}.owner and e.owner = ${a}.owner and n.named)
  order by n.named desc, e.registered_block, e.agent_id limit 1`;

/** Max own agents of one wallet that are read. */
const MAX_AGENTS = 10;

/**
 * SQL of the token of the own agent that a registration `e` is: null where it is no own agent's; the oldest where it is
 * several agents'. Of agents with the registration's wallet, those whose own it is come first.
 * @param e alias of a registration @param records as in `canonicalIdentity`
 */
export const ownTokenOf = (e: string, records: string): string => `
  select a.token_id
  from (
    select a.* from onchain.agent a where a.agent_address = ${e}.agent_wallet or a.owner = ${e}.agent_wallet
    order by a.agent_address <> ${e}.agent_wallet, a.token_id limit ${MAX_AGENTS}) a
  cross join lateral (${canonicalIdentity("a", records)}) i
  where i.registry = ${e}.registry and i.agent_id = ${e}.agent_id
  order by a.token_id limit 1`;

/** SQL of the figures `g` of reviews, as `SummaryFigures`; null before they were weighed. @param g alias of offchain.review_figures */
export const summaryFigures = (g: string): string => `case when ${g}.computed_at is not null then json_build_object(
    'reviewers', ${g}.reviewers, 'raw', ${g}.raw, 'adjusted', ${g}.adjusted, 'low', ${g}.low, 'high', ${g}.high,
    'inflation', ${g}.inflation, 'voices', ${g}.voices) end`;

/** SQL of an own agent's registration with what its reviews are worth, as `CanonicalReviews`. @param a, records as in `canonicalIdentity` */
export const canonicalReviews = (a: string, records: string): string => `(
  select json_build_object('registry', e.registry, 'agentId', e.agent_id::text, 'figures', ${summaryFigures("g")})
  from (${canonicalIdentity(a, records)}) e
  left join offchain.review_figures g on g.registry = e.registry and g.agent_id = e.agent_id)`;

const IDENTITY = statement({
  name: "canonical-identity",
  params: { tokenId: int8, records: text },
  text: `
    select e.registry, e.agent_id::text as "agentId"
    from onchain.agent a left join lateral (${canonicalIdentity("a", "$records")}) e on true where a.token_id = $tokenId`,
  columns: { registry: nullable(text), agentId: nullable(text) },
});

/**
 * The registration of an own agent in the canonical registry. @param records as in `canonicalIdentity`
 * @returns "none" for an agent without one, null where there is no such agent
 */
export async function canonicalIdentityOf(db: Queryable, tokenId: number, records: string) {
  const found = await IDENTITY.maybeOne(db, { tokenId, records });
  if (found === null) return null;
  const { registry, agentId } = found;
  return registry === null ? "none" : { registry, agentId: agentId! };
}

/**
 * Which registrations of the canonical ERC-8004 registry are, or ever were, an own agent's: their reviews are its reviews.
 *
 * A registration becomes an agent's by acts of its wallet, which the registry sets only by the wallet's own transaction or
 * signature and unsets in a transfer: an agent cannot be given a registration with its reviews. It is the agent's that it
 * was first, for good: a transfer, another wallet or a second registration takes no review away, and no second agent gets
 * it. A registration that is an agent's only by its wallet is that of the agent that the wallet has by its own act.
 */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { checkpointBlock } from "../operations/index-state.ts";
import { family, statement, t } from "../sql/statement.ts";
import { agentByOwnDoingOf, walletConfirmed } from "./wallets.ts";

/**
 * Max registrations of one agent, the first that were seen: its holder can make any number. One that is among them stays, and
 * one that is not was never shown as the agent's.
 */
const MAX_REGISTRATIONS = 100;
/** Max records that one file names and that are read, in the file's order. */
const MAX_NAMED = 10;

/** SQL of the agent that a wallet registered here, whoever owns it. */
const registeredBy = (wallet: string) => `(
  select a.token_id from offchain.mint m
  join onchain.agent a on a.token_id = m.token_id and a.mint_tx = m.tx_hash and a.agent_address = m.registrant
  where m.registrant = ${wallet} and m.state = 'minted')`;

/** Of a token, that another account named its first owner (ORIGIN_API in src/agent-rows.ts). */
const NAMED_BY_ANOTHER = 2;
/** SQL of whether an agent `a` has its owner by the owner's own act: another account neither named it nor sent it the token. */
export const ownerActed = (a: string) => `(${a}.minted_to = ${a}.owner and ${a}.origin <> ${NAMED_BY_ANOTHER})`;

/** SQL of the tokens whose records the file of a registration `e` names, in its order. */
const named = (e: string, records: string) => `(
  select substr(s.value->>'endpoint', length(${records}) + 1)::int8 as token_id
  from offchain.registration_file f
  cross join lateral jsonb_array_elements(
    case when jsonb_typeof(f.content->'services') = 'array' then f.content->'services' else '[]' end) with ordinality s(value, place)
  where f.registry = ${e}.registry and f.agent_id = ${e}.agent_id and starts_with(s.value->>'endpoint', ${records})
    and substr(s.value->>'endpoint', length(${records}) + 1) ~ '^[0-9]{1,15}$'
  order by s.place limit ${MAX_NAMED})`;

/**
 * SQL of the own agent that each registration of a set `e` is, by the state of the index: one that its file names before one
 * by its wallet. The wallet of an agent that was sold is not the new owner's: it counts while it owns the token, or while the
 * token was not sold.
 * @param e SQL of the set: rows of onchain.erc8004_agent @param records SQL of the address of the records here
 */
const ties = (e: string, records: string) => `
  select distinct on (e.registry, e.agent_id) e.registry, e.agent_id, e.agent_wallet as wallet, e.registered_block,
    a.token_id, a.mint_tx
  from (${e}) e
  cross join lateral (
    select n.token_id, true as named from ${named("e", records)} n
    union all
    select coalesce(${agentByOwnDoingOf("e.agent_wallet")}, ${registeredBy("e.agent_wallet")}), false) c
  join onchain.agent a on a.token_id = c.token_id
  where a.agent_address = e.agent_wallet and ${walletConfirmed("a")} and a.owner in (a.agent_address, a.minted_to)
    or c.named and a.owner = e.agent_wallet and a.owner = e.owner
  order by e.registry, e.agent_id, c.named desc, a.token_id`;

const FINAL = `(select coalesce(max(${checkpointBlock("c.finalized_checkpoint")}), -1) from onchain._ponder_checkpoint c)`;
const INDEXED = `(select coalesce(max(${checkpointBlock("c.latest_checkpoint")}), -1) from onchain._ponder_checkpoint c)`;

/**
 * Removes what the chain has taken back: rows of a block that was not final in which the registration was the agent's, and
 * rows of tokens and registrations that are no more. Who unties a registration within the minute until a block is final has not
 * tied it. @param records as in `recordRegistrations`
 */
export const takeBackRegistrations = statement({
  name: "agent-registrations-take-back",
  params: { records: t.text },
  text: `
    with young as materialized (
      select i.* from offchain.agent_registration i where i.block > ${FINAL}
    ), tied as materialized (
      ${ties(
        "select e.* from onchain.erc8004_agent e join young y on y.registry = e.registry and y.agent_id = e.agent_id where e.agent_wallet is not null",
        "$records",
      )})
    delete from offchain.agent_registration i
    where not exists (select from onchain.agent a where a.token_id = i.token_id and a.mint_tx = i.mint_tx)
      or not exists (select from onchain.erc8004_agent e where e.registry = i.registry and e.agent_id = i.agent_id)
      or exists (select from young y where y.registry = i.registry and y.agent_id = i.agent_id)
        and not exists (select from tied t where t.registry = i.registry and t.agent_id = i.agent_id
          and t.token_id = i.token_id and t.mint_tx = i.mint_tx)`,
}).run;

/**
 * Records the registrations that have become an own agent's.
 * Check then write: the index and the files, then the row; both may change: what was true in a block that the index had is
 * kept, and until that block is final `takeBackRegistrations` compares it with the index again. Unique decides between two
 * writers.
 * Bound: a hundred registrations of an agent.
 * @param records address of the records here (core/agents/registration-file.ts)
 * @param reviewed null: all; else keys of changes in `offchain.dispatch`: only what these review
 */
export const recordRegistrations = family({
  name: "agent-registrations-record",
  text: ({ records, reviewed }: { records: string; reviewed: readonly string[] | null }, $) => {
    const at = `${$(records)}::text`;
    const among = reviewed
      ? `e.agent_id in (select d.agent_id from offchain.dispatch d
          where d.key = any(${$(reviewed)}::text[]) and d.kind = 'erc8004.feedback_given')`
      : `(e.agent_wallet in (select a.agent_address from onchain.agent a) or e.agent_wallet in (select a.owner from onchain.agent a))`;
    const unknown = `
      select e.* from onchain.erc8004_agent e
      where e.agent_wallet is not null and ${among} and not exists (
        select from offchain.agent_registration i where i.registry = e.registry and i.agent_id = e.agent_id)`;
    return `
      with tied as materialized (${ties(unknown, at)}), placed as (
        select t.*, row_number() over (partition by t.token_id order by t.registered_block, t.agent_id)
          + (select count(*) from offchain.agent_registration i where i.token_id = t.token_id) as place
        from tied t)
      insert into offchain.agent_registration (registry, agent_id, token_id, mint_tx, wallet, block)
      select p.registry, p.agent_id, p.token_id, p.mint_tx, p.wallet, ${INDEXED} from placed p
      where p.place <= ${MAX_REGISTRATIONS} order by p.registry, p.agent_id
      on conflict (registry, agent_id) do nothing`;
  },
  examples: [
    { records: "", reviewed: null },
    { records: "", reviewed: [""] },
  ],
}).run;

/**
 * SQL of the registrations whose reviews an agent `d` has, by its registry and its number as of `offchain.review_figures`: one row:
 * `contract` is the registry and `ids` are the numbers; no row for an own agent without any.
 */
export const registrationsOf = (d: string): string => `(
  select ${d}.registry as contract, array[${d}.agent_id] as ids where ${d}.registry <> '${OWN_PLATFORM}'
  union all
  select i.registry, array_agg(i.agent_id order by i.block, i.agent_id) from offchain.agent_registration i
  where i.token_id = case when ${d}.registry = '${OWN_PLATFORM}' then ${d}.agent_id::int8 end group by i.registry)`;

/** SQL of the token of the own agent that a registration `e` is, or was; null where it is none. */
export const ownTokenOf = (e: string): string => `
  select i.token_id from offchain.agent_registration i
  join onchain.agent a on a.token_id = i.token_id and a.mint_tx = i.mint_tx
  where i.registry = ${e}.registry and i.agent_id = ${e}.agent_id`;

/** SQL of the figures `g` of reviews, as `SummaryStats`; null before they were weighed. @param g alias of offchain.review_figures */
export const summaryStats = (g: string): string => `case when ${g}.computed_at is not null then json_build_object(
    'reviewers', ${g}.reviewers, 'raw', ${g}.raw, 'adjusted', ${g}.adjusted, 'low', ${g}.low, 'high', ${g}.high,
    'inflation', ${g}.inflation, 'voices', ${g}.voices) end`;

/** SQL of the registrations of an own agent `a`, the first first: none is an array of nothing. */
const ids = (a: string) => `array(
  select i.agent_id::text from offchain.agent_registration i
  where i.token_id = ${a}.token_id and i.mint_tx = ${a}.mint_tx order by i.block, i.agent_id)`;

/** SQL of an own agent's registrations with what their reviews are worth together, as `CanonicalReviews`. @param a alias of an own agent */
export const canonicalReviews = (a: string): string => `(
  select json_build_object('registry', i.registry, 'registrations', ${ids(a)}, 'stats', ${summaryStats("g")})
  from offchain.agent_registration i
  left join offchain.review_figures g on g.registry = '${OWN_PLATFORM}' and g.agent_id = i.token_id
  where i.token_id = ${a}.token_id and i.mint_tx = ${a}.mint_tx order by i.block, i.agent_id limit 1)`;

/**
 * The registrations of an own agent in the canonical registry, the first first.
 * @returns null where there is no such agent
 */
export const canonicalIdentityOf = statement({
  name: "canonical-identity",
  params: { tokenId: t.int8 },
  text: `
    select (select min(i.registry) from offchain.agent_registration i where i.token_id = a.token_id) as registry,
      ${ids("a")} as registrations
    from onchain.agent a where a.token_id = $tokenId`,
  columns: { registry: t.nullable(t.text), registrations: t.array(t.text) },
}).maybeOne;

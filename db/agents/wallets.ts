/**
 * Agents by their wallets: the one place that decides whose agent a token is.
 *
 * Anybody can mint a token that names any wallet as its agent. A token is a wallet's own when it names the wallet and the
 * wallet owns it, has verified it (`/verify`), or registered it here. Look-ups by wallet prefer an own token; a grant
 * or a refusal depends on own tokens alone.
 */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { type Queryable, type Statement, statement, t } from "../sql/statement.ts";

/** SQL of whether the wallet registered agent `a` here. A mint whose block was removed has another transaction's token. */
const registeredHere = (a: string) => `exists (
  select from offchain.mint m where m.registrant = ${a}.agent_address and m.state = 'minted'
    and m.token_id = ${a}.token_id and m.tx_hash = ${a}.mint_tx)`;

const verifiedHere = (a: string) => `exists (
  select from offchain.wallet_verification v where v.token_id = ${a}.token_id and v.wallet = ${a}.agent_address
    and v.mint_tx = ${a}.mint_tx)`;

/** SQL of whether agent `a` is its wallet's own. The index alone answers for all but sold and re-assigned tokens. */
export const walletConfirmed = (a: string) => `(${a}.wallet_rank < 2 or ${registeredHere(a)} or ${verifiedHere(a)})`;

/**
 * Below, `wallet` is SQL of a wallet: a parameter, or a column by its qualified name.
 *
 * SQL of the agents of a wallet that decide a look-up, with their rank: of each source the first, so that any number of
 * tokens that name the wallet cost nothing.
 */
const candidates = (wallet: string, ranks = "") => `
  (select a.token_id, a.wallet_rank as rank from onchain.agent a
   where a.agent_address = ${wallet} ${ranks} order by a.wallet_rank, a.token_id limit 1)
  union all
  select a.token_id, 0 from offchain.mint m
  join onchain.agent a on a.token_id = m.token_id and a.agent_address = m.wallet and a.mint_tx = m.tx_hash
  where m.registrant = ${wallet} and m.state = 'minted'
  union all
  select a.token_id, 0 from offchain.wallet_verification v
  join onchain.agent a on a.token_id = v.token_id and a.agent_address = v.wallet and a.mint_tx = v.mint_tx
  where v.wallet = ${wallet}`;

const first = (candidates: string) => `(select c.token_id from (${candidates}) c order by c.rank, c.token_id limit 1)`;

/**
 * SQL of the token id that a look-up by wallet finds: its own agent, else the lowest id that names it, else null. Of own
 * ones those of the wallet's own doing (registered, verified, minted for itself) come before those it was given, so that
 * a gift displaces none; then the lowest id.
 */
export const agentOf = (wallet: string) => first(candidates(wallet));

/** SQL of the token id of a wallet's own agent, else null: for every grant to a wallet. */
export const ownAgentOf = (wallet: string) => first(candidates(wallet, "and a.wallet_rank < 2"));

/** SQL of the tokens that a wallet has by its own act, the lowest ids first. */
const byOwnDoing = (wallet: string, most: number) => `
  (select a.token_id from onchain.agent a
   where a.agent_address = ${wallet} and (a.wallet_rank = 0 or a.wallet_rank = 1 and a.minted_to = a.owner
     and not exists (select from offchain.mint m where m.token_id = a.token_id and m.solana_address is not null))
   order by a.token_id limit ${most})
  union
  select a.token_id from offchain.wallet_verification v
  join onchain.agent a on a.token_id = v.token_id and a.agent_address = v.wallet and a.mint_tx = v.mint_tx
  where v.wallet = ${wallet}
  order by token_id limit ${most}`;

/**
 * SQL of the token id of the agent that a wallet has by its own act, else null; a wallet with such an agent cannot register
 * another. A token that it was given does not count: anybody can transfer one to it, or register one for it with a Solana key.
 */
export const agentByOwnDoingOf = (wallet: string) => `(${byOwnDoing(wallet, 1)})`;

/** Max agents that a refusal of a write names. */
export const MAX_CANDIDATES = 8;

/**
 * The agents that a write to a wallet may be about: those that the wallet has by its own act, else all that name it. Only
 * one alone is meant; of several, any may be another's, who minted it in the wallet's name.
 */
export const agentsToWrite = statement({
  name: "wallet-agents-to-write",
  params: { wallet: t.narrow<Address>(t.text) },
  text: `
    with own as (${byOwnDoing("$wallet", MAX_CANDIDATES)})
    select token_id from own
    union all
    (select a.token_id from onchain.agent a where a.agent_address = $wallet and not exists (select from own)
     order by a.wallet_rank, a.token_id limit ${MAX_CANDIDATES})
    order by token_id`,
  columns: { token_id: t.int8 },
}).rows;

type AgentsOfWallets = Statement<[{ wallets: readonly string[] }], { wallet: Address; token_id: number }>;

const ofWallets = (name: string, agent: (wallet: string) => string): AgentsOfWallets =>
  statement({
    name,
    params: { wallets: t.array(t.text) },
    text: `
    select wallet, token_id from (
      select asked.wallet, ${agent("asked.wallet")} as token_id from unnest((select $wallets::text[])) as asked(wallet)) found
    where token_id is not null`,
    columns: { wallet: t.narrow<Address>(t.text), token_id: t.int8 },
    prepared: true,
  });
const FOUND = ofWallets("wallets-agents", agentOf);
const OWN = ofWallets("wallets-own-agents", ownAgentOf);

/** The agent that a look-up by each of these wallets finds, see `agentOf`. Wallets without one are left out. */
export const agentsOfWallets = (db: Queryable, wallets: readonly Address[]) => tokensBy(db, FOUND, wallets);

/** Each wallet's own agent, see `ownAgentOf`: what gates go by. Wallets without one are left out. */
export const ownAgents = (db: Queryable, wallets: readonly Address[]) => tokensBy(db, OWN, wallets);

async function tokensBy(
  db: Queryable,
  agents: AgentsOfWallets,
  wallets: readonly Address[],
): Promise<Map<Address, number>> {
  if (wallets.length === 0) return new Map();
  const rows = await agents.rows(db, { wallets });
  return new Map(rows.map(({ wallet, token_id }) => [wallet, token_id]));
}

/** Records that a wallet has signed in as an agent's own; bound to the mint, because a reorganisation may reuse the id. */
export const recordWalletVerification = statement({
  name: "wallet-verification-record",
  params: { tokenId: t.int8, wallet: t.narrow<Address>(t.text), mintTx: t.narrow<Hex>(t.text), at: t.timestamptz },
  text: `
    insert into offchain.wallet_verification (token_id, wallet, mint_tx, verified_at) values ($tokenId, $wallet, $mintTx, $at)
    on conflict (token_id, wallet) do update set mint_tx = excluded.mint_tx, verified_at = excluded.verified_at
      where wallet_verification.mint_tx <> excluded.mint_tx`,
}).run;

/** Requests to mint: from acceptance to the token, one row each. */
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Address, AgentRef, Hex } from "../../core/agents/facts.ts";
import type { SolanaAddress } from "../../core/solana/keys.ts";
import { mint } from "../schema/transactions.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { VOID } from "../transactions/transaction-outbox.ts";

/** Channel of notifications that a mint is decided; the payload is its id. */
export const MINT_CHANNEL = "mint";

export type Registrant = { wallet: Address; solanaAddress: null } | { solanaAddress: SolanaAddress };
export const nameOf = (registrant: Registrant): string => registrant.solanaAddress ?? registrant.wallet;

export const MINT_ROW = columnsOf(mint, { without: ["registrant", "awardsDueAt"] });
export type Mint = t.RowOf<typeof MINT_ROW>;
export const MINT = t.fieldsOf(MINT_ROW);

/** What a mint is requested with. */
export const REQUEST = columnsOf(mint, {
  without: [
    ...(["mintId", "registrant", "state", "tokenId", "txHash", "block"] as const),
    ...(["error", "createdAt", "completedAt", "awardsDueAt"] as const),
  ],
});
export type MintRequest = t.RowOf<typeof REQUEST>;

/** One mint; null for an unknown id. */
export const mintById = statement({
  name: "mint-by-id",
  given: (mintId: string) => ({ mintId }),
  params: { mintId: t.uuid },
  text: `select ${MINT} from offchain.mint where mint_id = $mintId`,
  columns: MINT_ROW,
  prepared: true,
}).maybeOne;

const BY_IDS = statement({
  name: "mints-by-id",
  params: { mintIds: t.array(t.uuid) },
  text: `select ${MINT} from offchain.mint where mint_id = any($mintIds)`,
  columns: MINT_ROW,
});

/** Mints by their ids; unknown ones are left out. */
export const mintsByIds = async (db: Queryable, mintIds: readonly string[]): Promise<Map<string, Mint>> =>
  new Map((await BY_IDS.rows(db, { mintIds })).map((mint) => [mint.mintId, mint]));

/** The mint of an accepted request; null where none was accepted. */
export const mintByFingerprint = statement({
  name: "mint-by-fingerprint",
  params: { fingerprint: t.text },
  text: `select ${MINT} from offchain.mint where fingerprint = $fingerprint`,
  columns: MINT_ROW,
  prepared: true,
}).maybeOne;

/** The registration of a wallet or a Solana key that is under way or done. */
export const liveMintOf = statement({
  name: "mint-of-registrant",
  given: (registrant: Registrant) => ({ registrant: nameOf(registrant) }),
  params: { registrant: t.text },
  text: `select ${MINT} from offchain.mint where registrant = $registrant and state <> 'failed'`,
  columns: { ...MINT_ROW, state: t.narrow<"pending" | "minted">(t.text) },
}).maybeOne;
export type LiveMint = Row<typeof liveMintOf>;

const MINTED_AFTER = statement({
  name: "mint-after",
  params: { tokenId: t.nullable(t.int8), wallet: t.nullable(t.text), block: t.int8 },
  text: `
    select block from (
      select block, state from offchain.mint where token_id = $tokenId
      union all
      select block, state from offchain.mint where registrant = $wallet and state <> 'failed') known
    where state = 'minted' and block > $block
    limit 1`,
  columns: { block: t.int8 },
  prepared: true,
});

/** The block in which an agent was registered here, where that is later than `block`; else null. */
export async function mintedAfter(db: Queryable, agent: AgentRef, block: number): Promise<number | null> {
  const [tokenId, wallet] = "tokenId" in agent ? [agent.tokenId, null] : [null, agent.address];
  return await MINTED_AFTER.value(db, { tokenId, wallet, block });
}

/**
 * Transactions that minted tokens to the receivers of mints, of the same origin and by the contract's owner, except those
 * whose token belongs to another mint of the service. @throws when there are no views yet (`isNoIndex`)
 */
export const mintTransactions = statement({
  name: "mint-transactions",
  params: { mintIds: t.array(t.uuid), selector: t.narrow<Hex>(t.text) },
  text: `
    select m.mint_id as "mintId", t.tx_hash as "txHash"
    from offchain.mint m
    join offchain.transaction_outbox i on i.intent_key = 'mint:' || m.mint_id
    join onchain.transfer t on t."to" = m.recipient and t."from" = '${ZERO_ADDRESS}' and t.contract = i.to_address
    join onchain.agent a on a.token_id = t.token_id::int8 and a.origin = m.origin
    join onchain.agent_transaction x on x.token_id = a.token_id and x.block = t.block and x.hash = t.tx_hash
      and x."to" = t.contract and x.selector = $selector
    where m.mint_id = any($mintIds)
      and not exists (select from offchain.mint other where other.token_id = a.token_id)
    order by t.block limit 1000`,
  columns: { mintId: t.uuid, txHash: t.narrow<Hex>(t.text) },
}).rows;

const MINTED_HERE = statement({
  name: "mint-tokens",
  params: { tokenIds: t.array(t.int8) },
  text: 'select token_id as "tokenId" from offchain.mint where token_id = any($tokenIds)',
  columns: { tokenId: t.filtered(t.int8) },
});

/** Which of these tokens a mint of the service created. */
export async function tokensHeld(db: Queryable, tokenIds: readonly number[]): Promise<Set<number>> {
  if (tokenIds.length === 0) return new Set();
  return new Set(await MINTED_HERE.values(db, { tokenIds }));
}

/** Ends an update that decides a mint: announces it, and returns it. */
const ANNOUNCED = `returning ${MINT}, pg_notify('${MINT_CHANNEL}', mint_id::text)`;

const DECIDED = {
  columns: { ...MINT_ROW, pg_notify: VOID },
  row: ({ pg_notify: _, ...mint }: Mint & { pg_notify: string }): Mint => mint,
};

/** The token exists. @returns the mint; null when its state was decided otherwise meanwhile */
export const completeMint = statement({
  name: "mint-complete",
  given: (mintId: string, done: { tokenId: number; txHash: Hex; block: number; at: Date }) => ({ mintId, ...done }),
  params: { mintId: t.uuid, tokenId: t.int8, txHash: t.text, block: t.int8, at: t.timestamptz },
  text: `
    update offchain.mint set state = 'minted', token_id = $tokenId, tx_hash = $txHash, block = $block, error = null,
      completed_at = $at
    where mint_id = $mintId and state = 'pending' ${ANNOUNCED}`,
  ...DECIDED,
}).maybeOne;

/** The chain refused it finally. @returns the mint; null when it was decided otherwise meanwhile */
export const failMint = statement({
  name: "mint-fail",
  given: (mintId: string, error: string, at: Date) => ({ mintId, error, at }),
  params: { mintId: t.uuid, error: t.text, at: t.timestamptz },
  text: `
    update offchain.mint set state = 'failed', error = $error, completed_at = $at
    where mint_id = $mintId and state = 'pending' ${ANNOUNCED}`,
  ...DECIDED,
}).maybeOne;

const REOPEN = statement({
  name: "mint-reopen",
  params: { mintId: t.uuid },
  text: `
    update offchain.mint m set state = 'pending', token_id = null, tx_hash = null, block = null, error = null,
      completed_at = null, awards_due_at = null
    where mint_id = $mintId and not exists (
      select from offchain.mint other
      where other.registrant = m.registrant and other.mint_id <> m.mint_id and other.state <> 'failed')`,
});

/**
 * The block that decided it is gone: undecided again. @returns the mint as it was, null when it is unknown or its
 * registrant has begun another mint since this one failed
 */
export async function reopenMint(tx: Queryable, mintId: string): Promise<Mint | null> {
  const before = await mintById(tx, mintId);
  if (!before || before.state === "pending") return null;
  return (await REOPEN.run(tx, { mintId })) === 1 ? before : null;
}

/**
 * SQL of whether an agent was registered here by a payment that is in the ledger. That its transaction does not count as a
 * free one is no evidence: those of former versions never do. @param token SQL of its number
 */
export const isPaidFor = (token: string): string => `exists (
  select from offchain.mint m join offchain.payment p on p.bought = 'mint:' || m.mint_id
  where m.token_id = ${token} and m.state = 'minted' and p.state = 'fulfilled')`;

/** Whether an agent was registered here, and its registration was paid for. */
export const registeredForPay = statement({
  name: "registered-for-pay",
  params: { tokenId: t.int8 },
  text: `select ${isPaidFor("$tokenId")} as paid`,
  columns: { paid: t.bool },
}).onlyValue;

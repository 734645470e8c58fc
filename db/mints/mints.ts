/** Requests to mint: from acceptance to the token, one row each. */
import type { Address, AgentRef, Hex } from "../../core/agents/facts.ts";
import type { ListingInput } from "../../core/agents/listing-input.ts";
import type { NarrativeInput, PersonalityInput } from "../../core/agents/profile-input.ts";
import type { SolanaAddress } from "../../core/solana/keys.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import {
  array,
  bool,
  filtered,
  int2,
  int8,
  jsonb,
  narrow,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
} from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { VOID } from "../transactions/transaction-outbox.ts";

/** Channel of notifications that a mint is decided; the payload is its id. */
export const MINT_CHANNEL = "mint";

export type MintRequest = {
  /** The agent's wallet. */
  wallet: Address;
  /**
   * The Solana key that registers; null where the wallet itself registers. Each registrant registers once; being named by
   * a Solana key does not count as a wallet's registration.
   */
  solanaAddress: SolanaAddress | null;
  /** Receiver of the token. */
  recipient: Address;
  name: string;
  framework: string;
  soulbound: boolean;
  /** Index into MINT_ORIGINS. */
  origin: number;
  personality: PersonalityInput | null;
  narrative: NarrativeInput | null;
  /** Null where the request has none. */
  listing: ListingInput | null;
  /** In its stored form. */
  referralCode: string | null;
  /** Identifies the request: a retry has the same one. */
  fingerprint: string;
};

export type Mint = MintRequest & {
  mintId: string;
  /** pending → minted, or failed; back to pending when its block is reorganised away. */
  state: "pending" | "minted" | "failed";
  tokenId: number | null;
  txHash: Hex | null;
  block: number | null;
  /** The contract's plain reason when failed. */
  error: string | null;
  createdAt: Date;
  completedAt: Date | null;
};

/** The registrant: a wallet, or a Solana key. */
export type Registrant = { wallet: Address; solanaAddress: null } | { solanaAddress: SolanaAddress };
export const nameOf = (registrant: Registrant): string => registrant.solanaAddress ?? registrant.wallet;

/** The columns of a mint, in the order of MINT_ROW. */
export const MINT = `mint_id as "mintId", wallet, solana_address as "solanaAddress", recipient, name, framework, soulbound,
  origin, personality, narrative, listing, referral_code as "referralCode", fingerprint, state, token_id as "tokenId",
  tx_hash as "txHash", block, error, created_at as "createdAt", completed_at as "completedAt"`;

/** The types of MINT. */
export const MINT_ROW = {
  mintId: uuid,
  wallet: narrow<Address>(text),
  solanaAddress: nullable(narrow<SolanaAddress>(text)),
  recipient: narrow<Address>(text),
  name: text,
  framework: text,
  soulbound: bool,
  origin: int2,
  personality: nullable(jsonb<PersonalityInput>()),
  narrative: nullable(jsonb<NarrativeInput>()),
  listing: nullable(jsonb<ListingInput>()),
  referralCode: nullable(text),
  fingerprint: text,
  state: narrow<Mint["state"]>(text),
  tokenId: nullable(int8),
  txHash: nullable(narrow<Hex>(text)),
  block: nullable(int8),
  error: nullable(text),
  createdAt: timestamptz,
  completedAt: nullable(timestamptz),
};

/** One mint; null for an unknown id. */
export const mintById = statement({
  name: "mint-by-id",
  given: (mintId: string) => ({ mintId }),
  params: { mintId: uuid },
  text: `select ${MINT} from offchain.mint where mint_id = $mintId`,
  columns: MINT_ROW,
  prepared: true,
}).maybeOne;

const BY_IDS = statement({
  name: "mints-by-id",
  params: { mintIds: array(uuid) },
  text: `select ${MINT} from offchain.mint where mint_id = any($mintIds)`,
  columns: MINT_ROW,
});

/** Mints by their ids; unknown ones are left out. */
export const mintsByIds = async (db: Queryable, mintIds: readonly string[]): Promise<Map<string, Mint>> =>
  new Map((await BY_IDS.rows(db, { mintIds })).map((mint) => [mint.mintId, mint]));

/** The mint of an accepted request; null where none was accepted. */
export const mintByFingerprint = statement({
  name: "mint-by-fingerprint",
  params: { fingerprint: text },
  text: `select ${MINT} from offchain.mint where fingerprint = $fingerprint`,
  columns: MINT_ROW,
  prepared: true,
}).maybeOne;

const LIVE = statement({
  name: "mint-of-registrant",
  params: { registrant: text },
  text: `select ${MINT} from offchain.mint where registrant = $registrant and state <> 'failed'`,
  columns: MINT_ROW,
});

/** A registration that is under way or done. */
export type LiveMint = Mint & { state: "pending" | "minted" };

/** That of a wallet or a Solana key. */
export const liveMintOf = (db: Queryable, registrant: Registrant): Promise<LiveMint | null> =>
  LIVE.maybeOne(db, { registrant: nameOf(registrant) }) as Promise<LiveMint | null>;

const MINTED_AFTER = statement({
  name: "mint-after",
  params: { tokenId: nullable(int8), wallet: nullable(text), block: int8 },
  text: `
    select block from (
      select block, state from offchain.mint where token_id = $tokenId
      union all
      select block, state from offchain.mint where registrant = $wallet and state <> 'failed') known
    where state = 'minted' and block > $block
    limit 1`,
  columns: { block: int8 },
  prepared: true,
});

/** The block in which an agent was registered here, where that is later than `block`; else null. */
export async function mintedAfter(db: Queryable, agent: AgentRef, block: number): Promise<number | null> {
  const [tokenId, wallet] = "tokenId" in agent ? [agent.tokenId, null] : [null, agent.address];
  return (await MINTED_AFTER.maybeOne(db, { tokenId, wallet, block }))?.block ?? null;
}

/**
 * Transactions that minted tokens to the receivers of mints, of the same origin and by the contract's owner, except those
 * whose token belongs to another mint of the service. @throws when there are no views yet (`isNoIndex`)
 */
export const mintTransactions = statement({
  name: "mint-transactions",
  params: { mintIds: array(uuid), selector: narrow<Hex>(text) },
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
  columns: { mintId: uuid, txHash: narrow<Hex>(text) },
}).rows;

const MINTED_HERE = statement({
  name: "mint-tokens",
  params: { tokenIds: array(int8) },
  text: 'select token_id as "tokenId" from offchain.mint where token_id = any($tokenIds)',
  columns: { tokenId: filtered(int8) },
});

/** Which of these tokens a mint of the service created. */
export async function tokensHeld(db: Queryable, tokenIds: readonly number[]): Promise<Set<number>> {
  if (tokenIds.length === 0) return new Set();
  return new Set((await MINTED_HERE.rows(db, { tokenIds })).map(({ tokenId }) => tokenId));
}

/** Ends an update that decides a mint: announces it, and returns it. */
const ANNOUNCED = `returning ${MINT}, pg_notify('${MINT_CHANNEL}', mint_id::text)`;

const COMPLETE = statement({
  name: "mint-complete",
  params: { mintId: uuid, tokenId: int8, txHash: text, block: int8, at: timestamptz },
  text: `
    update offchain.mint set state = 'minted', token_id = $tokenId, tx_hash = $txHash, block = $block, error = null,
      completed_at = $at
    where mint_id = $mintId and state = 'pending' ${ANNOUNCED}`,
  columns: { ...MINT_ROW, pg_notify: VOID },
});

/** The token exists. @returns the mint; null when its state was decided otherwise meanwhile */
export const completeMint = async (
  tx: Queryable,
  mintId: string,
  done: { tokenId: number; txHash: Hex; block: number; at: Date },
): Promise<Mint | null> => announced(await COMPLETE.maybeOne(tx, { mintId, ...done }));

function announced(row: (Mint & { pg_notify: string }) | null): Mint | null {
  if (!row) return null;
  const { pg_notify: _, ...mint } = row;
  return mint;
}

const FAIL = statement({
  name: "mint-fail",
  params: { mintId: uuid, error: text, at: timestamptz },
  text: `
    update offchain.mint set state = 'failed', error = $error, completed_at = $at
    where mint_id = $mintId and state = 'pending' ${ANNOUNCED}`,
  columns: { ...MINT_ROW, pg_notify: VOID },
});

/** The chain refused it finally. @returns the mint; null when it was decided otherwise meanwhile */
export const failMint = async (tx: Queryable, mintId: string, error: string, at: Date): Promise<Mint | null> =>
  announced(await FAIL.maybeOne(tx, { mintId, error, at }));

const REOPEN = statement({
  name: "mint-reopen",
  params: { mintId: uuid },
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

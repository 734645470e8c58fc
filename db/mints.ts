/** Requests to mint: from acceptance to the token, one row each. */
import type { Address, Hex } from "../core/facts.ts";
import type { ListingInput } from "../core/listing-input.ts";
import type { NarrativeInput, PersonalityInput } from "../core/profile-input.ts";
import type { SolanaAddress } from "../core/solana/keys.ts";
import { inParts } from "./batches.ts";
import type { Queryable } from "./transaction.ts";

/** Announces that a mint is decided; the payload is its id. */
export const MINT_CHANNEL = "mint";

export type MintRequest = {
  /** The agent's wallet. */
  wallet: Address;
  /**
   * The Solana key that registers; null where the wallet itself does. Who registers does so once: a wallet that a Solana
   * key names has not registered by that.
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
  /** Null where none of it is given. */
  listing: ListingInput | null;
  /** In its stored form. */
  referralCode: string | null;
  /** Identifies the request: a retry of it has the same one. */
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

/** Who registers: a wallet, or a Solana key. */
export type Registrant = { wallet: Address; solanaAddress: null } | { solanaAddress: SolanaAddress };
export const nameOf = (registrant: Registrant): string => registrant.solanaAddress ?? registrant.wallet;

export const MINT = `mint_id as "mintId", wallet, solana_address as "solanaAddress", recipient, name, framework, soulbound, origin, personality, narrative,
  listing, referral_code as "referralCode", fingerprint, state, token_id as "tokenId", tx_hash as "txHash", block, error,
  created_at as "createdAt", completed_at as "completedAt"`;

export const toMint = (row: Record<string, unknown> | undefined): Mint | null =>
  row
    ? {
        ...(row as Mint),
        tokenId: row.tokenId === null ? null : Number(row.tokenId),
        block: row.block === null ? null : Number(row.block),
      }
    : null;

/** One mint; null for an unknown id. */
export async function mintById(db: Queryable, mintId: string): Promise<Mint | null> {
  const { rows } = await db.query({
    name: "mint-by-id",
    text: `select ${MINT} from offchain.mint where mint_id = $1`,
    values: [mintId],
  });
  return toMint(rows[0]);
}

/** Mints by their ids; unknown ones are left out. */
export async function mintsByIds(db: Queryable, mintIds: readonly string[]): Promise<Map<string, Mint>> {
  const { rows } = await db.query(`select ${MINT} from offchain.mint where mint_id = any($1::uuid[])`, [mintIds]);
  return new Map(rows.map((row) => [row.mintId, toMint(row)!]));
}

export async function mintByFingerprint(db: Queryable, fingerprint: string): Promise<Mint | null> {
  const { rows } = await db.query({
    name: "mint-by-fingerprint",
    text: `select ${MINT} from offchain.mint where fingerprint = $1`,
    values: [fingerprint],
  });
  return toMint(rows[0]);
}

/** The registration of a wallet or a Solana key that is under way or done. */
export async function liveMintOf(db: Queryable, registrant: Registrant): Promise<Mint | null> {
  const { rows } = await db.query(`select ${MINT} from offchain.mint where registrant = $1 and state <> 'failed'`, [
    nameOf(registrant),
  ]);
  return toMint(rows[0]);
}

/**
 * Transactions that minted tokens to the receivers of mints, of the same origin and by the contract's owner, as far as no
 * other mint of ours has their token. @throws when there are no views yet (`isNoIndex`)
 */
export async function mintTransactions(
  db: Queryable,
  { mintIds, selector }: { mintIds: readonly string[]; selector: Hex },
): Promise<{ mintId: string; txHash: Hex }[]> {
  const { rows } = await db.query(
    `select m.mint_id as "mintId", t.tx_hash as "txHash"
     from offchain.mint m
     join offchain.transaction_outbox i on i.intent_key = 'mint:' || m.mint_id
     join onchain.transfer t on t."to" = m.recipient and t."from" = $2 and t.contract = i.to_address
     join onchain.agent a on a.token_id = t.token_id::int8 and a.origin = m.origin
     join onchain.agent_transaction x on x.token_id = a.token_id and x.block = t.block and x.hash = t.tx_hash
       and x."to" = t.contract and x.selector = $3
     where m.mint_id = any($1::uuid[])
       and not exists (select from offchain.mint other where other.token_id = a.token_id)
     order by t.block limit 1000`,
    [mintIds, `0x${"0".repeat(40)}`, selector],
  );
  return rows;
}

/** Which of these tokens a mint of ours has brought about. */
export async function tokensHeld(db: Queryable, tokenIds: readonly number[]): Promise<Set<number>> {
  if (tokenIds.length === 0) return new Set();
  const { rows } = await db.query('select token_id as "tokenId" from offchain.mint where token_id = any($1::int8[])', [
    tokenIds,
  ]);
  return new Set(rows.map(({ tokenId }) => Number(tokenId)));
}

/**
 * Free registrations of contract wallets from a network since; in the caller's transaction, which others of that network
 * wait for.
 */
export async function contractMintsSince(
  tx: Queryable,
  network: string,
  since: Date,
): Promise<{ count: number; oldestAt: Date | null }> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`contract-mints:${network}`]);
  const { rows } = await tx.query(
    `select count(*)::int4 as count, min(created_at) as "oldestAt" from offchain.mint
     where client_network = $1 and created_at > $2`,
    [network, since],
  );
  return rows[0];
}

/** Forgets where registrations of contract wallets came from, once they count no more. */
export const forgetClientNetworks = (db: Queryable): Promise<number> =>
  inParts(db, {
    change: "update offchain.mint set client_network = null",
    table: "offchain.mint",
    where: "client_network is not null and created_at < now() - interval '24 hours'",
  });

const ANNOUNCED = `returning ${MINT}, pg_notify('${MINT_CHANNEL}', mint_id::text)`;

/** The token is there. @returns the mint; null when it was decided otherwise meanwhile */
export async function completeMint(
  tx: Queryable,
  mintId: string,
  done: { tokenId: number; txHash: Hex; block: number; at: Date },
): Promise<Mint | null> {
  const { rows } = await tx.query(
    `update offchain.mint set state = 'minted', token_id = $2, tx_hash = $3, block = $4, error = null, completed_at = $5
     where mint_id = $1 and state = 'pending' ${ANNOUNCED}`,
    [mintId, done.tokenId, done.txHash, done.block, done.at],
  );
  return toMint(rows[0]);
}

/** A registration that brought bonuses along, deep enough in the chain for its token id to be trusted. */
export type DueMint = Pick<Mint, "mintId" | "wallet" | "recipient" | "referralCode"> & {
  tokenId: number;
  /** The contract that minted it. */
  identity: Address;
};

/** The mints whose awards are due and whose block is not above `block`, those due longest first. */
export async function mintsDueForAwards(
  db: Queryable,
  { block, now, limit }: { block: number; now: Date; limit: number },
): Promise<DueMint[]> {
  const { rows } = await db.query(
    `select m.mint_id as "mintId", m.wallet, m.recipient, m.referral_code as "referralCode", m.token_id as "tokenId",
            i.to_address as identity
     from offchain.mint m join offchain.transaction_outbox i on i.intent_key = 'mint:' || m.mint_id
     where m.awards_due_at <= $1 and m.state = 'minted' and m.block <= $2
     order by m.awards_due_at limit $3`,
    [now, block, limit],
  );
  return rows.map((row) => ({ ...row, tokenId: Number(row.tokenId) }));
}

/** Whether any awards are due, however deep their mints lie; a look at a small index. */
export async function awaitsAwards(db: Queryable, now: Date): Promise<boolean> {
  const { rows } = await db.query("select exists (select from offchain.mint where awards_due_at <= $1) as due", [now]);
  return rows[0].due;
}

/** Sets when a mint's awards are to be queued; null = nothing is left to queue. */
export async function setAwardsDue(tx: Queryable, mintId: string, at: Date | null): Promise<void> {
  await tx.query("update offchain.mint set awards_due_at = $2 where mint_id = $1", [mintId, at]);
}

/** Has the awards of a wallet's registration queued again later: the chain refused one of them. */
export async function retryAwards(tx: Queryable, wallet: Address, at: Date): Promise<void> {
  await tx.query("update offchain.mint set awards_due_at = $2 where registrant = $1 and state = 'minted'", [
    wallet,
    at,
  ]);
}

/** The chain refused it for good. */
export async function failMint(tx: Queryable, mintId: string, error: string, at: Date): Promise<Mint | null> {
  const { rows } = await tx.query(
    `update offchain.mint set state = 'failed', error = $2, completed_at = $3
     where mint_id = $1 and state = 'pending' ${ANNOUNCED}`,
    [mintId, error, at],
  );
  return toMint(rows[0]);
}

/**
 * The block that decided it is gone: undecided again. @returns the mint as it was, null when it is unknown or its
 * registrant has begun another mint since this one failed
 */
export async function reopenMint(tx: Queryable, mintId: string): Promise<Mint | null> {
  const before = await mintById(tx, mintId);
  if (!before || before.state === "pending") return null;
  const { rowCount } = await tx.query(
    `update offchain.mint m set state = 'pending', token_id = null, tx_hash = null, block = null, error = null,
       completed_at = null, awards_due_at = null
     where mint_id = $1 and not exists (
       select from offchain.mint other where other.registrant = m.registrant and other.mint_id <> m.mint_id and other.state <> 'failed')`,
    [mintId],
  );
  return rowCount === 1 ? before : null;
}

/** The outside world as the workers and the API see it: one small interface per system, implemented in this folder. */
import type { ReceiptData } from "../core/cred-report/receipt.ts";
import type { Address, Hex } from "../core/facts.ts";
import type { ChallengeClaims, RequestBinding, SignedTransaction } from "../core/payments/challenges.ts";
import type { ClaimsByPlatform, ProofPlatformKey } from "../core/proof-platforms.ts";
import type { Market } from "../core/transaction-fees.ts";

/** Told what came of everything that is asked of others. */
export interface UpstreamMeter {
  /**
   * @param upstream a name out of the code or a host out of the configuration, never one that a stranger has named
   * @param outcome a definite answer; none; or not asked at all, for its rate, its breaker or its own wish
   */
  asked(upstream: string, outcome: "answered" | "trouble" | "refused", ms: number): void;
  /** @param open whether its circuit breaker keeps requests from it at the moment */
  watch(upstream: string, open: () => boolean): void;
}

/** A block header. Wei amounts are bigint, times Unix seconds. */
export type Block = { number: number; hash: Hex; parentHash: Hex; timestamp: number; baseFeePerGasWei: bigint };

export type Call = {
  from?: Address;
  to: Address;
  data: Hex;
  valueWei?: bigint;
  /** Most gas it may use (core/gas-bounds.ts). Required where code of a stranger runs; such calls wait for each other. */
  gas?: bigint;
};

/** The chain refused to execute: `data` is the ABI-encoded error (null when the node gave none), `reason` its text. */
export type Revert = { ok: false; data: Hex | null; reason: string };
export type CallResult = { ok: true; data: Hex } | Revert;
export type EstimateResult = { ok: true; gas: bigint } | Revert;

/**
 * What the nodes said to a raw transaction. Only `accepted` and `known` mean that one holds it; none of the others proves
 * that it will never be mined, which receipts and nonces decide. `refused`: no node takes these bytes, now or later.
 */
export type SendOutcome =
  | { kind: "accepted" | "known" | "nonce_used" | "underpriced" | "unfunded" }
  | { kind: "rejected" | "refused"; reason: string };

export type Log = { address: Address; topics: Hex[]; data: Hex; logIndex: number };
/** A log with the transaction and the block it is in. */
export type FoundLog = Log & { txHash: Hex; block: number; blockHash: Hex };
export type Receipt = {
  hash: Hex;
  /** Who sent the transaction. */
  from: Address;
  status: "success" | "reverted";
  block: number;
  blockHash: Hex;
  logs: Log[];
  /** What its sender paid for gas, the data fee of a rollup included; null when the node does not say. */
  feeWei: bigint | null;
};

/**
 * One EVM chain. Every method throws `Failure("upstream_unavailable")` when no node gave a usable answer in time;
 * what the chain itself refuses is a value, not an exception.
 */
export interface Chain {
  readonly id: number;
  /** Number of the newest block. */
  headBlock(): Promise<number>;
  /** A canonical block by number; null when the chain has none (yet). */
  block(number: number | "latest"): Promise<Block | null>;
  /** Sender and nonce of every transaction of a block; null when there is no such block. */
  transactionsIn(block: number): Promise<{ hash: Hex; from: Address; nonce: number }[] | null>;
  balance(address: Address): Promise<bigint>;
  /** `0x` for an address without code. */
  code(address: Address): Promise<Hex>;
  isDeployed(address: Address): Promise<boolean>;
  call(call: Call): Promise<CallResult>;
  estimateGas(call: Call): Promise<EstimateResult>;
  /** What the newest block asks for, what was paid of late, and what the node advises as a tip. */
  fees(): Promise<Market>;
  /** Transactions sent by `address` up to a block; `pending` counts what waits in the node's pool. */
  nonce(address: Address, at: number | "latest" | "pending"): Promise<number>;
  /** Hands a signed transaction to the network. Repeating it is harmless. */
  send(raw: Hex): Promise<SendOutcome>;
  /** Null while it is not in a canonical block. */
  receipt(hash: Hex): Promise<Receipt | null>;
  /**
   * Logs of one contract in canonical blocks, in order. @param topics null matches any, a list any of its own
   * @param fromBlock nodes refuse long ranges: a few thousand blocks at most @param toBlock the newest by default
   */
  logs(of: {
    address: Address;
    topics: (Hex | readonly Hex[] | null)[];
    fromBlock: number;
    toBlock?: number;
  }): Promise<FoundLog[]>;
  /** Null when no node knows it; `block` is null while it waits, `to` when it creates a contract. */
  transaction(
    hash: Hex,
  ): Promise<{ hash: Hex; from: Address; to: Address | null; nonce: number; data: Hex; block: number | null } | null>;
  /** `mintPrice()` of the identity contract in wei; null when there is no such contract. */
  mintPrice(identity: Address): Promise<bigint | null>;
  /** `traitPrice()` of the identity contract in wei, to be sent with every `addTrait`; null when there is no such contract. */
  traitPrice(identity: Address): Promise<bigint | null>;
  /**
   * Whether a contract wallet accepts a signature: ERC-1271, and ERC-6492 for wallets not deployed yet.
   * @see https://eips.ethereum.org/EIPS/eip-6492
   */
  verifySignature(signed: { address: Address; hash: Hex; signature: Hex }): Promise<boolean>;
}

/** A transaction as it is signed (EIP-1559). */
export type UnsignedTransaction = {
  nonce: number;
  to: Address;
  data: Hex;
  valueWei: bigint;
  gasLimit: bigint;
  maxFeePerGasWei: bigint;
  maxPriorityFeePerGasWei: bigint;
};

/** Holds a key. Signing is deterministic (RFC 6979): the same transaction gives the same bytes and hash. */
export interface Signer {
  readonly address: Address;
  sign(transaction: UnsignedTransaction): Promise<{ raw: Hex; hash: Hex }>;
}

/** Holds the key that signs receipts: EIP-712, a key of its own that never signs a transaction. */
export interface ReceiptSigner {
  readonly address: Address;
  sign(receipt: ReceiptData): Promise<Hex>;
}

/** A signed authorization of EIP-3009 and its terms, in Unix seconds; `declared` is for those who list what is sold. */
export type PaymentOrder = {
  authorization: {
    from: Address;
    to: Address;
    value: bigint;
    validAfter: bigint;
    validBefore: bigint;
    nonce: Hex;
  };
  signature: Hex;
  /** The token, which is also the domain the payer signed over. */
  token: { address: Address; name: string; version: string; chainId: number };
  maxTimeoutSeconds: number;
  resourceUrl: string;
  declared?: { description: string; serviceName: string; extensions: Record<string, unknown> } | undefined;
};

/** A facilitator's word on an order. `reason` is its stable word, or "unspecified". */
export type FacilitatorVerdict =
  | { kind: "good" }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; cause: unknown };

/** What a facilitator says it has done. Only the chain knows whether that is so. */
export type FacilitatorOutcome =
  | { kind: "settled"; txHash: Hex }
  | { kind: "refused"; reason: string }
  /** No answer in time, an unusable one, or one that leaves it open. */
  | { kind: "unknown"; cause: unknown };

/** Moves the money of signed authorizations (x402 scheme `exact`). Nothing throws: trouble is `unknown`. */
export interface Facilitator {
  verify(order: PaymentOrder): Promise<FacilitatorVerdict>;
  /** Repeating it for the same order moves no more money: the authorization is good once. */
  settle(order: PaymentOrder): Promise<FacilitatorOutcome>;
}

/** What a challenge is made of. */
export type ChallengeDraft = RequestBinding &
  Pick<ChallengeClaims, "payTo" | "amountUnits" | "expiresAt"> & {
    description: string;
    /** Makes two challenges of the same terms two. */
    salt: string;
  };

/** The answer to one of our challenges. Nothing of it has been looked for on the chain. */
export type ChallengeAnswer = ChallengeClaims & {
  /** Whom it names as its payer; null when it names nobody. */
  payer: Address | null;
  /** A transaction to be sent by us, or the hash of one that its payer has sent. */
  given: { kind: "signed"; transaction: SignedTransaction } | { kind: "sent"; hash: Hex };
};

/** What a credential turns out to be. */
export type ReadCredential =
  | { kind: "answer"; answer: ChallengeAnswer }
  /** Its challenge is none of ours, or was changed. */
  | { kind: "foreign" }
  /** `problem` ends the sentence "The header …". */
  | { kind: "malformed"; problem: string };

/**
 * Payments by MPP (method tempo, intent charge). Challenges carry their own proof: whoever has the same key knows them
 * again, no process remembers any.
 * @see https://mpp.dev
 */
export interface MachinePayments {
  /** Where the money moves. */
  readonly chain: Chain;
  /** The token that is asked for. */
  readonly currency: Address;
  /** The service, as its challenges name it. */
  readonly realm: string;
  /** Blocks a payment must lie in the chain. */
  readonly confirmations: number;
  /** A value of WWW-Authenticate. */
  challenge(draft: ChallengeDraft): string;
  /** @param credential what follows the word Payment */
  read(credential: string): Promise<ReadCredential>;
  /** A value of Payment-Receipt. */
  receipt(paid: { txHash: Hex; at: Date }): string;
}

/** A proof that is looked for: the agent, and the service's prefix in front of its id (`helixa`). */
export type SoughtProof = { tokenId: number; prefix: string };

/** What a platform shows about an account that proves an agent. */
export type FoundProof = {
  /** The platform's own id of the account, which outlives its names. */
  accountId: string;
  /** As the platform writes it. */
  handle: string;
  username: string | null;
  /** Where the proof is, and which state of it was seen. */
  evidence: ProofEvidence;
};
export type ProofEvidence = { url: string; id: string; revision?: string; etag?: string };

/** A definite answer of the platform: the account shows no proof. `reason` is a sentence for whoever asked. */
export type NoProof = { reason: string };

/** A proof as it was recorded. `evidence` is as an earlier version of this service may have stored it. */
export type KnownProof = SoughtProof & Pick<FoundProof, "accountId" | "handle" | "username"> & { evidence: unknown };

/**
 * Reads the proofs on one platform (core/proof-platforms.ts). What the platform says is a value; every method throws
 * `Failure("upstream_unavailable")` when it said nothing of use.
 */
export interface ProofReader<Claim> {
  /** Looks for the proof where the claim says it is. */
  find(claim: Claim, sought: SoughtProof, spend?: Spend): Promise<FoundProof | NoProof>;
  /** How many proofs `recheck` takes at once. */
  readonly batch: number;
  /** Looks again at proofs once found, in their order. Null = the platform said nothing about this one. */
  recheck(proofs: readonly KnownProof[], spend?: Spend): Promise<(FoundProof | NoProof | null)[]>;
}

/**
 * Takes one request from an allowance before it is sent.
 * @param rate what the upstream allows in all @returns seconds to wait when there is none left; 0 when it was taken
 */
export type Spend = (rate: { burst: number; perSecond: number }) => Promise<number>;

/** The reader of each platform, by the platform's key. */
export type ProofReaders = { [K in ProofPlatformKey]: ProofReader<ClaimsByPlatform[K]> };

/** Reputation by Ethos (0 to 2800). */
export interface Ethos {
  /** How many addresses one call takes. */
  readonly batch: number;
  /**
   * Scores of wallets; null for those it knows nothing about, undefined for those whose answer cannot be read.
   * @throws Failure upstream_unavailable
   */
  scores(wallets: readonly Address[]): Promise<Map<Address, number | null | undefined>>;
}

/** The identity provider that vouches for humans. Its access tokens name nobody's wallet. */
export interface IdentityProvider {
  /**
   * Whom an access token (a JWT) is of: issuer and subject together are the principal.
   * @throws Failure unauthenticated for a token that is not good, upstream_unavailable when the provider's keys cannot be
   *   had: that is no verdict
   */
  verify(accessToken: string, now: Date): Promise<{ issuer: string; subject: string }>;
}

/** What a server gives to tell the versions of a document apart (RFC 9110). */
export type Validators = { etag: string | null; lastModified: string | null };

/** A page of a registry's items in their own form. `next` names the page behind it, null at the end. */
export type RegistryPage = {
  items: readonly unknown[];
  next: unknown;
  /** How many items there are in all, where the registry tells. */
  expected: number | null;
  /** Of this very page; null where the registry gives none. */
  validators: Validators | null;
  /** Why it ends here although there may be more, one sentence: what was not shown is not gone. */
  cut?: string;
  /** Its place, of a single item, when that item is beyond the size limit and was stepped over. */
  steppedOver?: string;
  /** It comes from the other end: once it shows nothing that is new to the sweep, the sweep has seen everything. */
  meets?: true;
};

/** A registry of agents that is read page by page. */
export interface Registry {
  /** Whether it can be asked for what changed since a moment. */
  readonly incremental: boolean;
  /** Whether pages of one sweep may hold the same items by design. */
  readonly overlapping?: boolean;
  /**
   * @param cursor `next` of the page before; null for the first page
   * @param since ISO 8601: only items that changed since; null for all
   * @param known of the version that is known already; not with `since`
   * @returns `unchanged` when the page is still the known version; it was neither sent nor read
   * @throws Failure upstream_unavailable when it does not answer, or not in its own form
   */
  page(cursor: unknown, since: string | null, known?: Validators | null): Promise<RegistryPage | "unchanged">;
}

/** The registries by their key in core/directory/registries.ts. */
export type Registries = Record<string, Registry>;

/** A document by its URL. `final`: asking again soon would not help. `reason` is a sentence. */
export type FetchedDocument =
  | { kind: "fetched"; text: string; validators: Validators | null }
  | { kind: "unchanged" }
  | { kind: "failed"; reason: string; final: boolean }
  /** Its server was not asked: it is its turn again in so many seconds. */
  | { kind: "deferred"; seconds: number };

/** Fetches what foreign URIs lead to. Never throws: what cannot be had is an answer. */
export interface Documents {
  /** @param known of the version that is known already */
  get(url: string, known: Validators | null): Promise<FetchedDocument>;
}

/** What a market says about a token, in US dollars; `basis` names what stands for the capitalisation. */
export type TokenQuote = {
  symbol: string | null;
  name: string | null;
  marketCapUsd: number | null;
  basis: "market_cap" | "fdv" | null;
  priceChange24h: number | null;
  volume24hUsd: number | null;
  liquidityUsd: number | null;
};

/** A place that knows what tokens of the chain trade at. */
export interface Markets {
  /** As `market_data_source` names it. */
  readonly source: string;
  /** Most tokens of one request. */
  readonly batch: number;
  /**
   * Quotes by token; those it does not know are left out.
   * @param tokens addresses in lower case
   * @throws Failure upstream_unavailable
   */
  quotes(tokens: readonly string[]): Promise<Map<string, TokenQuote>>;
}

/** What came of sending something to a webhook's URL. Half-sentences say why there is no status. */
export type WebhookPost =
  | { kind: "answered"; status: number; retryAfterSeconds: number | null }
  | { kind: "unanswered"; reason: string; timedOut: boolean }
  | { kind: "refused"; reason: string }
  /** Not sent: the host has as much to do as it is given. */
  | { kind: "deferred"; seconds: number };

/** Which URLs may be webhooks. */
export interface WebhookTargets {
  /** Why a URL must not be one, a half-sentence ("must …"); null when it may. */
  problem(url: string): string | null;
}

/** The servers of strangers that webhooks lead to. Nothing throws. */
export interface WebhookReceivers {
  /**
   * Sends JSON once. Redirects are not followed.
   * @param options.slow the receiver was slow lately: it gets a small part of what its host is given
   */
  post(url: string, headers: Record<string, string>, body: string, options?: { slow?: boolean }): Promise<WebhookPost>;
}

/** Seals small secrets that must be read again, so that a stolen database tells none of them. */
export interface SecretBox {
  /** @param context what the secret belongs to; it opens for nothing else */
  seal(secret: Uint8Array, context: string): Uint8Array;
  /** @throws Error when the key is gone, the bytes were changed or the context is another */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** Whether the key that seals now has sealed it. */
  isCurrent(sealed: Uint8Array): boolean;
  /** Names a text can be counted under and not be read from: one for each key, of the key in use first. */
  pseudonyms(text: string): [string, ...string[]];
}

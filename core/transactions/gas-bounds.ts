/**
 * Gas limits of every transaction the service signs and of every call a node simulates for it. They bound untrusted
 * contract code: it can neither make a transaction too large for a block nor keep a node busy.
 */

/** Max gas of one transaction on Base and Ethereum since Fusaka (EIP-7825); nodes refuse more. */
const TRANSACTION_CAP = 16_777_216n;

/**
 * Max gas of a transaction by the kind of its intent, which is the prefix of its key. Measured use with the largest
 * input: mint 0.48 M for a plain receiver, award 0.04 M, trait 0.32 M, personality or narrative text of 2,048 bytes 1.6 M, verify
 * 0.05 M, exchange 0.07 M, root 0.09 M, token URI 0.10 M and 0.02 M for each further 32 bytes of PUBLIC_URL.
 * Bound: gas of our transactions, by kind from 21 k to 5 M; tip and fee are capped (TX_MAX_*), and 64 are in flight.
 */
const OF_INTENT: Record<string, bigint> = {
  mint: 1_000_000n,
  award: 400_000n,
  profile: 5_000_000n,
  verify: 200_000n,
  proof: 400_000n,
  exchange: 200_000n,
  uri: 400_000n,
  root: 250_000n,
  oracle: 14_000_000n,
};
/** Max gas of a kind without an entry. */
const OTHER_GAS = 1_000_000n;

/** Gas of a batch of scores for the per-token oracle: measured 0.03 M, and 0.028 M for each score that is new there. */
export const oracleGas = (scores: number): bigint => 60_000n + 33_000n * BigInt(scores);
/** Max scores per batch: a quarter of what the bound of its kind allows. */
export const ORACLE_BATCH = 100;

/** Gas of a transfer of 0 to an account without code, on every EVM chain. */
export const TRANSFER_GAS = 21_000n;

/** Max gas of a receiver's onERC721Received, simulated before a mint is accepted. A mint's limit keeps room for its own 0.48 M. */
export const RECEIVER_GAS = 500_000n;
/** Max gas of a contract wallet's check of a signature (ERC-1271), including its deployment (ERC-6492). */
export const SIGNATURE_GAS = 3_000_000n;
/** Max gas of a read of an untrusted contract: a token's name, symbol or balance. */
export const READ_GAS = 1_000_000n;
/** Max gas of the settlement of one payment: transferWithAuthorization, with a contract wallet's check of the signature. */
export const SETTLEMENT_GAS = 1_000_000n;

const smallest = (a: bigint, b: bigint) => (a < b ? a : b);

/** Max gas of an intent's transaction by its kind. */
export const kindGasBound = (intentKey: string): bigint =>
  OF_INTENT[intentKey.slice(0, intentKey.indexOf(":"))] ?? OTHER_GAS;

/**
 * Max gas of an intent's transaction, limited by the chain's block.
 * @param intent.gasBound the most that a free write may use; null for any other
 */
export function intentGasBound(
  { intentKey, gasBound }: { intentKey: string; gasBound: bigint | null },
  blockGasLimit: bigint,
): bigint {
  const most = kindGasBound(intentKey);
  return smallest(smallest(most, gasBound ?? most), smallest(blockGasLimit, TRANSACTION_CAP));
}

/**
 * Max gas of a call that writes a part of a profile. Measured: 23 k for each 32 bytes that are new on the chain, 5 k for
 * each 32 bytes that are cleared there, and 95 k besides.
 * @param cleared bytes of the text that the call replaces
 */
export function profileGas(data: string, cleared: number): bigint {
  const words = BigInt(Math.ceil((data.length - 2) / 64));
  const replaced = BigInt(Math.ceil(cleared / 32));
  return smallest(150_000n + 30_000n * words + 6_000n * replaced, OF_INTENT.profile!);
}

/** An estimate plus 30 %, because use may grow between simulation and inclusion; at most the bound. */
export const withMargin = (estimate: bigint, bound: bigint): bigint => smallest((estimate * 13n) / 10n, bound);

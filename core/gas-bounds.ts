/**
 * Most gas of everything the service signs or has a node simulate. Whatever code a stranger deployed gets no more, so it
 * can neither make a transaction that no block takes nor keep a node busy.
 */

/** Most gas of one transaction on Base and Ethereum since Fusaka (EIP-7825): nodes refuse more. */
const TRANSACTION_CAP = 16_777_216n;

/**
 * Most gas of a transaction by the kind of its intent, which is the prefix of its key. Measured use, largest input
 * included: mint 0.48 M for a plain receiver, award 0.04 M, trait 0.32 M, personality or narrative text 3.06 M, verify
 * 0.05 M, exchange 0.07 M, token URI 0.10 M and 0.02 M for each further 32 bytes of PUBLIC_URL.
 */
const OF_INTENT: Record<string, bigint> = {
  mint: 1_000_000n,
  award: 400_000n,
  profile: 5_000_000n,
  verify: 200_000n,
  proof: 400_000n,
  exchange: 200_000n,
  uri: 400_000n,
};
/** Of a kind without a row of its own. */
const OF_OTHERS = 1_000_000n;

/** A transfer of nothing to an account without code, on every EVM chain. */
export const TRANSFER_GAS = 21_000n;

/** A receiver's onERC721Received, asked before a mint is accepted. Leaves a mint room for its own 0.48 M. */
export const RECEIVER_GAS = 500_000n;
/** A contract wallet's verdict on a signature (ERC-1271), its deployment included (ERC-6492). */
export const SIGNATURE_GAS = 3_000_000n;
/** A read of a contract that a stranger named: a token's name, symbol or balance. */
export const READ_GAS = 1_000_000n;
/** The settlement of one payment: transferWithAuthorization with a contract wallet's verdict on the signature. */
export const SETTLEMENT_GAS = 1_000_000n;

const smallest = (a: bigint, b: bigint) => (a < b ? a : b);

/** Most gas of an intent's transaction, within what a block of the chain takes. */
export function intentGasBound(intentKey: string, blockGasLimit: bigint): bigint {
  const kind = intentKey.slice(0, intentKey.indexOf(":"));
  return smallest(OF_INTENT[kind] ?? OF_OTHERS, smallest(blockGasLimit, TRANSACTION_CAP));
}

/** An estimate with 30 % on top, for what changes between simulation and inclusion, and never above the bound. */
export const withMargin = (estimate: bigint, bound: bigint): bigint => smallest((estimate * 13n) / 10n, bound);

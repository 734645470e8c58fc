/** Keys: what the service signs and what its transactions may cost. */
import type { BUDGETS } from "./budgets.ts";
import { address, flag, gwei, hash, integer, list, p256Key } from "./checks.ts";
import { secret, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Keys` in `.env.example`. */
export const KEYS = {
  DEPLOYER_PRIVATE_KEY: secret(
    variable(["workers"], "Owner of the identity token: mints, verifies, awards points", hash),
  ),
  RECEIPT_SIGNER_PRIVATE_KEY: secret(
    variable(
      ["api", "workers"],
      "Signs receipts of cred reports and manifests of snapshots and checkpoints (EIP-712); sends no transaction",
      hash,
    ),
  ),
  RECEIPT_FORMER_SIGNERS: variable(
    ["api"],
    "Addresses whose receipts are still accepted after the signer was changed, comma list",
    list(address),
    "",
  ),
  AGENT_CARD_PRIVATE_KEY: secret(
    variable(
      ["api"],
      "P-256 key that signs the A2A agent card (JWS); its public key is at /.well-known/jwks.json",
      p256Key,
    ),
  ),
  TX_MAX_FEE_GWEI: variable(
    ["api", "workers"],
    "Cap of the fee per gas a transaction may be raised to; recent blocks narrow it to four times the base fee",
    gwei,
    "5",
  ),
  TX_MAX_TIP_GWEI: variable(
    ["api", "workers"],
    "Cap of the tip per gas, which is paid in full; recent blocks narrow it to five times what others pay",
    gwei,
    "0.1",
  ),
  TX_DAILY_BUDGET_MILLIETHER: variable(
    ["workers"],
    "Max cost of transactions per day (UTC), half of it for free writes; above it the sender sends nothing and the API refuses writes; 0 = no limit",
    integer(0, 1_000_000_000),
    "50",
  ),
  TX_STUCK_SECONDS: variable(
    ["workers"],
    "A transaction not mined after this long is replaced at a higher fee",
    integer(1, 3600),
    "12",
  ),
  TX_MIN_BALANCE_MILLIETHER: variable(
    ["workers"],
    "Below this balance new writes are refused (1000 = 1 ETH)",
    integer(0, 1_000_000),
    "1",
  ),
  TOKEN_URIS: variable(
    ["workers"],
    "Whether the service sets the tokenURI of tokens to PUBLIC_URL/api/v2/metadata/{id} and pays the gas: tokens it mints, and other tokens without one (unset: when PUBLIC_URL is https and has a public name)",
    flag,
  ),
} satisfies Record<string, Variable>;

/** Blocks on top of a registration before its bonus points are awarded: the token id must be final. */
const AWARD_CONFIRMATIONS = 3;
const WEI_PER_MILLIETHER = 1_000_000_000_000_000n;

/**
 * Options of `sender`, `tokenUris`, `agentCard`, `receipts` in the configuration.
 * @param publicUrl canonical URL of the service
 */
export function keysConfig(v: ValuesOf<typeof KEYS & typeof BUDGETS>, publicUrl: string) {
  return {
    sender: {
      privateKey: v.DEPLOYER_PRIVATE_KEY,
      maxFeePerGasWei: v.TX_MAX_FEE_GWEI,
      maxTipPerGasWei: v.TX_MAX_TIP_GWEI,
      dailyBudgetWei: BigInt(v.TX_DAILY_BUDGET_MILLIETHER) * WEI_PER_MILLIETHER,
      stuckAfterMs: v.TX_STUCK_SECONDS * 1000,
      minBalanceWei: BigInt(v.TX_MIN_BALANCE_MILLIETHER) * WEI_PER_MILLIETHER,
      awardConfirmations: AWARD_CONFIRMATIONS,
    },
    tokenUris: {
      write: v.TOKEN_URIS ?? isPublic(new URL(publicUrl)),
      perDay: v.DAILY_BUDGETS["token-uris"],
    },
    agentCard: { privateKey: v.AGENT_CARD_PRIVATE_KEY },
    receipts: { privateKey: v.RECEIPT_SIGNER_PRIVATE_KEY, formerSigners: v.RECEIPT_FORMER_SIGNERS },
  };
}

/** Names that no public DNS server resolves (RFC 2606, RFC 6761, RFC 6762). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|test|invalid|home\.arpa)$/;

/** Whether others can reach the URL: https and a public name. A token keeps the URI that is written into it. */
const isPublic = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" && /\.[a-z][a-z0-9-]*$/.test(hostname) && !PRIVATE_NAME.test(hostname);

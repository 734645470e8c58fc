/** The texts people and agents sign, byte for byte. Their beginnings differ, so a signature of one never passes as another. */

/** What an agent's wallet signs (spec: SIWA). Address and timestamp stand as they were sent. */
export const siwaText = (host: string, address: string, timestamp: string): string =>
  signInLine("Agent", host, address, timestamp);

/** What a human's wallet may sign instead of an EIP-4361 message. Address and timestamp stand as they were sent. */
export const siweLine = (host: string, address: string, timestamp: string): string =>
  signInLine("Ethereum", host, address, timestamp);

const signInLine = (scheme: "Agent" | "Ethereum", host: string, address: string, timestamp: string): string =>
  `Sign-In With ${scheme}: ${host} wants you to sign in with your wallet ${address} at ${timestamp}`;

/**
 * What a human's wallet signs (EIP-4361): the nonce is the timestamp as sent, Issued At the same moment as ISO 8601. The
 * standard demands a checksummed address. `webUrl` is its URI.
 */
export const siweText = (parts: {
  host: string;
  address: string;
  serviceName: string;
  webUrl: string;
  chainId: number;
  timestamp: string;
  issuedAt: string;
  /** Ends the statement with a period. */
  period?: boolean;
}): string =>
  [
    `${parts.host} wants you to sign in with your Ethereum account:`,
    parts.address,
    "",
    `Sign in to ${parts.serviceName}${parts.period ? "." : ""}`,
    "",
    `URI: ${parts.webUrl}`,
    "Version: 1",
    `Chain ID: ${parts.chainId}`,
    `Nonce: ${parts.timestamp}`,
    `Issued At: ${parts.issuedAt}`,
  ].join("\n");

/** What the signature of a Solana key is asked for. */
export type SolanaPurpose = "verify" | "register";

/**
 * What the holder of a Solana key signs (CAIP-122, in the form Solana wallets know and show as a sign-in). The statement
 * says what the signature may be used for, and where a registered identity goes.
 */
export const solanaSignInText = (parts: {
  host: string;
  serviceName: string;
  webUrl: string;
  /** In base58. */
  address: string;
  purpose: SolanaPurpose;
  /** Checksummed receiver of the identity; null leaves it to the request. */
  recipient: string | null;
  nonce: string;
  issuedAt: string;
  expiresAt: string;
}): string =>
  [
    `${parts.host} wants you to sign in with your Solana account:`,
    parts.address,
    "",
    solanaStatement(parts),
    "",
    `URI: ${parts.webUrl}`,
    "Version: 1",
    "Chain ID: mainnet",
    `Nonce: ${parts.nonce}`,
    `Issued At: ${parts.issuedAt}`,
    `Expiration Time: ${parts.expiresAt}`,
  ].join("\n");

function solanaStatement(parts: { serviceName: string; purpose: SolanaPurpose; recipient: string | null }): string {
  const { serviceName, purpose, recipient } = parts;
  if (purpose === "verify") return `Prove to ${serviceName} that this account is yours. Nothing is registered.`;
  const receiver = recipient ?? "the wallet that the registration names, or else to the one that pays for it";
  return `Register this account as an agent of ${serviceName}. The identity goes to ${receiver}.`;
}

/** What an owner signs to change an agent without SIWA. */
export const humanUpdateText = (serviceName: string, tokenId: number, timestampMs: number): string =>
  `${serviceName}: Update agent #${tokenId} at ${timestampMs}`;

/** Reads a human-update text back; null unless the whole text is one, in exactly the form `humanUpdateText` writes. */
export function parseHumanUpdate(serviceName: string, text: string): { tokenId: number; timestampMs: number } | null {
  const match = /#(\d{1,15}) at (\d{13})$/.exec(text);
  if (!match) return null;
  const parsed = { tokenId: Number(match[1]), timestampMs: Number(match[2]) };
  return humanUpdateText(serviceName, parsed.tokenId, parsed.timestampMs) === text ? parsed : null;
}

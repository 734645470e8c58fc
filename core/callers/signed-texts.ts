/** The texts that people and agents sign, byte for byte. Their beginnings differ, so a signature of one text is never valid for another. */
import { canonicalHash } from "../canonical-json.ts";

/** The text an agent's wallet signs (spec: SIWA), with address and timestamp as they were sent. */
export const siwaText = (host: string, address: string, timestamp: string): string =>
  signInLine("Agent", host, address, timestamp);

/** The text a human's wallet may sign instead of an EIP-4361 message, with address and timestamp as they were sent. */
export const siweLine = (host: string, address: string, timestamp: string): string =>
  signInLine("Ethereum", host, address, timestamp);

const signInLine = (scheme: "Agent" | "Ethereum", host: string, address: string, timestamp: string): string =>
  `Sign-In With ${scheme}: ${host} wants you to sign in with your wallet ${address} at ${timestamp}`;

/**
 * The text a human's wallet signs (EIP-4361). The nonce is the timestamp as sent; Issued At is the same moment in ISO
 * 8601. The standard requires a checksummed address. `webUrl` is the URI.
 */
export const siweText = (parts: {
  host: string;
  address: string;
  serviceName: string;
  webUrl: string;
  chainId: number;
  timestamp: string;
  issuedAt: string;
  /** Whether the statement ends with a period. */
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

/** Purpose of a Solana key's signature. */
export type SolanaPurpose = "verify" | "register";

/**
 * The text the holder of a Solana key signs (CAIP-122, in the form that Solana wallets recognise and show as a sign-in).
 * The statement names the purpose of the signature, and the receiver of a registered identity.
 */
export const solanaSignInText = (parts: {
  host: string;
  serviceName: string;
  webUrl: string;
  /** Solana address in base58. */
  address: string;
  purpose: SolanaPurpose;
  /** Checksummed receiver of the identity; null: the request decides. */
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

/**
 * What a human update's text may bind in addition to agent and time.
 * @property host of the service, as in SIWA
 * @property digest `contentDigest` of the change
 */
export type BoundContent = { host: string; digest: string };

/**
 * The text an owner signs to change an agent without SIWA. Without `content`, a holder of the signature can use it once
 * for any change, at any deployment of the service's name.
 */
export const humanUpdateText = (
  serviceName: string,
  tokenId: number | string,
  timestampMs: number | string,
  content?: BoundContent,
): string =>
  `${serviceName}: Update agent #${tokenId} at ${timestampMs}${
    content ? ` on ${content.host} with content sha256:${content.digest}` : ""
  }`;

export type HumanUpdateText = { tokenId: number; timestampMs: number; content?: BoundContent };

const HUMAN_UPDATE = /#(\d{1,15}) at (\d{13})(?: on (\S{1,260}) with content sha256:([0-9a-f]{64}))?$/;

/** Parses a human-update text; null unless the whole text has exactly a form that `humanUpdateText` writes. */
export function parseHumanUpdate(serviceName: string, text: string): HumanUpdateText | null {
  const match = HUMAN_UPDATE.exec(text);
  if (!match) return null;
  const [, id, at, host, digest] = match;
  const parsed = {
    tokenId: Number(id),
    timestampMs: Number(at),
    ...(host !== undefined && digest !== undefined && { content: { host, digest } }),
  };
  return humanUpdateText(serviceName, parsed.tokenId, parsed.timestampMs, parsed.content) === text ? parsed : null;
}

/**
 * The digest of a change that its owner signs: SHA-256, in hex, of the JSON in canonical form (RFC 8785).
 * @param content the body of the request without `message` and `signature`: a value of JSON
 */
export const contentDigest = (content: object): string => canonicalHash(content);

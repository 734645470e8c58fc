/**
 * Signatures of an A2A agent card: a JWS each (RFC 7515, ES256, detached payload) over its canonical form (RFC 8785)
 * without `signatures`. The card has members of two versions of the protocol, and its readers canonicalize two things:
 * all members as they were sent, or those of version 1.0, which is what a typed reader keeps. So there is a signature
 * of each, and a reader takes the one that holds.
 * @see https://a2a-protocol.org/latest/specification/#84-agent-card-signing
 */
import { p256 } from "@noble/curves/nist.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import type { Hex } from "./agents/facts.ts";
import { canonicalBytes } from "./canonical-json.ts";

/** A public key as a JSON Web Key (RFC 7517). */
export type PublicKey = { kty: "EC"; crv: "P-256"; x: string; y: string; kid: string; alg: "ES256"; use: "sig" };
export type AgentCardSignature = { protected: string; signature: string };

/** Members of a card and of its parts in version 1.0; a reader of that version drops the others. */
const VERSION_1 = {
  capabilities: ["streaming", "pushNotifications", "extensions", "extendedAgentCard"],
  card: [
    ...["name", "description", "supportedInterfaces", "provider", "version", "documentationUrl", "capabilities"],
    ...["securitySchemes", "securityRequirements", "defaultInputModes", "defaultOutputModes", "skills", "iconUrl"],
  ],
};

const pick = (from: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** The members of a card that version 1.0 has. */
export const inVersion1 = (card: { capabilities?: unknown }): Record<string, unknown> => ({
  ...pick(card, VERSION_1.card),
  ...(card.capabilities !== null &&
    typeof card.capabilities === "object" && { capabilities: pick(card.capabilities, VERSION_1.capabilities) }),
});

const secretOf = (privateKey: Hex) => hexToBytes(privateKey.slice(2));

/** @returns the public key of a P-256 private key; its id is its thumbprint (RFC 7638) */
export function publicKeyOf(privateKey: Hex): PublicKey {
  const point = p256.getPublicKey(secretOf(privateKey), false);
  const key = {
    ...({ crv: "P-256", kty: "EC" } as const),
    x: base64urlnopad.encode(point.slice(1, 33)),
    y: base64urlnopad.encode(point.slice(33)),
  };
  const kid = base64urlnopad.encode(sha256(canonicalBytes(key)));
  return { ...key, kid, alg: "ES256", use: "sig" };
}

/**
 * The signatures of a card, the same for the same card and key (RFC 6979).
 * @param jku where the public key is published
 */
export function signaturesOf(card: { capabilities: object }, privateKey: Hex, jku: string): AgentCardSignature[] {
  const header = { alg: "ES256", typ: "JOSE", kid: publicKeyOf(privateKey).kid, jku };
  const sign = (signed: object): AgentCardSignature => {
    const [protectedHeader, payload] = [header, signed].map((part) => base64urlnopad.encode(canonicalBytes(part)));
    const signature = p256.sign(utf8ToBytes(`${protectedHeader}.${payload}`), secretOf(privateKey), { lowS: false });
    return { protected: protectedHeader!, signature: base64urlnopad.encode(signature) };
  };
  return [sign(inVersion1(card)), sign(card)];
}

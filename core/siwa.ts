/** SIWA credentials: finding one in the request's headers, reading it, and the time it is good for. No signature is checked here. */
import { checksum } from "./addresses.ts";
import { fail } from "./errors.ts";
import type { Address, Hex } from "./facts.ts";
import { siwaText } from "./signed-texts.ts";

export type SiwaCredential = {
  address: Address;
  /** Milliseconds since 1970. */
  issuedAt: number;
  signature: Hex;
  /** Address and timestamp as they were sent: the signed text holds them verbatim. */
  sent: { address: string; timestamp: string };
};

/** A credential is good for one hour after its timestamp … */
export const SIWA_LIFETIME_MS = 3_600_000;
/** … and may be this much ahead of our clock. */
export const SIWA_SKEW_MS = 300_000;
/** Greatest length of a header that may hold a credential; wallets that are contracts sign at length (ERC-6492). */
export const SIWA_MAX_LENGTH = 8192;

const SHAPE = /^(0x[0-9a-fA-F]{40}):(\d{13}|\d{10}):(0x(?:[0-9a-fA-F]{2})+)$/;
const LOOKS_LIKE_ONE = /^0x[0-9a-fA-F]{40}:/;

/**
 * The SIWA credential of a request, from `Authorization` or `X-SIWA`, with or without the word Bearer, beside other
 * credentials in a comma list.
 * @returns null when there is none (no header, another scheme, an access token).
 * @throws unauthenticated when there is one that cannot be read; invalid_input when there are two different ones.
 */
export function findSiwa(headers: {
  authorization?: string | undefined;
  siwa?: string | undefined;
}): SiwaCredential | null {
  const found = [headers.authorization, headers.siwa].flatMap((value) => candidates(value));
  const [first, ...others] = new Set(found);
  if (first === undefined) return null;
  if (others.length > 0) fail("invalid_input", "The request carries two different SIWA credentials; send one.");
  return parseSiwa(first);
}

/**
 * Reads a credential `{address}:{timestamp}:{signature}`, with or without the word Bearer. The timestamp has 13 digits
 * (milliseconds) or 10 (seconds).
 * @throws unauthenticated when it is not of that shape or longer than 8 KiB.
 */
export function parseSiwa(value: string): SiwaCredential {
  if (value.length > SIWA_MAX_LENGTH) malformed("is longer than 8 KiB");
  const match = SHAPE.exec(withoutScheme(value));
  if (!match) malformed("must be {address}:{timestamp}:{signature}");
  const [, address, timestamp, signature] = match as unknown as [string, string, string, Hex];
  return {
    address: address.toLowerCase() as Address,
    issuedAt: Number(timestamp) * (timestamp.length === 10 ? 1000 : 1),
    signature,
    sent: { address, timestamp },
  };
}

/**
 * Refuses a credential outside its time: older than an hour, or more than five minutes ahead.
 * @throws unauthenticated
 */
export function checkSiwaTime(credential: Pick<SiwaCredential, "issuedAt">, now: Date): void {
  const age = now.getTime() - credential.issuedAt;
  if (age > SIWA_LIFETIME_MS)
    fail("unauthenticated", "The SIWA credential has expired.", { hint: "Sign a new one; it is good for one hour." });
  if (age < -SIWA_SKEW_MS)
    fail("unauthenticated", "The SIWA credential is dated in the future.", { hint: "Check the clock of the signer." });
}

/** Every text whose signature is accepted for a credential: each host, the address as sent or checksummed. */
export function siwaTexts(hosts: readonly string[], credential: SiwaCredential): string[] {
  const { address, timestamp } = credential.sent;
  const forms = [...new Set([address, checksum(credential.address)])];
  return hosts.flatMap((host) => forms.map((form) => siwaText(host, form, timestamp)));
}

/** The parts of a header that look like a SIWA credential. A header too long to read counts as one, unread. */
function candidates(header: string | undefined): string[] {
  if (!header) return [];
  if (header.length > SIWA_MAX_LENGTH) return [header];
  return header
    .split(",")
    .map(withoutScheme)
    .filter((part) => LOOKS_LIKE_ONE.test(part));
}

const withoutScheme = (value: string): string => value.trim().replace(/^bearer\s+/i, "");

function malformed(problem: string): never {
  fail("unauthenticated", `The SIWA credential ${problem}.`, {
    hint: "Authorization: Bearer {address}:{timestamp}:{signature}",
  });
}

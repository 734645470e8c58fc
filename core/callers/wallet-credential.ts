/** Credentials of wallets, `{address}:{timestamp}:{signature}`: finds one in a request's headers, parses it, checks its time, and lists the texts that may have been signed. No signature is checked here. */
import { checksum } from "../addresses.ts";
import type { Address, Hex } from "../agents/facts.ts";
import { fail } from "../errors.ts";
import { siwaText, siweLine, siweText } from "./signed-texts.ts";

/** Whether an agent (SIWA) or a human (SIWE) signed in: it follows from the text that was signed. */
export type SignInKind = "siwa" | "siwe";

export type WalletCredential = {
  address: Address;
  /** Milliseconds since 1970. */
  issuedAt: number;
  signature: Hex;
  /** Address and timestamp as they were sent: the signed text holds them verbatim. */
  sent: { address: string; timestamp: string };
};

/** The service as the signed texts name it. */
export type SignInService = { hosts: readonly string[]; name: string; webUrl: string; chainId: number };

/** A credential is valid for one hour after its timestamp. */
export const CREDENTIAL_LIFETIME_MS = 3_600_000;
/** A credential's timestamp may be up to five minutes ahead of the server's clock. */
export const CREDENTIAL_SKEW_MS = 300_000;
/**
 * The first valid timestamp of a credential after all credentials of a wallet were revoked at `at`. Every credential that
 * could be accepted at that moment has an earlier timestamp, including timestamps ahead of the clock. A credential with
 * exactly this timestamp is accepted one millisecond later, so the wallet can sign in again immediately.
 */
export const firstDateAfterRevocation = (at: number): number => at + CREDENTIAL_SKEW_MS + 1;
/** Max characters of a header that may hold a credential; signatures of contract wallets are long (ERC-6492). */
const MAX_CREDENTIAL_LENGTH = 8192;

const SHAPE = /^(0x[0-9a-fA-F]{40}):(\d{13}|\d{10}):(0x(?:[0-9a-fA-F]{2})+)$/;
const WITHOUT_0X = /^0x[0-9a-fA-F]{40}:(?:\d{13}|\d{10}):[0-9a-fA-F]{128,}$/;
const LOOKS_LIKE_ONE = /^0x[0-9a-fA-F]{40}:/;
/** A JWT in compact form: three parts in base64url. */
const ACCESS_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/**
 * Finds the wallet's credential of a request in `Authorization` or `X-SIWA`, with or without the word Bearer. The header may
 * be a comma-separated list with other credentials.
 * @returns null when there is none (no header, another scheme, an access token)
 * @throws unauthenticated when there is one that cannot be parsed; invalid_input when there are two different ones
 */
export function findCredential(headers: {
  authorization?: string | undefined;
  siwa?: string | undefined;
}): WalletCredential | null {
  const credentials = [headers.authorization, headers.siwa].flatMap((value) => candidates(value));
  const [first, ...others] = new Set(credentials);
  if (first === undefined) return null;
  if (others.length > 0) fail("invalid_input", "The request carries two different credentials; send one.");
  return parseCredential(first);
}

/**
 * The access token in an `Authorization` header; null when there is none.
 * @throws invalid_input when there are two different ones
 */
export function findAccessToken(authorization: string | undefined): string | null {
  if (!authorization || authorization.length > MAX_CREDENTIAL_LENGTH) return null;
  const bearers = authorization.split(",").filter((part) => /^\s*bearer\s/i.test(part));
  const [first, ...others] = new Set(bearers.map(withoutScheme).filter((part) => ACCESS_TOKEN.test(part)));
  if (others.length > 0) fail("invalid_input", "The request carries two different access tokens; send one.");
  return first ?? null;
}

/**
 * Reads a credential `{address}:{timestamp}:{signature}`, with or without the word Bearer. The timestamp has 13 digits
 * (milliseconds) or 10 (seconds).
 * @throws unauthenticated when it has another form or is longer than 8 KiB
 */
export function parseCredential(value: string): WalletCredential {
  if (value.length > MAX_CREDENTIAL_LENGTH) malformed("is longer than 8 KiB");
  const match = SHAPE.exec(withoutScheme(value));
  if (!match && WITHOUT_0X.test(withoutScheme(value))) malformed("has a signature without 0x");
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
 * Refuses a credential that is older than an hour, or more than five minutes ahead of `now`.
 * @throws unauthenticated
 */
export function checkCredentialTime(credential: Pick<WalletCredential, "issuedAt">, now: Date): void {
  const age = now.getTime() - credential.issuedAt;
  if (age > CREDENTIAL_LIFETIME_MS)
    fail("unauthenticated", "The credential has expired.", { hint: "Sign a new one; it is good for one hour." });
  if (age < -CREDENTIAL_SKEW_MS)
    fail("unauthenticated", "The credential is dated in the future.", { hint: "Check the clock of the signer." });
}

/**
 * Every text whose signature is accepted for a credential: for each given kind and each host, with the address as sent
 * and checksummed. At most 10 texts of SIWE and 2 of SIWA per host. They are generated lazily, because the first one is
 * nearly always the signed one.
 */
export function* signInTexts(
  service: SignInService,
  credential: WalletCredential,
  kinds: readonly SignInKind[],
): Generator<{ kind: SignInKind; text: string }> {
  const addresses = new Set([credential.sent.address, checksum(credential.address)]);
  for (const kind of kinds)
    for (const host of service.hosts)
      for (const address of addresses)
        for (const text of TEXTS[kind](service, credential, host, address)) yield { kind, text };
}

/**
 * The same texts as signers of other languages write them: the address in lower case, and the same instant in the other forms
 * of RFC 3339 that Go, Rust and Python print. Of SIWE the shown text alone. At most 44 texts per host and kind, each of which
 * costs a recovery: a key's signature is compared with them, a contract is not asked about them.
 */
export function* otherSignInTexts(
  { hosts, name: serviceName, webUrl, chainId }: SignInService,
  { address: lower, issuedAt, sent: { address: sent, timestamp } }: WalletCredential,
  kinds: readonly SignInKind[],
): Generator<{ kind: SignInKind; text: string }> {
  const usual = new Set([sent, checksum(lower)]);
  const [written, ...others] = instantForms(issuedAt);
  for (const kind of kinds)
    for (const host of hosts)
      for (const address of new Set([...usual, lower])) {
        const isUsual = usual.has(address as Address);
        if (kind === "siwa") {
          if (!isUsual) yield { kind, text: siwaText(host, address, timestamp) };
          continue;
        }
        const parts = { host, address, serviceName, webUrl, chainId, timestamp };
        for (const form of isUsual ? others : [written!, ...others])
          yield { kind, text: siweText({ ...parts, issuedAt: form }) };
        if (!isUsual) yield { kind, text: siweLine(host, address, timestamp) };
      }
}

/** An instant of whole milliseconds in the forms of RFC 3339 in which programs print it; that of JavaScript first. */
function instantForms(ms: number): string[] {
  const iso = new Date(ms).toISOString();
  const [seconds, fraction] = [iso.slice(0, 19), iso.slice(19, 23)];
  const shortest = ms % 1_000 === 0 ? "" : String((ms % 1_000) / 1_000).slice(1);
  const fractions = [fraction, "", shortest, `${fraction}000`, `${fraction}000000`];
  return [...new Set(fractions.flatMap((part) => [`${seconds}${part}Z`, `${seconds}${part}+00:00`]))];
}

type TextsOf = (
  service: SignInService,
  credential: WalletCredential,
  host: string,
  address: string,
) => Iterable<string>;

/** The texts of a kind for one host and one form of the address. */
const TEXTS: Record<SignInKind, TextsOf> = {
  siwa: (_, { sent }, host, address) => [siwaText(host, address, sent.timestamp)],
  *siwe({ name: serviceName, webUrl, chainId }, { issuedAt, sent: { timestamp } }, host, address) {
    const at = new Date(issuedAt).toISOString();
    // Pages use either the service's address or their own as URI, and end the statement with or without a period.
    for (const uri of new Set([webUrl, `https://${host}`]))
      for (const period of [false, true])
        yield siweText({ host, address, serviceName, webUrl: uri, chainId, timestamp, issuedAt: at, period });
    yield siweLine(host, address, timestamp);
  },
};

/** The parts of a header that look like a wallet's credential. A header that is too long counts as one, unparsed. */
function candidates(header: string | undefined): string[] {
  if (!header) return [];
  if (header.length > MAX_CREDENTIAL_LENGTH) return [header];
  return header
    .split(",")
    .map(withoutScheme)
    .filter((part) => LOOKS_LIKE_ONE.test(part));
}

const withoutScheme = (value: string): string => value.trim().replace(/^bearer\s+/i, "");

/** The next step of whoever has no credential, or one that is none. */
export const HOW_TO_SIGN_IN =
  "GET /api/v2 shows the text to sign: auth.agent.message, for humans auth.human.message. Send it as Authorization: Bearer {address}:{timestamp}:{signature}.";

function malformed(problem: string): never {
  fail("unauthenticated", `The credential ${problem}.`, { hint: HOW_TO_SIGN_IN });
}

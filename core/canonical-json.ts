/** The canonical form of JSON (RFC 8785), which is hashed and signed. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";

/** @throws Error of what JSON has no form for: NaN, infinities, lone surrogates */
export const canonicalText = (value: unknown): string => canonicalize(value) as string;

/** Its bytes in UTF-8. @throws as above */
export const canonicalBytes = (value: object): Uint8Array => utf8ToBytes(canonicalText(value));

/** SHA-256 of it, in hexadecimal digits: two texts that mean the same have the same. @throws as above */
export const canonicalHash = (value: object): string => bytesToHex(sha256(canonicalBytes(value)));

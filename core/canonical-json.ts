/** The canonical form of JSON (RFC 8785), which is hashed and signed. */
import { utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";

/** Its bytes in UTF-8. @throws Error of what JSON has no form for: NaN, infinities, lone surrogates */
export const canonicalBytes = (value: object): Uint8Array => utf8ToBytes(canonicalize(value) as string);

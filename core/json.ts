/** Types of JSON values, and the check for an object. */
import { utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";

/** Its bytes in UTF-8. @throws Error of what JSON has no form for: NaN, infinities, lone surrogates */
export const canonicalBytes = (value: object): Uint8Array => utf8ToBytes(canonicalize(value) as string);

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** Whether a value is an object of JSON: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

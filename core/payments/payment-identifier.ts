/** x402's extension `payment-identifier`: a name that a client gives to a payment and that identifies its repetitions. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import { object, z } from "zod";
import { parsedWithoutNulls } from "../absent-nulls.ts";
import type { Hex } from "../agents/facts.ts";
import { canonicalBytes } from "../canonical-json.ts";

const EXTENSION = "payment-identifier";
const SHAPE = /^[A-Za-z0-9_-]{16,128}$/;

/**
 * The entry of `extensions` in the terms. The identifier is optional, because the nonce of an authorization identifies it
 * as well.
 */
export const identifierOffer = {
  [EXTENSION]: {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        required: { type: "boolean" },
        id: { type: "string", minLength: 16, maxLength: 128, pattern: SHAPE.source },
      },
      required: ["required"],
    },
  },
};

const extended = object({
  extensions: object({
    [EXTENSION]: object({ info: object({ required: z.boolean().optional(), id: z.string().regex(SHAPE).optional() }) })
      .refine(({ info }) => !info.required || info.id !== undefined)
      .optional(),
  }).optional(),
});

/**
 * The identifier in a payload of version 2.
 * @returns null without one; undefined for an invalid one: of another shape, or marked as required and missing
 */
export function readIdentifier(json: unknown): string | null | undefined {
  const read = parsedWithoutNulls(extended, json);
  return read.success ? (read.data.extensions?.[EXTENSION]?.info.id ?? null) : undefined;
}

/**
 * x402's extension `mppx`: a client that takes part derives the nonce of its authorization from the terms, the resource
 * and the request, so that its signature is valid for this request only. Others echo the extension or leave it out.
 * @see https://github.com/wevm/mppx the client's side, from version 0.8.19 on
 */

const BINDING = "mppx";

/** What a payment can be bound to in addition to its resource. `digest`: of the body, as the terms name it; null without one. */
type PaidCall = { method: string; digest: string | null };

/** The entry of `extensions` in the terms. */
export const boundNonceOffer = ({ method, digest }: PaidCall) => ({
  [BINDING]: {
    info: { method: method.toUpperCase(), ...(digest !== null && { digest }) },
    schema: {
      type: "object",
      properties: { method: { type: "string" }, digest: { type: "string" }, nonce: { type: "string" } },
      required: ["method"],
      additionalProperties: false,
    },
  },
});

const word = z.string().max(200);
const bound = object({
  accepted: z.record(z.string(), z.unknown()),
  resource: z.record(z.string(), z.unknown()),
  extensions: z
    .record(z.string(), z.unknown())
    .and(object({ [BINDING]: object({ info: object({ method: word, digest: word.optional(), nonce: word }) }) })),
});

/** The call that a client has bound its authorization to, and the nonce which that has to have. */
export type BoundNonce = PaidCall & { nonce: Hex };

/** @returns null for a payload of version 2 whose client takes no part: without a salt of its own */
export function readBoundNonce(json: unknown): BoundNonce | null {
  const read = bound.safeParse(json);
  if (!read.success) return null;
  const { accepted, resource, extensions } = read.data;
  const parts = [accepted, resource, extensions].map((part) => base64urlnopad.encode(canonicalBytes(part)));
  const { method, digest = null } = extensions[BINDING].info;
  return { method, digest, nonce: `0x${bytesToHex(sha256(utf8ToBytes(parts.join("|"))))}` };
}

/** Whether an authorization with this nonce was made for the call. @param call as this request is */
export const isBoundTo = (given: BoundNonce, nonce: Hex, call: PaidCall): boolean =>
  given.nonce === nonce &&
  given.method === call.method.toUpperCase() &&
  (given.digest === null || given.digest === call.digest);

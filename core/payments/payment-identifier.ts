/** x402's extension `payment-identifier`: a name that a client gives to a payment and that identifies its repetitions. */
import { z } from "zod";
import { parsedWithoutNulls } from "../absent-nulls.ts";

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

const extended = z.object({
  extensions: z
    .object({
      [EXTENSION]: z
        .object({ info: z.object({ required: z.boolean().optional(), id: z.string().regex(SHAPE).optional() }) })
        .refine(({ info }) => !info.required || info.id !== undefined)
        .optional(),
    })
    .optional(),
});

/**
 * The identifier in a payload of version 2.
 * @returns null without one; undefined for an invalid one: of another shape, or marked as required and missing
 */
export function readIdentifier(json: unknown): string | null | undefined {
  const read = parsedWithoutNulls(extended, json);
  return read.success ? (read.data.extensions?.[EXTENSION]?.info.id ?? null) : undefined;
}

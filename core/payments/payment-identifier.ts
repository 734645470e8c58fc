/** x402's extension `payment-identifier`: a name its client gives to a payment, by which it is the same one again. */
import { z } from "zod";

const EXTENSION = "payment-identifier";
const SHAPE = /^[A-Za-z0-9_-]{16,128}$/;

/**
 * What `extensions` of the terms tell of it: it may be given and never must, for an authorization is known again by its
 * own number.
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
 * @returns null without one, undefined when there is one that cannot be: of another shape, or said to be required and missing
 */
export function readIdentifier(json: unknown): string | null | undefined {
  const read = extended.safeParse(json);
  return read.success ? (read.data.extensions?.[EXTENSION]?.info.id ?? null) : undefined;
}

/** The answer of a preflight as the API has it. */
import { array, literal, object, z } from "zod";
import { address, bytes32, count, inWords, moment, usdc } from "../views/fields.ts";
import { THRESHOLDS, type Threshold } from "./policy.ts";
import { EFFECTS, REASONS, type ReasonKey } from "./reasons.ts";

const threshold = z.enum(Object.keys(THRESHOLDS) as [Threshold, ...Threshold[]]);
const effect = z.enum(EFFECTS);
const text = z.string();

export const preflightSchema = object({
  verdict: effect.meta({
    description:
      "allow: the evidence supports this payment. review: something is weak or does not fit. deny: the terms contradict what is shown. unrated: too little is known",
  }),
  agent: text.nullable().meta({ description: "Reference of the agent that it is about; null where none is known" }),
  url: text.nullable(),
  payTo: address.nullable().meta({ description: "Whom it is about to pay: the agent's proven wallet and nobody else" }),
  amount: usdc.nullable().meta({ description: "USDC that is required or listed; null where neither is known" }),
  maxAmount: usdc.meta({ description: "The largest payment in USDC that the evidence supports" }),
  reasons: array(
    object({
      key: z.enum(Object.keys(REASONS) as [ReasonKey, ...ReasonKey[]]),
      effect,
      says: inWords,
      threshold: threshold.nullable().meta({ description: "The caller's own threshold that it rests on" }),
      evidence: text.nullable().meta({ description: "Where to read the evidence: a path of this service" }),
      asOf: moment.nullable().meta({ description: "When the fact was read" }),
      ageSeconds: count.nullable(),
    }),
  ).meta({ description: "The heaviest first, whose effect is the verdict" }),
  policy: object({
    version: z.int(),
    hash: bytes32.meta({ description: "SHA-256 of version and thresholds in canonical JSON" }),
    thresholds: object(
      Object.fromEntries(threshold.options.map((key) => [key, z.number()])) as Record<Threshold, z.ZodNumber>,
    ),
    callers: array(threshold).meta({ description: "The thresholds that are the caller's own" }),
  }),
  at: moment,
  validUntil: moment,
  payload: text.meta({
    description:
      "The same with `inputs`, all that it follows from, in canonical JSON (RFC 8785): the verdict is a pure function of them (core/preflight/preflight.ts)",
  }),
  receipt: object({
    algorithm: literal("EIP-712"),
    signature: text.regex(/^0x[0-9a-f]{130}$/),
    signer: address,
    domain: object({ name: text, version: literal("1"), chainId: z.int(), verifyingContract: address }),
    types: z.record(text, array(object({ name: text, type: text }))),
    primaryType: literal("PaymentVerdict"),
    message: object({
      ...{ verdict: effect, agent: text, url: text, payTo: address, maxAmount: text },
      ...{ policy: bytes32, payloadHash: bytes32, at: text, validUntil: text },
    }),
  })
    .nullable()
    .meta({ description: "Binds `payload` to `receipts.signer` of GET /api/v2; null where the service has no key" }),
}).meta({ id: "Preflight" });
export type PreflightView = z.output<typeof preflightSchema>;

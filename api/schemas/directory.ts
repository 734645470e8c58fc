/** The answers of the directory, and claims about tokens. Keys are in snake_case, as the specification has them. */
import { array, object, strictObject, z } from "zod";
import { DEFECT_CODES } from "../../core/directory/file-defects.ts";
import { DIRECTORY_FILTERS, type DirectoryFilter } from "../../core/directory/filters.ts";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { FILE_STATUSES } from "../../core/directory/registration-view.ts";
import { detailFields, terminalAgentSchema } from "../../core/directory/row.ts";
import { rowBadgesSchema } from "../../core/directory/row-badges.ts";
import { MEANING_STATES } from "../../core/discovery/query.ts";
import { textSchema } from "../../core/text.ts";
import { hitSchema } from "../../core/views/discovery.ts";
import { count, moment, reservations } from "../../core/views/fields.ts";
import { shortHitSchema } from "../../core/views/found-in-short.ts";
import { textAs } from "../parameters.ts";

export const terminalListSchema = object({
  agents: array(terminalAgentSchema),
  total: count.meta({ description: "All agents the filter and the search let through" }),
  page: z.int().min(1),
  totalPages: count,
  limit: z.int().min(1),
  stats: object({
    total: count,
    scored: count.meta({ description: "Agents with a score above 0" }),
    avgScore: z.number().meta({ description: "Over the scored, one decimal" }),
    x402: count,
  }).meta({ description: "Of the whole directory" }),
}).meta({ id: "TerminalList" });

export const terminalCountsSchema = object({
  counts: object(Object.fromEntries(DIRECTORY_FILTERS.map((filter) => [filter, count])) as Counts),
}).meta({ id: "TerminalCounts" });
type Counts = Record<DirectoryFilter, typeof count>;

/** An entry of the ERC-8004 reputation registry. */
const review = object({
  client: z.string(),
  index: z.string(),
  value: z.string().meta({ description: "Decimal; what it means is up to its tags" }),
  tags: array(z.string()),
  uri: z.string().nullable(),
  revoked: z.boolean(),
  given_at: moment,
  tx_hash: z.string(),
  responses: count,
}).meta({ id: "Review" });

/** A registration in the canonical ERC-8004 registry, with the feedback of clients there. */
const registration = object({
  registry: z.string(),
  agent_uri: z.string().meta({ description: "As it is on chain, at most 2,000 characters" }),
  registered_at: moment,
  registered_block: z.int().min(0),
  tx_hash: z.string(),
  file: object({
    status: z.enum(FILE_STATUSES),
    fetched_at: moment.nullable(),
    defects: array(
      object({
        code: z.enum(DEFECT_CODES),
        says: z.string(),
        mend: z.string().nullable().meta({ description: "What its owner can do about it" }),
      }),
    ).meta({ description: "Why it is not read, and what of it was left out, cut or odd" }),
    warnings: array(z.string()).meta({ description: "The sentences of `defects`" }),
  }).meta({ description: "The registration file behind the URI, and what is wrong with it" }),
  feedback_count: count.meta({ description: "Feedback that was not taken back" }),
  reviewers: count.meta({ description: "Different clients that gave it" }),
  feedback: array(review).meta({ description: "The newest 50, those taken back among them" }),
  validation_count: count.meta({ description: "Validations that the agent's side has requested" }),
  validations: array(
    object({
      validator: z.string().meta({ description: "Chosen by the agent's side: an answer proves nothing by itself" }),
      request_hash: z.string(),
      request_uri: z.string().nullable(),
      requested_at: moment,
      tx_hash: z.string(),
      answer: object({
        response: z.int().min(0).max(255),
        tag: z.string().nullable(),
        uri: z.string().nullable(),
        hash: z.string().nullable(),
        answered_at: moment,
      })
        .nullable()
        .meta({ description: "The newest one; null until the validator has answered" }),
    }),
  ).meta({ description: "The newest 20; none while the service knows no validation registry" }),
})
  .nullable()
  .meta({ description: "Of an agent of the canonical ERC-8004 registry; null for all others" });

export const terminalDetailSchema = terminalAgentSchema
  .extend({
    ...detailFields,
    erc8004: registration,
    reservations,
  })
  .meta({ id: "TerminalAgentDetail" });

export const terminalBadgesSchema = object({ marks: array(rowBadgesSchema) }).meta({ id: "TerminalMarks" });

export const terminalExportSchema = array(terminalAgentSchema);

export const tokenClaimSchema = strictObject({
  token_address: textAs((text) => {
    const trimmed = text.trim();
    // Base58 of a Solana mint keeps its case, hex does not.
    if (/^0x[0-9a-fA-F]{40}$/.test(trimmed)) return trimmed.toLowerCase();
    return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(trimmed) ? trimmed : null;
  }, "must be an address of a token").optional(),
  token_symbol: textSchema({ min: 1, max: 32 }).optional(),
  token_name: textSchema({ min: 1, max: 64 }).optional(),
  token_market_cap: z.number().min(0).max(1e15).optional(),
})
  .refine((claim) => Object.values(claim).some((value) => value !== undefined), "must claim something")
  .meta({
    id: "TokenClaim",
    examples: [{ token_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", token_symbol: "USDC" }],
  });

export const claimedSchema = object({
  success: z.literal(true),
  updated: count.meta({ description: "Rows the claim is stored for" }),
}).meta({ id: "TokenClaimed" });

const facet = array(object({ value: z.string(), count }));

const understoodSchema = object({
  words: array(z.string()).meta({ description: "What is searched for" }),
  filters: object({ speaks: array(z.enum(PROTOCOLS)).optional(), maxPrice: z.number().min(0).optional() }).meta({
    description: "What `q` wishes beside its words: agents that meet it come before the others",
  }),
  corrected: array(object({ from: z.string(), to: z.string() })).meta({
    description: "Words that no agent has, and those that were searched for instead",
  }),
  meaning: z.enum(MEANING_STATES).meta({
    description:
      "Whether agents were found by meaning too. unavailable: the provider of embeddings gave no answer in time, and this answer is by words only",
  }),
});

export const discoverSchema = object({
  q: z.string(),
  total: count,
  totalIsExact: z.boolean().meta({ description: "false: an estimate, at least this many" }),
  limit: z.int().min(1),
  nextCursor: z.string().nullable(),
  understood: understoodSchema,
  facets: object({
    platform: facet,
    speaks: facet,
    chain: facet,
    tier: facet,
    verified: facet,
    accepts: facet,
  }).meta({ description: "How many of the found agents have each value" }),
  hits: array(hitSchema),
}).meta({ id: "Discovered" });

export const foundSchema = object({
  note: z.string().meta({ description: "How to read untrusted texts, how to check and how to pay" }),
  understood: z.string(),
  total: count,
  total_is_exact: z.boolean(),
  next_cursor: z.string().nullable(),
  agents: array(shortHitSchema),
}).meta({ id: "FoundAgents" });

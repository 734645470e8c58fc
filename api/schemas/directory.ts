/** The answers of the directory, and claims about tokens. Keys are in snake_case, as the specification has them. */

import { z } from "zod";
import { DEFECT_CODES } from "../../core/directory/file-defects.ts";
import { DIRECTORY_FILTERS, type DirectoryFilter } from "../../core/directory/filters.ts";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { PRICED_FROM_USD, TOKEN_SOURCES } from "../../core/directory/token.ts";
import { byProofPlatform } from "../../core/proof-platforms.ts";
import { textSchema } from "../../core/text.ts";
import { count, moment, reservations, score, tier } from "./fields.ts";

const bit = z.union([z.literal(0), z.literal(1)]);
const usd = z.number().nullable().meta({ description: "US dollars; null = not known" });

export const terminalAgentSchema = z
  .object({
    id: z.int().min(1),
    address: z.string().nullable().meta({ description: "Checksummed where it is an EVM address" }),
    agent_id: z.string().meta({ description: "Its id on the platform" }),
    token_id: z
      .string()
      .nullable()
      .meta({
        description: "Own agents: `helixa-` and the token id; others: their token's number there",
        examples: ["helixa-7"],
      }),
    tokenId: z.int().min(0).nullable().meta({ description: "Own agents: the token id; null for all others" }),
    chain_id: z.int().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    image_url: z.string().nullable(),
    platform: z.string(),
    x402_supported: bit,
    verified: bit.meta({ description: "1: the wallet is proven to be the agent's" }),
    cred_score: score,
    cred_tier: tier,
    created_at: moment.nullable(),
    owner_address: z.string().nullable(),
    registry: z.string().nullable(),
    token_symbol: z.string().nullable(),
    token_name: z.string().nullable(),
    token_address: z.string().nullable(),
    token_market_cap: usd,
    price_change_24h: z
      .number()
      .nullable()
      .meta({
        description: `Per cent; null as well where the market has less than ${PRICED_FROM_USD} dollars of liquidity`,
      }),
    volume_24h: usd,
    liquidity_usd: usd,
    ethos_score: z.int().nullable(),
    market_data_source: z.string().nullable().meta({
      description: "Where the figures are from; `claimed`: from the claim itself, no market knows the token",
    }),
    token_source: z.enum(TOKEN_SOURCES).nullable().meta({
      description:
        "Whose word it is that the token is the agent's: `registry`, which launched it; `owner`, the agent's owner or wallet, who linked it; `claimed`, anybody's. Null without a token",
    }),
    counts: z.boolean().nullable().meta({
      description:
        "Whether sorts and filters count the token. A claimed one never does; a linked one where the linking wallet deployed it, is its owner(), or is named by the registry that launched it. Null without a token",
    }),
    updated_at: moment,
    wallet_confirmed: z.boolean().meta({
      description:
        "Own agents: whether that wallet owns, has verified or registered the token; others: whether their registry proves it",
    }),
  })
  .meta({ id: "TerminalAgent" });

export const terminalListSchema = z
  .object({
    agents: z.array(terminalAgentSchema),
    total: count.meta({ description: "All agents the filter and the search let through" }),
    page: z.int().min(1),
    totalPages: count,
    limit: z.int().min(1),
    stats: z
      .object({
        total: count,
        scored: count.meta({ description: "Agents with a score above 0" }),
        avgScore: z.number().meta({ description: "Over the scored, one decimal" }),
        x402: count,
      })
      .meta({ description: "Of the whole directory" }),
  })
  .meta({ id: "TerminalList" });

export const terminalCountsSchema = z
  .object({ counts: z.object(Object.fromEntries(DIRECTORY_FILTERS.map((filter) => [filter, count])) as Counts) })
  .meta({ id: "TerminalCounts" });
type Counts = Record<DirectoryFilter, typeof count>;

/** An entry of the ERC-8004 reputation registry. */
const review = z
  .object({
    client: z.string(),
    index: z.string(),
    value: z.string().meta({ description: "Decimal; what it means is up to its tags" }),
    tags: z.array(z.string()),
    uri: z.string().nullable(),
    revoked: z.boolean(),
    given_at: moment,
    tx_hash: z.string(),
    responses: count,
  })
  .meta({ id: "Review" });

/** A registration in the canonical ERC-8004 registry, with the feedback of clients there. */
const registration = z
  .object({
    registry: z.string(),
    agent_uri: z.string().meta({ description: "As it is on chain, at most 2,000 characters" }),
    registered_at: moment,
    registered_block: z.int().min(0),
    tx_hash: z.string(),
    file: z
      .object({
        status: z.enum(["waiting", "parsed", "unreadable", "unreachable", "refused"]),
        fetched_at: moment.nullable(),
        defects: z
          .array(
            z.object({
              code: z.enum(DEFECT_CODES),
              says: z.string(),
              mend: z.string().nullable().meta({ description: "What its owner can do about it" }),
            }),
          )
          .meta({ description: "Why it is not read, and what of it was left out, cut or odd" }),
        warnings: z.array(z.string()).meta({ description: "The sentences of `defects`" }),
      })
      .meta({ description: "The registration file behind the URI, and what is wrong with it" }),
    feedback_count: count.meta({ description: "Feedback that was not taken back" }),
    reviewers: count.meta({ description: "Different clients that gave it" }),
    feedback: z.array(review).meta({ description: "The newest 50, those taken back among them" }),
    validation_count: count.meta({ description: "Validations that the agent's side has asked for" }),
    validations: z
      .array(
        z.object({
          validator: z.string().meta({ description: "Chosen by the agent's side: an answer proves nothing by itself" }),
          request_hash: z.string(),
          request_uri: z.string().nullable(),
          requested_at: moment,
          tx_hash: z.string(),
          answer: z
            .object({
              response: z.int().min(0).max(255),
              tag: z.string().nullable(),
              uri: z.string().nullable(),
              hash: z.string().nullable(),
              answered_at: moment,
            })
            .nullable()
            .meta({ description: "The newest one; null until the validator has answered" }),
        }),
      )
      .meta({ description: "The newest 20; none while the service knows no validation registry" }),
  })
  .nullable()
  .meta({ description: "Of an agent of the canonical ERC-8004 registry; null for all others" });

export const terminalDetailSchema = terminalAgentSchema
  .extend({
    services: z.array(z.object({ name: z.string(), endpoint: z.string(), version: z.string().nullable() })),
    same_as: z
      .array(
        z.object({
          id: z.int().min(1),
          platform: z.string(),
          agent_id: z.string(),
          name: z.string(),
          cred_score: score,
        }),
      )
      .meta({ description: "Agents of other platforms with the same proven wallet" }),
    provenance: z.array(
      z.object({ source: z.string(), source_id: z.string(), fetched_at: moment, warnings: z.array(z.string()) }),
    ),
    erc8004: registration,
    reservations,
  })
  .meta({ id: "TerminalAgentDetail" });

export const terminalBadgesSchema = z
  .object({
    marks: z.array(
      z.object({
        id: z.int().min(1),
        verifications: z.object({
          siwa: z.boolean(),
          ...byProofPlatform(() => z.boolean()),
          coinbase: z.boolean(),
        }),
        protocols: z.array(z.enum(PROTOCOLS)),
        feedback: z
          .object({ count, reviewers: count })
          .nullable()
          .meta({ description: "In the ERC-8004 reputation registry; null where there is none to be given" }),
        framework: z.string().nullable().meta({ description: "Of an own agent; null for others" }),
        soulbound: z.boolean().nullable().meta({ description: "Of an own agent; null for others" }),
        health: z
          .object({ value: z.number().min(0).max(1), says: z.string() })
          .nullable()
          .meta({ description: "Whether its endpoints answered lately, 1 while all do; null while none was checked" }),
        active_at: moment.nullable().meta({ description: "The last thing it is known to have done" }),
        change_7d: z.int().nullable().meta({ description: "Of the score; null when there was none a week ago" }),
        rank_7d_ago: z.int().min(1).nullable().meta({
          description: "Its place by score among all agents a week ago; null when it was not among the first 10,000",
        }),
        points: z
          .array(z.object({ at: moment, score }))
          .meta({ description: "The newest 32 changes of the score, oldest first; own agents only" }),
      }),
    ),
  })
  .meta({ id: "TerminalMarks" });

export const terminalExportSchema = z.array(terminalAgentSchema);

export const tokenClaimSchema = z
  .strictObject({
    token_address: z
      .string()
      .transform((text, ctx) => {
        const trimmed = text.trim();
        // Base58 of a Solana mint keeps its case, hex does not.
        if (/^0x[0-9a-fA-F]{40}$/.test(trimmed)) return trimmed.toLowerCase();
        if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(trimmed)) return trimmed;
        ctx.addIssue("must be an address of a token");
        return z.NEVER;
      })
      .optional(),
    token_symbol: textSchema({ min: 1, max: 32 }).optional(),
    token_name: textSchema({ min: 1, max: 64 }).optional(),
    token_market_cap: z.number().min(0).max(1e15).optional(),
  })
  .refine((claim) => Object.values(claim).some((value) => value !== undefined), "must claim something")
  .meta({
    id: "TokenClaim",
    examples: [{ token_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", token_symbol: "USDC" }],
  });

export const claimedSchema = z
  .object({ success: z.literal(true), updated: count.meta({ description: "Rows the claim is stored for" }) })
  .meta({ id: "TokenClaimed" });

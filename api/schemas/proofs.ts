/** Social proofs: which account is claimed, and what is answered once it is proven. */
import { z } from "zod";
import type { Platform } from "../../core/facts.ts";
import { parseFarcasterName, parseFid, parseGistId, parseGithubLogin, parseXHandle } from "../../core/proofs.ts";
import { block, tokenId, txHash, url } from "./fields.ts";

/** A text brought into its form by `parse`, or refused with a half-sentence. */
const parsed = <T>(parse: (text: string) => T | null, problem: string) =>
  z.string().transform((text, ctx) => {
    const value = parse(text);
    if (value !== null) return value;
    ctx.addIssue(problem);
    return z.NEVER;
  });

export const xProofBodySchema = z
  .object({
    handle: parsed(parseXHandle, "must be a handle on X: 1 to 15 letters, digits or _").meta({
      description: "Handle on X, with or without @",
      examples: ["ada"],
    }),
  })
  .meta({ id: "XProofRequest", examples: [{ handle: "ada" }] });

const gistId = parsed(parseGistId, "must be the id of a gist, or its address on gist.github.com");

export const githubProofBodySchema = z
  .object({
    username: parsed(parseGithubLogin, "must be a GitHub username").meta({ examples: ["octocat"] }),
    gistId: gistId
      .optional()
      .meta({ description: "The gist's id or address; without it the newest public gists are searched" }),
    gistUrl: gistId.optional().meta({ description: "The same as gistId" }),
  })
  .transform(({ username, gistId, gistUrl }) => {
    const gist = gistId ?? gistUrl;
    return { username, ...(gist !== undefined && { gistId: gist }) };
  })
  .meta({ id: "GithubProofRequest", examples: [{ username: "octocat" }] });

const fid = z
  .union([z.number(), z.string()])
  .transform((value, ctx) => {
    const number = parseFid(value);
    if (number !== null) return number;
    ctx.addIssue("must be a Farcaster id: a whole number, at least 1");
    return z.NEVER;
  })
  .meta({ description: "Farcaster id", examples: [3] });

export const farcasterProofBodySchema = z
  .object({
    username: parsed(parseFarcasterName, "must be a Farcaster name")
      .optional()
      .meta({ description: "Name on Farcaster, also one that ends in .eth", examples: ["dwr"] }),
    fid: fid.optional(),
  })
  .transform(({ username, fid }, ctx) => {
    if (username === undefined && fid === undefined) ctx.addIssue("must have a username or a fid");
    return { ...(username !== undefined && { username }), ...(fid !== undefined && { fid }) };
  })
  .meta({ id: "FarcasterProofRequest", examples: [{ username: "dwr" }, { fid: 3 }] });

const PLATFORMS = ["x", "github", "farcaster"] as const satisfies readonly Platform[];

export const provenSchema = z
  .object({
    success: z.literal(true),
    tokenId,
    platform: z.enum(PLATFORMS),
    handle: z.string().meta({ description: "As the platform writes it" }),
    username: z.string().optional(),
    fid: z.int().min(1).optional().meta({ description: "Of Farcaster accounts" }),
    trait: z.string().meta({ description: "Trait that goes with the proof", examples: ["x-verified"] }),
    txHash: txHash.meta({
      description: "The transaction that gave the agent its trait, with its first proof on the platform",
    }),
    block: block.optional().meta({ description: "Where that transaction is, if this service sent it" }),
    explorer: url,
  })
  .meta({ id: "Proven" });

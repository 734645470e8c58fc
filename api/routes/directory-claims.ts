/** Claims about an agent's token: open to anyone, kept apart, shown as claimed. */
import { z } from "zod";
import { AGENT_REF_SCHEMA, PLATFORMS, type PlatformKey } from "../../core/directory/platforms.ts";
import { claimToken } from "../../db/directory/claims.ts";
import { writtenDirectoryId } from "../../db/directory/rows.ts";
import { endpoint } from "../endpoint.ts";
import { documented, optionalChoice } from "../parameters.ts";
import { claimedSchema, tokenClaimSchema } from "../schemas/directory.ts";
import { unknownAgent } from "../services/directory-agent.ts";
import { listsShow } from "../services/shown-write.ts";

export const ref = z
  .string()
  .transform((text, ctx) => {
    const trimmed = text.trim();
    if (
      trimmed !== "" &&
      trimmed.length <= AGENT_REF_SCHEMA.maxLength &&
      trimmed.isWellFormed() &&
      !trimmed.includes("\0")
    )
      return trimmed;
    ctx.addIssue("must be an address, an agent's id or a token id");
    return z.NEVER;
  })
  .meta({
    documented: AGENT_REF_SCHEMA,
    description:
      "`token_id` of a row, which means no other; or an address, agent id or token id, in any case: in reads of several agents the own registry's, else the one with the highest score",
    examples: ["helixa-1"],
  });

/** The platform among whose agents a reference is looked up. */
export const ofPlatform = optionalChoice(
  PLATFORMS.map(({ key }) => key) as [PlatformKey, ...PlatformKey[]],
  "Looks among the agents of this platform only: ids and wallets may be those of several",
);

/** Where a page ended in a list that has the order of the chain's logs: `<block>-<log index>`. */
export const logPlace = documented(
  z.string().transform((text, ctx) => {
    const [, block, logIndex] = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,8})$/.exec(text) ?? [];
    if (block !== undefined) return { block: Number(block), logIndex: Number(logIndex) };
    ctx.addIssue("must be `nextCursor` of the answer before");
    return z.NEVER;
  }),
  { documented: { type: "string", maxLength: 25 }, description: "`nextCursor` of the answer before" },
).optional();

export const terminalToken = endpoint({
  method: "post",
  path: "/api/terminal/agent/{ref}/token",
  operationId: "claimTerminalToken",
  tag: "Terminal",
  summary: "Say which token is an agent's",
  description:
    "Open to anybody, and therefore a claim: shown with token_source `claimed`, whatever a market says about the token, never sorted or filtered by, never in place of the token that the registry or the owner names.",
  params: z.object({ ref }),
  query: z.object({ platform: ofPlatform }),
  body: tokenClaimSchema,
  responses: {
    200: { description: "Stored as a claim", schema: claimedSchema },
    202: { description: "Stored as a claim; reads show it in a moment", schema: claimedSchema },
  },
  errors: ["not_found", "conflict"],
  async handler({ deps, params, query, body, now, networks, count }, json) {
    const { db } = deps;
    await count("claims", networks);
    const id = await writtenDirectoryId(db, params.ref, query.platform);
    if (id === null) return unknownAgent();
    const claim = {
      tokenAddress: body.token_address,
      tokenSymbol: body.token_symbol,
      tokenName: body.token_name,
      marketCapUsd: body.token_market_cap,
    };
    const updated = await claimToken(db, id, claim, new Date(now));
    if (updated === 0) return unknownAgent();
    return json({ success: true, updated }, { status: (await listsShow(deps)) ? 200 : 202 });
  },
});

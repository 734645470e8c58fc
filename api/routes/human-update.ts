/** An owner's update without SIWA: by a signature over one line of text. */
import { z } from "zod";
import type { Hex } from "../../core/agents/facts.ts";
import { endpoint } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import { PENDING_WRITE } from "../schemas/pending.ts";
import { humanUpdateBodySchema, updateSchema } from "../schemas/updates.ts";
import { writtenTokenId } from "../services/agent-facts.ts";
import { pendingWrite } from "../services/await-intent.ts";
import { updateByHuman } from "../services/human-update.ts";
import { writesShown } from "../services/shown-write.ts";

export const humanUpdate = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/human-update",
  operationId: "humanUpdate",
  tag: "Changes",
  summary: "Change personality, narrative and accounts as the token's owner, by a signed line of text",
  description:
    "The owner's wallet signs `{service}: Update agent #<id> at <milliseconds since 1970>`, or, so that the signature is good for this change alone, the same line with ` on <host> with content sha256:<hex>` behind it: the SHA-256 of the body without `message` and `signature`, in canonical form (RFC 8785). The text is good for five minutes and for one request.",
  guard: { price: "update" },
  data: true,
  params: z.object({ ref: agentRef }),
  body: humanUpdateBodySchema,
  responses: { 200: { description: "Written", schema: updateSchema }, 202: PENDING_WRITE },
  errors: ["unauthenticated", "forbidden", "not_found", "conflict", "rate_limited"],
  async handler({ deps, params, body, sent, networks, fingerprint, now, payment, count }, json) {
    const tokenId = await writtenTokenId(deps, params.ref);
    const { message, signature, ...update } = body;
    const { message: _, signature: __, ...content } = sent as typeof body;
    const updated = await updateByHuman(deps, {
      tokenId,
      message,
      signature: signature as Hex,
      update,
      content,
      networks,
      count: (wallet) => count("updates-by-day", `${tokenId}:${wallet}`),
      fingerprint,
      payment,
      now,
    });
    if (!(await writesShown(deps, tokenId))) return pendingWrite(tokenId, []);
    return json({ success: true, tokenId, updated, storage: "offchain" });
  },
});

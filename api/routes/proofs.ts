/** Social proofs: an account on X, GitHub or Farcaster says whose it is. */
import { z } from "zod";
import type { ErrorCode } from "../../core/errors.ts";
import type { Platform } from "../../core/facts.ts";
import { txLink } from "../../core/links.ts";
import { gistFileName, needleOf } from "../../core/proofs.ts";
import { type Call, endpoint, json, type Reply, type WalletCaller } from "../endpoint.ts";
import { networkOf } from "../http/client-network.ts";
import { tokenId } from "../parameters.ts";
import { PENDING_WRITE } from "../schemas/pending.ts";
import { farcasterProofBodySchema, githubProofBodySchema, provenSchema, xProofBodySchema } from "../schemas/proofs.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { type Claimed, type Proven, prove } from "../services/prove.ts";

const params = z.object({ id: tokenId });
const errors: ErrorCode[] = [
  "forbidden",
  "not_found",
  "proof_missing",
  "conflict",
  "upstream_unavailable",
  "out_of_funds",
];
const common = {
  tag: "Verification",
  guard: { caller: "siwa", bucket: "proofs" } as const,
  data: true,
  params,
  responses: { 200: { description: "Proven", schema: provenSchema }, 202: PENDING_WRITE },
};

export const verifyX = endpoint({
  ...common,
  errors,
  method: "post",
  path: "/api/v2/agent/{id}/verify/x",
  operationId: "verifyX",
  summary: "Prove an account on X: its bio shows the agent",
  description:
    "By the token's owner or the agent's wallet. The bio shows helixa:<tokenId> as a word of its own: the service's name in lower case, and the agent's token id.",
  body: xProofBodySchema,
  handler(call) {
    const expected = needleOf(call.deps.config.service.prefix, call.params.id);
    const hint = `Put ${expected} into the bio of @${call.body.handle}, then ask again.`;
    return answer(call, "x", { source: call.deps.proofs.x, claim: call.body, expected, hint });
  },
});

export const verifyGithub = endpoint({
  ...common,
  errors,
  method: "post",
  path: "/api/v2/agent/{id}/verify/github",
  operationId: "verifyGithub",
  summary: "Prove a GitHub account: a public gist of its own shows the agent",
  description:
    "By the token's owner or the agent's wallet. The gist has a file helixa-verify.txt that says the token id or helixa:<tokenId>, and nothing else. Forks and gists of organisations do not count.",
  body: githubProofBodySchema,
  handler(call) {
    const { prefix } = call.deps.config.service;
    const expected = needleOf(prefix, call.params.id);
    const hint = `Create a public gist as ${call.body.username} with a file ${gistFileName(prefix)} that says ${expected} and nothing else, then ask again.`;
    return answer(call, "github", { source: call.deps.proofs.github, claim: call.body, expected, hint });
  },
});

export const verifyFarcaster = endpoint({
  ...common,
  errors,
  method: "post",
  path: "/api/v2/agent/{id}/verify/farcaster",
  operationId: "verifyFarcaster",
  summary: "Prove a Farcaster account: one of its recent casts shows the agent",
  description:
    "By the token's owner or the agent's wallet. The cast is no reply and shows helixa:<tokenId> as a word of its own. Casts further back than the newest 300 are not seen.",
  body: farcasterProofBodySchema,
  handler(call) {
    const expected = needleOf(call.deps.config.service.prefix, call.params.id);
    const hint = `Publish a cast of its own, not a reply, that says ${expected}, then ask again.`;
    return answer(call, "farcaster", { source: call.deps.proofs.farcaster, claim: call.body, expected, hint });
  },
});

type Proof = Call<z.output<typeof params>, unknown, unknown, WalletCaller>;
type Asked<C> = Pick<Claimed<C>, "source" | "claim" | "expected" | "hint">;

async function answer<C>(call: Proof, platform: Platform, asked: Asked<C>): Promise<Reply> {
  const { deps, params, caller, clientAddress, now } = call;
  const tokenId = params.id;
  const by = { wallet: caller.wallet, network: networkOf(clientAddress) };
  const proven = await prove(deps, { ...asked, ...by, platform, tokenId, now });
  const { transaction } = proven;
  if ("txHash" in transaction) return json(body(transaction));
  const { complete, mined } = await minedIntents(deps.db, [transaction.intentKey], {
    timeoutMs: deps.config.mintWaitMs,
    what: "trait",
  });
  return complete ? json(body(mined[0]!)) : pendingWrite(tokenId, mined);

  function body({ txHash, block }: { txHash: `0x${string}`; block?: number }) {
    const { handle, username, accountId, trait } = proven as Proven;
    return {
      success: true,
      tokenId,
      platform,
      handle,
      ...(username !== null && { username }),
      ...(platform === "farcaster" && { fid: Number(accountId) }),
      trait,
      txHash,
      ...(block !== undefined && { block }),
      explorer: txLink(deps.config.service.explorer, txHash),
    };
  }
}

/** An owner's update by a signature over one line of text, without SIWA. The line may bind what is changed, and where. */
import { checksum } from "../../core/addresses.ts";
import type { Address, AgentFacts, Hex } from "../../core/agents/facts.ts";
import type { Networks } from "../../core/callers/shares.ts";
import {
  type BoundContent,
  contentDigest,
  humanUpdateText,
  parseHumanUpdate,
} from "../../core/callers/signed-texts.ts";
import { fail } from "../../core/errors.ts";
import { usedBy, useText } from "../../db/callers/human-updates.ts";
import { newProfileWrite } from "../../db/transactions/chain-writes.ts";
import { requireUnrevoked } from "../guards/callers.ts";
import { personalHash, recoverSigner } from "../guards/signature.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { factsOf } from "./agent-facts.ts";
import { requireSomething, type Update, updateOffchain, updatePaths } from "./update.ts";
import { type Sale, writeAgent } from "./writing.ts";

/** Max milliseconds between the text's time and ours, in both directions. */
const HUMAN_UPDATE_WINDOW_MS = 300_000;

export type HumanUpdate = {
  tokenId: number;
  message: string;
  signature: Hex;
  update: Omit<Update, "traits">;
  /** The change as it was sent: what the text's digest is of, where it has one. */
  content: object;
  networks: Networks;
  /** Counts the change as the owner's. @throws Failure rate_limited */
  count(owner: Address): Promise<void>;
  fingerprint: string;
  payment: Sale["payment"];
  now: number;
};

/**
 * Checks text, time and signature, and writes. A repetition of the request gets the first answer.
 * Check then write: owner, signature and revocation, then fields and `useText`; owner and revocation may change: the
 * owner again, and the text is unique. The revocation is not asked again: a request in flight may finish.
 * @returns paths of the fields written
 * @throws Failure invalid_input, unauthenticated, forbidden, not_found, rate_limited, upstream_unavailable,
 *   request_in_progress, and the errors of `settle`
 */
export async function updateByHuman(deps: HandlerDeps, request: HumanUpdate): Promise<string[]> {
  const { tokenId, now, update } = request;
  requireSomething(update);
  const issuedAt = checkText(deps.config.service, request);
  const { owner } = await factsOf(deps.facts, { tokenId });
  await requireOwnerSignature(deps, owner, request);
  await requireUnrevoked(deps.db, { wallet: owner, issuedAt });
  await request.count(owner);
  // An update that was written is answered again, and not charged again.
  if (request.payment.price > 0n) {
    const { message: text, fingerprint } = request;
    if ((await usedBy(deps.db, { text, fingerprint })) === "same") return updatePaths(update);
  }
  return writeAgent(
    deps,
    { tokenId, now },
    (facts) => requireSameOwner(facts, owner),
    async (write) => {
      const use = { text: request.message, tokenId, fingerprint: request.fingerprint, at: write.now };
      switch (await useText(write.tx, use)) {
        case "fresh":
          return { result: await updateOffchain(write, update), scored: true };
        case "same":
          // A copy of this request was faster: the payment of this one becomes a credit.
          if (request.payment.price > 0n)
            fail("request_in_progress", "The same request was carried out at this moment.", { retryAfter: 1 });
          return { result: updatePaths(update), scored: false };
        case "used":
          return fail("unauthenticated", "This signed text was used already.", {
            hint: "Sign one with the present time.",
          });
      }
    },
    { payment: request.payment, bought: newProfileWrite(tokenId) },
  );
}

/** @returns when the text was signed, milliseconds since the epoch */
function checkText(service: { name: string; hosts: readonly string[] }, request: HumanUpdate): number {
  const { tokenId, message, now } = request;
  const text = parseHumanUpdate(service.name, message);
  if (text?.tokenId !== tokenId) {
    const expected = humanUpdateText(service.name, tokenId, now);
    const sentence = text ? "The signed text is about another agent." : "The signed text is not an update.";
    return fail("invalid_input", sentence, {
      details: [{ path: "message", message: `must be "${expected}", with the present time` }],
    });
  }
  if (Math.abs(now - text.timestampMs) > HUMAN_UPDATE_WINDOW_MS)
    fail("unauthenticated", "The signed text is more than five minutes from the present time.", {
      hint: "Check the signer's clock, and sign a new text.",
    });
  if (text.content) requireContent(text.content, service.hosts, request.content);
  return text.timestampMs;
}

function requireContent({ host, digest }: BoundContent, hosts: readonly string[], content: object): void {
  if (!hosts.includes(host))
    fail("unauthenticated", "The signed text is for another host.", { hint: `Sign one for ${hosts[0]}.` });
  const actual = contentDigest(content);
  if (digest !== actual)
    fail("unauthenticated", "The signed text is about another change than the one that was sent.", {
      hint: `The digest of what was sent is sha256:${actual}: of the body without message and signature, as RFC 8785 writes it.`,
    });
}

/** The owner's own key, or the contract the owner is. */
async function requireOwnerSignature({ signed }: HandlerDeps, owner: Address, request: HumanUpdate): Promise<void> {
  const { message, signature, networks, now } = request;
  const claim = { address: owner, signature };
  if (signed.byKey(claim, message) || (await signed.byContract(claim, [message], networks, now)) !== null) return;
  const signer = recoverSigner(personalHash(message), signature);
  if (signer === null) fail("unauthenticated", "The signature is not the owner's signature of this text.");
  fail("forbidden", `The text was signed by ${checksum(signer!)}, which does not own agent ${request.tokenId}.`, {
    hint: `Sign with the owner ${checksum(owner)}.`,
  });
}

function requireSameOwner({ owner, tokenId }: AgentFacts, signer: Address): void {
  if (owner !== signer) fail("forbidden", `Agent ${tokenId} has another owner by now.`);
}

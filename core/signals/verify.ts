/** Signal: the wallet and the accounts that are proven. */
import type { AgentFacts, Proof } from "../agents/facts.ts";
import { PROOF_PLATFORMS } from "../proof-platforms.ts";
import { quoted } from "../quoted.ts";
import { listed } from "../text.ts";
import { clamp, type Evidence, type EvidenceContext, literal, type Signal, type Step } from "./signal.ts";

/** Raw value of the wallet and of each account; the sum stops at 100. */
export const PROOF_VALUE = 25;
/** States of a proof record that count. A stale one (its platform could not be asked recently) still does. */
const COUNTED = ["verified", "stale"] as const;

/** Proof records that count; a lapsed one does not. */
export const validProofs = (facts: Pick<AgentFacts, "proofs">) =>
  facts.proofs.filter((proof) => COUNTED.some((status) => status === proof.status));

export const verify: Signal<"verify"> = {
  key: "verify",
  label: "Verification Status",
  description: `25 for each of the wallet and the accounts on ${listed(PROOF_PLATFORMS.map(({ label }) => label))} that are proven`,
  weight: 15,
  raw: (facts) => clamp((Number(facts.verified) + validProofs(facts).length) * PROOF_VALUE),
  sql: {
    value: () => `least(100, (a.verified::int4 + coalesce(p.proofs, 0)) * ${PROOF_VALUE})`,
    join: ({ inScope }) => `
    left join (
      select token_id, count(*) as proofs from offchain.proof
      where status in (${COUNTED.map(literal).join(", ")}) and ${inScope("token_id")}
      group by token_id) p on p.token_id = a.token_id`,
  },
  steps(facts, raw) {
    const proven = validProofs(facts).map(({ platform }) => platform);
    const step = (action: string, path: string): Step => ({
      action,
      endpoint: `POST /api/v2/agent/${facts.tokenId}/${path}`,
      raw: Math.min(100, raw + PROOF_VALUE),
    });
    return [
      ...(facts.verified ? [] : [step("Verify the agent's wallet", "verify")]),
      ...PROOF_PLATFORMS.filter(({ key }) => !proven.includes(key)).map(({ key, label }) =>
        step(`Prove the agent's account on ${label}`, `verify/${key}`),
      ),
    ];
  },
  evidence: (facts, context) => [
    ...(facts.verified
      ? [
          {
            source: "onchain" as const,
            detail: `The agent's wallet is verified${context.caveat("wallet")}`,
            reference: context.tokenLink,
          },
        ]
      : []),
    ...facts.proofs.map((proof) => proofEvidence(proof, context)),
  ],
};

const proofEvidence = (
  { platform, handle, accountId, status, checkedAt, txHash }: Proof,
  { txLink, caveat }: EvidenceContext,
): Evidence => ({
  source: "proof",
  detail: `${platform}: ${quoted(handle)} (account ${accountId}), ${status}, last checked ${checkedAt}${caveat(platform)}`,
  ...(txHash && { reference: txLink(txHash) }),
});

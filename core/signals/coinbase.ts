/** Signal: the exchange's attestation of the owner's account. */
import type { AgentFacts } from "../agents/facts.ts";
import { unixSeconds } from "../times.ts";
import type { Signal } from "./signal.ts";

/** The attestation counts while the one it rests on, of all those of its owner, is valid and names the current owner. */
export function exchangeCounts(facts: Pick<AgentFacts, "exchange" | "owner">, now: Date): boolean {
  const { exchange, owner } = facts;
  if (exchange === null) return false;
  const valid = exchange.revokedAt === 0 && (exchange.expiresAt === 0 || exchange.expiresAt > unixSeconds(now));
  return valid && exchange.recipient === owner;
}

export const coinbase: Signal<"coinbase"> = {
  key: "coinbase",
  label: "Exchange Attestation",
  description: "The exchange attests the current owner's account",
  weight: 15,
  raw: (facts, now) => (exchangeCounts(facts, now) ? 100 : 0),
  sql: {
    value: ({ countsUntil }) => `case when e.token_id is null then 0 else ${countsUntil("e")} end`,
    at: (until, now) => `case when ${until} > ${now} then 100 else 0 end`,
    join: ({ inScope }) => `
    left join offchain.exchange_verification e
      on e.token_id = a.token_id and e.recipient = a.owner and ${inScope("e.token_id")}`,
  },
  steps: ({ tokenId }, raw, { attested }) =>
    raw < 100
      ? [
          {
            action: attested
              ? "Claim the exchange's attestation of the owner's wallet for this agent"
              : "Let the exchange attest the owner's account, then claim the attestation",
            endpoint: `POST /api/v2/agent/${tokenId}/coinbase-verify`,
            raw: 100,
          },
        ]
      : [],
  evidence(facts, { checksum, now, caveat }) {
    const { exchange } = facts;
    if (!exchange) return [];
    const state = exchangeCounts(facts, now) ? "valid" : "no longer valid for the current owner";
    return [
      {
        source: "attestation",
        detail: `Attested for ${checksum(exchange.recipient)}, ${state}, claimed ${exchange.verifiedAt}${caveat("coinbase")}`,
        reference: exchange.attestationUid,
      },
    ];
  },
};

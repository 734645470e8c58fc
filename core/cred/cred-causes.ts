/** The causes of changes of a score, as `cred_history.cause` names them: what each means, and whether a block made it. */

type CredCause = {
  /** What happened, as a plain half-sentence. */
  says: string;
  /** The point's own block made the change: it counts from that block on. Others count from the time of their computing. */
  inBlock?: true;
};

const CAUSES: Record<string, CredCause> = {
  "agent.registered": { says: "the agent was registered", inBlock: true },
  "agent.verified": { says: "the agent was verified in the identity contract", inBlock: true },
  "agent.exchange_verified": { says: "the exchange's attestation of the owner was accepted" },
  "attestation.made": { says: "the exchange attested the owner's wallet" },
  "attestation.revoked": { says: "the exchange revoked its attestation of the owner's wallet" },
  "agent.transferred": { says: "the identity token changed hands", inBlock: true },
  "agent.trait_added": { says: "a trait was added on chain", inBlock: true },
  "agent.narrative_set": { says: "the narrative was written on chain", inBlock: true },
  "agent.personality_set": { says: "the personality was written on chain", inBlock: true },
  "agent.mutated": { says: "the agent mutated to a new version", inBlock: true },
  "agent.name_registered": { says: "a name was registered", inBlock: true },
  "agent.name_transferred": { says: "a name was transferred", inBlock: true },
  "agent.points_awarded": { says: "points were awarded on chain", inBlock: true },
  "agent.approved": { says: "an operator was approved", inBlock: true },
  "proof.lapsed": { says: "a proof of an account lapsed" },
  profile: { says: "the profile changed" },
  age: { says: "the agent became older" },
  expiry: { says: "an attestation expired or was no longer there" },
  reconcile: { says: "a check recomputed the score" },
  reorganisation: { says: "a reorganisation of the chain took an earlier change back" },
};

/** Causes whose change was made by the point's own block. */
export const CAUSES_IN_BLOCK: readonly string[] = Object.keys(CAUSES).filter((cause) => CAUSES[cause]!.inBlock);

/** What a cause means, as a plain half-sentence. `x-verified` and its like are traits of proofs. */
export function causeSays(cause: string): string {
  const proven = /^(\w+)-verified$/.exec(cause)?.[1];
  return CAUSES[cause]?.says ?? (proven ? `an account on ${proven} was proven` : cause);
}

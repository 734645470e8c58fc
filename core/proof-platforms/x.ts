/** X: the bio of the account contains the agent's needle. */
import { PROOF_BADGES } from "./badges.ts";
import { proofPlatform, text } from "./platform.ts";

export type XClaim = { handle: string };

/** A handle on X without its @; null when it cannot be one. */
export function parseXHandle(text: string): string | null {
  const handle = text.trim().replace(/^@/, "");
  return /^[A-Za-z0-9_]{1,15}$/.test(handle) ? handle : null;
}

export const x = proofPlatform<XClaim>()({
  ...PROOF_BADGES.x,
  summary: "Prove an account on X: its bio shows the agent",
  description:
    "The bio shows helixa:<tokenId> as a word of its own: the service's name in lower case, and the agent's token id.",
  fields: {
    handle: {
      parse: text(parseXHandle),
      problem: "must be a handle on X: 1 to 15 letters, digits or _",
      description: "Handle on X, with or without @",
      examples: ["ada"],
    },
  },
  examples: [{ handle: "ada" }],
  claimOf: ({ handle }: XClaim) => ({ handle }),
  hint: ({ handle }, { needle }) => `Put ${needle} into the bio of @${handle}, then ask again.`,
  variables: {
    url: { name: "X_API_URL", doc: "API of X", kind: "url", default: "https://api.x.com" },
    token: {
      name: "X_BEARER_TOKEN",
      doc: "App-only token of X (unset: accounts on X cannot be proven)",
      kind: "secret",
    },
    recheckInterval: {
      name: "X_RECHECK_INTERVAL",
      doc: "Interval between two checks of a proof on X, which bills each read of an account",
      kind: "duration",
      default: "30d",
    },
    readsPerDay: {
      name: "X_READS_PER_DAY",
      doc: "Max accounts that are read on X per day (UTC): half of them for new proofs, half for checks of known ones",
      kind: "count",
      default: "1000",
    },
  },
});

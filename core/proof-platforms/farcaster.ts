/** Farcaster: a recent cast of the account contains the agent's needle. */
import { PROOF_BADGES } from "./badges.ts";
import { proofPlatform, text } from "./platform.ts";

/** At least one field is set. When both are set they must name the same account, otherwise there is no proof. */
export type FarcasterClaim = { username?: string; fid?: number };

/** A Farcaster name in lower case: an fname, or an ENS or Basename that ends in `.eth`; null when it cannot be one. */
export function parseFarcasterName(text: string): string | null {
  const name = text.trim().replace(/^@/, "").toLowerCase();
  const fname = /^[a-z0-9][a-z0-9-]{0,15}$/.test(name);
  const ens = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,3}eth$/.test(name);
  return fname || ens ? name : null;
}

/** A Farcaster id; null when it cannot be one. */
export const parseFid = (value: number | string): number | null =>
  /^[1-9]\d{0,14}$/.test(String(value)) ? Number(value) : null;

export const farcaster = proofPlatform<FarcasterClaim>()({
  ...PROOF_BADGES.farcaster,
  summary: "Prove a Farcaster account: one of its recent casts shows the agent",
  description:
    "The cast is no reply and shows helixa:<tokenId> as a word of its own. Casts further back than the newest 300 are not seen.",
  fields: {
    username: {
      parse: text(parseFarcasterName),
      problem: "must be a Farcaster name",
      optional: true,
      description: "Name on Farcaster, also one that ends in .eth",
      examples: ["dwr"],
    },
    fid: {
      parse: parseFid,
      problem: "must be a Farcaster id: a whole number, at least 1",
      numeric: true,
      optional: true,
      description: "Farcaster id",
      examples: [3],
    },
  },
  examples: [{ username: "dwr" }, { fid: 3 }],
  claimOf({ username, fid }: FarcasterClaim) {
    if (username === undefined && fid === undefined) return "must have a username or a fid";
    return { ...(username !== undefined && { username }), ...(fid !== undefined && { fid }) };
  },
  hint: (_claim, { needle }) => `Publish a cast of its own, not a reply, that says ${needle}, then ask again.`,
  numericId: "fid",
  variables: {
    hubUrl: {
      name: "FARCASTER_HUB_URL",
      doc: "HTTP API of a Farcaster hub (Snapchain or Hubble); unset: Neynar's API, if there is a key",
      kind: "url",
    },
    neynarUrl: { name: "NEYNAR_API_URL", doc: "API of Neynar", kind: "url", default: "https://api.neynar.com" },
    neynarKey: {
      name: "NEYNAR_API_KEY",
      doc: "Key of Neynar, sent to FARCASTER_HUB_URL as well (neither set: accounts on Farcaster cannot be proven)",
      kind: "secret",
    },
  },
});

/** Opens the reader of proofs on Farcaster: through a hub if one is configured, else through Neynar if a key is. */
import type { FarcasterClaim, farcaster } from "../../core/proof-platforms/farcaster.ts";
import { farcasterProofs } from "./farcaster.ts";
import { hubReader } from "./farcaster-hub.ts";
import { neynarReader } from "./neynar.ts";
import type { OpenReader } from "./opener.ts";

const RATE = { burst: 100, perSecond: 10 };

export const openFarcaster: OpenReader<typeof farcaster.variables, FarcasterClaim> = (
  { hubUrl, neynarUrl, neynarKey },
  { http },
) => {
  const headers: Record<string, string> = neynarKey ? { "x-api-key": neynarKey } : {};
  const upstream = (baseUrl: string) => http.upstream({ name: "Farcaster", headers, rate: RATE, baseUrl });
  if (hubUrl) return farcasterProofs(hubReader(upstream(hubUrl)));
  return neynarKey ? farcasterProofs(neynarReader(upstream(neynarUrl))) : null;
};

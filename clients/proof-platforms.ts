/** The readers of social proofs: one opener for each platform of core/proof-platforms.ts. A missing one is a compile error. */
import type { SettingsOf } from "../core/operations/upstream-variable.ts";
import type { FarcasterClaim, farcaster } from "../core/proof-platforms/farcaster.ts";
import { type ClaimsByPlatform, PROOF_PLATFORMS, type ProofPlatform } from "../core/proof-platforms.ts";
import type { ProofReaders } from "./ports.ts";
import { farcasterProofs } from "./proof-platforms/farcaster.ts";
import { hubReader } from "./proof-platforms/farcaster-hub.ts";
import { openGithub } from "./proof-platforms/github.ts";
import { neynarReader } from "./proof-platforms/neynar.ts";
import type { OpenReader, ReaderParts } from "./proof-platforms/opener.ts";
import { openX } from "./proof-platforms/x.ts";
import { unconfiguredProofs } from "./unavailable.ts";

const RATE = { burst: 100, perSecond: 10 };

const openFarcaster: OpenReader<typeof farcaster.variables, FarcasterClaim> = (
  { hubUrl, neynarUrl, neynarKey },
  { http },
) => {
  const headers: Record<string, string> = neynarKey ? { "x-api-key": neynarKey } : {};
  const upstream = (baseUrl: string) => http.upstream({ name: "Farcaster", headers, rate: RATE, baseUrl });
  if (hubUrl) return farcasterProofs(hubReader(upstream(hubUrl)));
  return neynarKey ? farcasterProofs(neynarReader(upstream(neynarUrl))) : null;
};

type ListedPlatform = (typeof PROOF_PLATFORMS)[number];
type Openers = { [P in ListedPlatform as P["key"]]: OpenReader<P["variables"], ClaimsByPlatform[P["key"]]> };
export type ProofSettings = { [P in ListedPlatform as P["key"]]: SettingsOf<P["variables"]> };

const OPENERS: Openers = { x: openX, github: openGithub, farcaster: openFarcaster };

/** Opens a reader for each platform; one without its required settings answers that it is not configured. */
export function openProofReaders(
  settings: ProofSettings,
  parts: ReaderParts,
  platforms: readonly Pick<ProofPlatform, "key" | "label">[] = PROOF_PLATFORMS,
  openers: Readonly<Record<string, unknown>> = OPENERS,
): ProofReaders {
  const open = ({ key, label }: Pick<ProofPlatform, "key" | "label">) => {
    const opener = openers[key] as OpenReader<never, unknown>;
    const given = (settings as Record<string, unknown>)[key] as SettingsOf<never>;
    return opener(given, parts) ?? unconfiguredProofs(label);
  };
  return Object.fromEntries(platforms.map((platform) => [platform.key, open(platform)])) as ProofReaders;
}

/** Readers that answer that no platform is configured. */
export const unconfiguredReaders = (): ProofReaders =>
  Object.fromEntries(PROOF_PLATFORMS.map(({ key, label }) => [key, unconfiguredProofs(label)])) as ProofReaders;

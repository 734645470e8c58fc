/** Social platforms of proofs: X, GitHub, Farcaster. */
import { farcasterProofs } from "../clients/farcaster.ts";
import { hubReader } from "../clients/farcaster-hub.ts";
import { githubProofs } from "../clients/github.ts";
import { isLoopback } from "../clients/http/public-address.ts";
import type { Http } from "../clients/http.ts";
import { neynarReader } from "../clients/neynar.ts";
import type { ProofPlatforms } from "../clients/ports.ts";
import { openPublicHttp } from "../clients/public-http.ts";
import { unconfiguredProofs } from "../clients/unavailable.ts";
import { xProofs } from "../clients/x.ts";
import type { Config } from "../config/config.ts";
import { userAgent } from "./connections.ts";

/** The platforms on which accounts prove agents, at the rates that each allows; a platform without its key answers 503. */
export function openProofPlatforms(parts: AsyncDisposableStack, config: Config, http: Http): ProofPlatforms {
  const { x, github, farcaster } = config.upstreams;
  const raw = openPublicHttp({
    userAgent: userAgent(config),
    origins: [new URL(github.rawUrl).origin],
    loopback: isLoopback(github.rawUrl),
  });
  parts.defer(() => raw.close());
  const bearer = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const neynarKey: Record<string, string> = farcaster.neynarKey ? { "x-api-key": farcaster.neynarKey } : {};
  const perFarcaster = { name: "Farcaster", headers: neynarKey, rate: { burst: 100, perSecond: 10 } };
  const farcasterReader = () => {
    if (farcaster.hubUrl) return hubReader(http.upstream({ ...perFarcaster, baseUrl: farcaster.hubUrl }));
    if (farcaster.neynarKey) return neynarReader(http.upstream({ ...perFarcaster, baseUrl: farcaster.neynarUrl }));
    return null;
  };
  const reader = farcasterReader();
  return {
    x: x.token
      ? xProofs(
          http.upstream({
            name: "X",
            baseUrl: x.url,
            headers: bearer(x.token),
            rate: { burst: 300, perSecond: 300 / 900 },
          }),
        )
      : unconfiguredProofs("X"),
    github: githubProofs(
      http.upstream({
        name: "GitHub",
        baseUrl: github.url,
        headers: {
          accept: "application/vnd.github+json",
          "x-github-api-version": "2022-11-28",
          ...bearer(github.token),
        },
        rate: github.token ? { burst: 500, perSecond: 5_000 / 3_600 } : { burst: 60, perSecond: 60 / 3_600 },
        maxBytes: 4_000_000,
      }),
      raw,
    ),
    farcaster: reader ? farcasterProofs(reader) : unconfiguredProofs("Farcaster"),
  };
}

/** Checks of every upstream: one cheap request with the configured key, and its outcome. */
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import { REGISTRIES } from "../../core/directory/registries.ts";
import type { UpstreamVariables } from "../../core/operations/upstream-variable.ts";
import { PROOF_PLATFORMS, type ProofPlatformKey } from "../../core/proof-platforms.ts";
import { type Check, type Finding, ok, reasonOf, skipped, warning } from "../check.ts";
import type { World } from "../world.ts";

/** Runs one request. The service works without any one upstream, so a failure is a warning. */
async function asked(subject: string, variables: string[], request: () => Promise<string>): Promise<Finding> {
  const startedAt = performance.now();
  try {
    const answer = await request();
    return ok(`${answer}, ${Math.round(performance.now() - startedAt)} ms`, subject);
  } catch (thrown) {
    // The failure's own sentence is for callers of the API; its cause says what happened.
    const reason = reasonOf(thrown instanceof Error && thrown.cause ? thrown.cause : thrown);
    const isKey = /status (401|403)/.test(reason);
    const advice = isKey
      ? `It refuses the key or this machine: check ${variables.join(" and ")}.`
      : `Check ${variables[0]} and the network. The service goes on without it and asks again by itself.`;
    return warning(reason, advice, subject);
  }
}

const namesOf = (variables: UpstreamVariables) => Object.values(variables).map(({ name }) => name);

const registries: Check = {
  name: "registries",
  limitMs: 40_000,
  run: ({ registries }) =>
    Promise.all(
      REGISTRIES.map(({ key, label, variables }) =>
        asked(label, namesOf(variables), async () => {
          const page = await registries[key]!.page(null, null);
          if (page === "unchanged") return "answers";
          const total = page.expected === null ? "" : ` of ${page.expected}`;
          return `${page.items.length} items${total} on its first page`;
        }),
      ),
    ),
};

/** Variables of which a platform needs one. */
const ALTERNATIVES: Partial<Record<ProofPlatformKey, string[]>> = {
  x: ["X_BEARER_TOKEN"],
  farcaster: ["FARCASTER_HUB_URL", "NEYNAR_API_KEY"],
};

/** A token id that no agent has: the request finds no proof, and nothing follows from it. */
const NO_AGENT = 2 ** 31;

const platforms: Check = {
  name: "proof platforms",
  limitMs: 30_000,
  run: (world) => Promise.all(PROOF_PLATFORMS.map((platform) => platformFinding(world, platform))),
};

function platformFinding(world: World, platform: (typeof PROOF_PLATFORMS)[number]): Promise<Finding> | Finding {
  const { key, label, variables } = platform;
  const alternatives = ALTERNATIVES[key];
  const isSet = (name: string) => world.variables.some((each) => each.name === name && each.state === "set");
  if (alternatives && !alternatives.some(isSet))
    return skipped(`accounts on ${label} cannot be proven without ${alternatives.join(" or ")}`, label);
  return asked(label, namesOf(variables), async () => {
    const reader = world.proofs[key] as { find(claim: unknown, sought: unknown): Promise<unknown> };
    await reader.find(platform.examples[0], { prefix: world.config.service.prefix, tokenId: NO_AGENT });
    return "answers for an example account";
  });
}

const reputation: Check = {
  name: "reputation and markets",
  run: ({ ethos, markets, config, serverDate }) =>
    Promise.all([
      asked("Ethos", ["ETHOS_API_URL"], async () => `${(await ethos.scores([ZERO_ADDRESS])).size} score asked`),
      asked("DexScreener", ["DEXSCREENER_API_URL"], async () => {
        await markets.quotes([config.contracts.usdc.address]);
        return "answers";
      }),
      ...[
        ["IPFS gateway", "IPFS_GATEWAY_URL", config.upstreams.gateways.ipfs] as const,
        ["Arweave gateway", "ARWEAVE_GATEWAY_URL", config.upstreams.gateways.arweave] as const,
        ...(config.identityProvider
          ? [["identity provider", "IDP_JWKS_URL", config.identityProvider.jwksUrl] as const]
          : []),
      ].map(([name, variable, url]) =>
        asked(name, [variable], async () => {
          await serverDate(url);
          return "answers";
        }),
      ),
    ]),
};

const signIn: Check = {
  name: "sign-in of people",
  run({ authorizationServer, now }) {
    if (!authorizationServer) return skipped("IDP_CLIENT_ID not set: people without a wallet paste an access token");
    return asked("metadata of the identity provider", ["IDP_ISSUER"], async () => {
      const { authorizationEndpoint, revocationEndpoint } = await authorizationServer.metadata(new Date(now()));
      const ending = revocationEndpoint === null ? ", and cannot revoke tokens" : "";
      return `signs people in at ${new URL(authorizationEndpoint).host}${ending}`;
    });
  },
};

const meanings: Check = {
  name: "meanings",
  limitMs: 20_000,
  run({ embeddings }) {
    if (!embeddings) return skipped("EMBEDDINGS_URL not set: agents are found by words only");
    return asked("provider of embeddings", ["EMBEDDINGS_URL", "EMBEDDINGS_API_KEY"], async () => {
      const answer = await embeddings.vectors(["an agent"]);
      if (answer.kind === "refused") throw answer.failure.cause ?? answer.failure;
      if (!answer.vectors[0])
        throw new Error(`it gives no vector of ${embeddings.dimensions} numbers: check EMBEDDINGS_DIMENSIONS`);
      return `vectors of ${embeddings.model}`;
    });
  },
};

export const UPSTREAM_CHECKS: readonly Check[] = [registries, platforms, reputation, signIn, meanings];

/** The specification's records: every field that it names, in an answer of the running service. */
import { expect } from "vitest";
import { z } from "zod";
import { identityAbi } from "../../abis/identity.ts";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import {
  address,
  arrayOf,
  bit,
  decimal,
  exactly,
  facts,
  fields,
  flag,
  integer,
  link,
  list,
  moment,
  no,
  number,
  object,
  oneOf,
  orNull,
  type Section,
  score,
  some,
  text,
  yes,
} from "./fact.ts";
import type { Walk } from "./walk.ts";

const ORIGINS = oneOf("AGENT_SIWA", "HUMAN", "API", "OWNER");
export const TIERS = ["PREFERRED", "PRIME", "QUALIFIED", "MARGINAL", "JUNK"];
export const COMPONENTS = ["activity", "traits", "verify", "coinbase", "age", "narrative", "origin", "soulbound"];
const WORDS_OF_TIERS = ["basic", "verified", "trusted", "elite", "legendary"];
const at = (path: string) => (walk: Walk) => walk.get(path);
const ofSpecimen = (rest: string) => (walk: Walk) => walk.get(`${walk.own}/${rest}`);

const AGENT: Section = {
  title: "Agent",
  facts: [
    ...fields("Agent", (walk) => walk.proven, {
      tokenId: integer,
      agentAddress: address,
      name: some,
      framework: some,
      mintedAt: moment,
      verified: flag,
      soulbound: flag,
      mintOrigin: ORIGINS,
      generation: integer,
      points: integer,
      credScore: score,
      ethosScore: orNull(number),
      owner: address,
      linkedToken: orNull(object),
      personality: object,
      narrative: object,
      traits: arrayOf(z.object({ name: some, category: some, addedAt: moment })),
      explorer: link,
    }),
    ...fields("Linked token", (walk) => walk.linked, {
      "linkedToken.contractAddress": address,
      "linkedToken.chain": exactly("base"),
      "linkedToken.symbol": exactly("USDC"),
    }),
    ...facts({
      "The id of an agent in paths is its tokenId": async ({ get, own, id }) =>
        expect((await get(own)).body).toMatchObject({ tokenId: id }),
      "A soulbound identity cannot be transferred": async ({ get, chain, devnet }) => {
        const { agents } = (await get("/api/v2/agents?limit=1000")).body as {
          agents: { soulbound: boolean; owner: `0x${string}`; tokenId: number }[];
        };
        const bound = agents.find(({ soulbound }) => soulbound)!;
        const moved = chain.simulateContract({
          ...{
            address: devnet.contracts.identity!,
            abi: identityAbi,
            functionName: "transferFrom",
            account: bound.owner,
          },
          args: [bound.owner, devnet.accounts[0]!.address, BigInt(bound.tokenId)],
        });
        await expect(moved).rejects.toThrow();
      },
    }),
    ...fields("Personality", (walk) => walk.registered, {
      "personality.quirks": exactly("hums"),
      "personality.communicationStyle": exactly("plain"),
      "personality.values": exactly("care"),
      "personality.humor": exactly("dry"),
      "personality.riskTolerance": exactly(3),
      "personality.autonomyLevel": exactly(7),
    }),
    ...fields("Narrative", (walk) => walk.changed, {
      "narrative.origin": exactly("a table"),
      "narrative.mission": exactly("to be checked again"),
      "narrative.lore": exactly("Written on chain."),
      "narrative.manifesto": exactly("Everything stated is shown."),
    }),
  ],
};

const STATISTICS: Section = {
  title: "Protocol statistics",
  facts: [
    ...fields("Statistics, variant A", at("/api/v2/stats"), {
      totalAgents: integer,
      totalVerified: integer,
      totalSoulLocked: integer,
      totalHandshakes: integer,
      avgCredScore: number,
    }),
    ...fields("Statistics, variant B", at("/api/v2/stats"), {
      mintPrice: decimal,
      network: some,
      chainId: exactly(8453),
      contract: address,
      contractDeployed: yes,
      phase: integer,
    }),
  ],
};

const SCALE = { preferred: "91-100", prime: "76-90", qualified: "51-75", marginal: "26-50", junk: "0-25" };
const CRED_VIEWS: Section = {
  title: "Cred score views",
  facts: [
    ...fields("By address", (walk) => walk.get(`/api/v2/agent/${walk.agentWallet.address}/cred`), {
      address,
      credScore: score,
      tier: oneOf(...WORDS_OF_TIERS),
      factors: object,
    }),
    ...fields("By token id", ofSpecimen("cred"), {
      tokenId: integer,
      name: exactly("Specimen"),
      credScore: score,
      tier: oneOf(...TIERS),
      tierLabel: oneOf("Preferred", "Prime", "Qualified", "Marginal", "Junk"),
      ...Object.fromEntries(Object.entries(SCALE).map(([tier, range]) => [`scale.${tier}`, exactly(range)])),
    }),
  ],
};

const REPORT: Section = {
  title: "Cred report",
  facts: [
    ...fields("Cred report", (walk) => walk.report, {
      reportId: some,
      paidReport: yes,
      "agent.tokenId": integer,
      "agent.name": exactly("Specimen"),
      "credScore.score": score,
      "credScore.tier": oneOf(...TIERS),
      "credScore.rank": integer,
      "credScore.percentile": integer,
      recommendations: arrayOf(z.object({ action: some, impact: some })),
      "receipt.reportId": some,
      "receipt.signature": some,
    }),
    ...COMPONENTS.flatMap((component) =>
      fields(`Score breakdown of ${component}`, (walk) => walk.report, {
        [`scoreBreakdown.${component}.weight`]: number,
        [`scoreBreakdown.${component}.rawScore`]: number,
        [`scoreBreakdown.${component}.weightedScore`]: number,
      }),
    ),
    ...facts({
      "The receipt names the report": ({ report }) => {
        const { reportId } = report.body as { reportId: string };
        expect(report.body).toMatchObject({ receipt: { reportId } });
      },
    }),
  ],
};

const PLATFORMS = ["x", "github", "farcaster"];
const OTHERS: Section = {
  title: "Other records",
  facts: [
    ...fields("Verifications", (walk) => walk.verifications, {
      tokenId: integer,
      ...Object.fromEntries(
        PLATFORMS.flatMap((platform) => [
          [`${platform}.handle`, some],
          [`${platform}.verifiedAt`, moment],
        ]),
      ),
    }),
    ...fields(
      "Verifications of an agent that proved none",
      (walk) => walk.verificationsBefore,
      Object.fromEntries(PLATFORMS.map((platform) => [platform, exactly(null)])),
    ),
    ...fields("Aggregated report", ofSpecimen("report"), {
      tokenId: integer,
      "balances.eth": decimal,
      "balances.usdc": decimal,
      "balances.linkedToken": object,
      recentTransactions: list,
      "verifications.siwa": yes,
      "verifications.x.verified": yes,
      "verifications.x.handle": some,
      rank: integer,
    }),
    ...fields("Referral", ofSpecimen("referral"), {
      tokenId: integer,
      code: some,
      link,
      "stats.totalReferrals": integer,
    }),
    ...fields("Referral validity", (walk) => walk.get(`/api/v2/referral/${walk.code}`), {
      valid: yes,
      code: some,
      referrer: exactly("Meridian"),
      bonusPoints: integer,
    }),
    ...fields("Name check of a name that is taken", at("/api/v2/name/meridian"), {
      name: exactly("meridian.agent"),
      available: no,
      tokenId: integer,
      contract: address,
    }),
    ...fields("Name check of a free name", at("/api/v2/name/unheard-of.agent"), {
      name: exactly("unheard-of.agent"),
      available: yes,
      tokenId: exactly(null),
    }),
    ...fields("V1 OG status", at(`/api/v2/og/${OG_WALLETS[0]!.wallet}`), {
      isOG: yes,
      v1Name: exactly(OG_WALLETS[0]!.v1Name),
      referralCode: some,
      "benefits.freeMint": flag,
      "benefits.bonusPoints": integer,
      "benefits.ogTrait": flag,
    }),
    ...fields("V1 OG status of another wallet", (walk) => walk.get(`/api/v2/og/${walk.stranger.address}`), {
      isOG: no,
    }),
    ...fields("Token holders", at("/api/v2/token/stats"), { holders: integer, updatedAt: integer }),
    ...fields("Session outcome", (walk) => walk.sessionOutcome, { success: yes }),
    ...fields("Metadata", at("/api/v2/metadata/0"), {
      name: some,
      description: some,
      image: link,
      external_url: link,
      attributes: arrayOf(z.object({ trait_type: some, value: z.union([z.string(), z.number()]) })),
    }),
    ...facts(
      Object.fromEntries(
        ["Framework", "Cred Score", "Tier"].map((type) => [
          `Metadata: an attribute ${type}`,
          async ({ get }: Walk) => {
            const named = expect.objectContaining({ trait_type: type });
            expect((await get("/api/v2/metadata/0")).body).toMatchObject({
              attributes: expect.arrayContaining([named]),
            });
          },
        ]),
      ),
    ),
    ...fields("Terminal agent", (walk) => walk.get(`/api/terminal/agent/${walk.agentWallet.address}`), {
      address,
      name: exactly("Specimen"),
      platform: some,
      cred_score: score,
      cred_tier: oneOf(...TIERS),
      x402_supported: bit,
      verified: bit,
      description: orNull(text),
      image_url: orNull(link),
      token_symbol: orNull(text),
      token_market_cap: orNull(number),
    }),
    ...fields("Message group", (walk) => walk.group, {
      "group.topic": some,
      "group.minCred": exactly(51),
      "group.isPublic": no,
    }),
    ...fields("Message", (walk) => walk.send, { "message.content": exactly("Welcome.") }),
    ...fields("Human principal", (walk) => walk.human, { "principal.id": some, "principal.name": some }),
    ...fields("Organization principal", (walk) => walk.organization, {
      "principal.id": some,
      "principal.displayName": some,
    }),
  ],
};

export const RESOURCES: readonly Section[] = [AGENT, STATISTICS, CRED_VIEWS, REPORT, OTHERS];

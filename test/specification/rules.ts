/** The specification's rules: what the service is, states, signing in, payments, errors, limits, the score and versions. */
import { expect } from "vitest";
import { jsonRequest } from "../../harness/json-request.ts";
import { documentOf } from "./endpoints.ts";
import { exactly, type Fact, facts, fields, type Section, some } from "./fact.ts";
import { COMPONENTS, TIERS } from "./resources.ts";
import { type Answer, HOUR, type Terms, termsOf, type Walk } from "./walk.ts";

const NETWORK = "eip155:8453";
const methodsOf = ({ discovery }: Walk) =>
  (discovery.body as { payments: { methods: { protocol: string; status: string }[] } }).payments.methods;

const SERVICE: Section = {
  title: "What the service does",
  facts: facts({
    "Identities are on the chain 8453": ({ discovery }) => expect(discovery.body).toMatchObject({ chainId: 8453 }),
    "Identities are ERC-721 tokens": async ({ chain, devnet }) =>
      expect(
        await chain.readContract({
          address: devnet.contracts.identity!,
          abi: [
            {
              ...{ type: "function", name: "supportsInterface", stateMutability: "view" },
              ...{ inputs: [{ type: "bytes4" }], outputs: [{ type: "bool" }] },
            },
          ] as const,
          functionName: "supportsInterface",
          args: ["0x80ac58cd"],
        }),
      ).toBe(true),
    "Every agent has a score from 0 to 100 and a tier": async (walk) => {
      for (const { credScore, credTier } of await everyAgent(walk)) {
        expect(credScore).toBeGreaterThanOrEqual(0);
        expect(credScore).toBeLessThanOrEqual(100);
        expect(TIERS).toContain(credTier);
      }
    },
    "Fees other than registration and report are waived": ({ discovery }) =>
      expect(discovery.body).toMatchObject({ pricing: { update: "0.00", soulLock: "0.00", soulHandshake: "0.00" } }),
  }),
};

const STATES: Section = {
  title: "States and transitions",
  facts: facts({
    "An agent is not verified when it is registered": ({ registered }) =>
      expect(registered.body).toMatchObject({ verified: false }),
    "soulbound is set when it is registered": ({ registered, byEther }) =>
      expect([registered.body, byEther.body]).toMatchObject([{ soulbound: false }, { soulbound: true }]),
    "verify by the agent's own wallet makes it verified": ({ proven }) =>
      expect(proven.body).toMatchObject({ verified: true }),
    "verify raises the score": ({ scores }) => expect(scores.verified).toBeGreaterThan(scores.atFirst),
    "A proven account sets its entry in the verifications": ({ verifications, account }) =>
      expect(verifications.body).toMatchObject({
        ...{ x: { handle: account }, github: { handle: account }, farcaster: { handle: account } },
      }),
    "A proven account of the microblog adds a trait": ({ proven }) =>
      expect(JSON.stringify((proven.body as { traits: unknown }).traits)).toContain("x-verified"),
    "A proven account changes the score": ({ scores }) => expect(scores.proved).toBeGreaterThan(scores.verified),
    "The exchange's check is refused before the owner has done his part": ({ attestationMissing }) =>
      expect(attestationMissing.status).toBe(404),
    "The exchange's check makes coinbaseVerified true": ({ exchange, proven }) =>
      expect([exchange.body, proven.body]).toMatchObject([{ coinbaseVerified: true }, { coinbaseVerified: true }]),
    "The exchange's check raises the score": ({ scores }) => expect(scores.attested).toBeGreaterThan(scores.proved),
    "A payment method is available or planned": (walk) => {
      for (const method of methodsOf(walk)) expect(["available", "planned"]).toContain(method.status);
    },
  }),
};

const SIWA: Section = {
  title: "Agent authentication (SIWA)",
  facts: facts({
    "The header has Bearer, address, timestamp and signature": ({ discovery }) =>
      expect(discovery.body).toMatchObject({
        auth: { agent: { header: "Authorization: Bearer {address}:{timestamp}:{signature}" } },
      }),
    "The word Bearer may be left out": async ({ ask, agentWallet, own }) => {
      const authorization = (await agentWallet.siwa()).replace("Bearer ", "");
      expect(await ask(`${own}/crossreg`, jsonRequest("POST", undefined, { authorization }))).toMatchObject({
        status: 200,
      });
    },
    "The signed text names host, wallet and time": ({ discovery, host }) =>
      expect(discovery.body).toMatchObject({
        auth: {
          agent: {
            message: `Sign-In With Agent: ${host} wants you to sign in with your wallet {address} at {timestamp}`,
          },
        },
      }),
    "The timestamp is in milliseconds": async ({ aged }) => expect(await aged(0)).toMatchObject({ status: 402 }),
    "A credential of 59 minutes is good": async ({ aged }) =>
      expect(await aged(HOUR - 60_000)).toMatchObject({ status: 402 }),
    "A credential of 61 minutes is 401": async ({ aged }) =>
      expect(await aged(HOUR + 60_000)).toMatchObject({ status: 401 }),
    "A signature of another text is 401": async ({ ask, own, agentWallet }) => {
      const authorization = await agentWallet.siwa(Date.now(), "another.example");
      expect(await ask(`${own}/crossreg`, jsonRequest("POST", undefined, { authorization }))).toMatchObject({
        status: 401,
      });
    },
    "A signature of another wallet is 401": async ({ ask, own, agentWallet, stranger }) => {
      const authorization = (await stranger.siwa()).replace(stranger.address, agentWallet.address);
      expect(await ask(`${own}/crossreg`, jsonRequest("POST", undefined, { authorization }))).toMatchObject({
        status: 401,
      });
    },
    "Verify is signed by the agent's own wallet": ({ verify, verifyByStranger }) =>
      expect([verify.status, verifyByStranger.status]).toEqual([200, 403]),
  }),
};

const SIWE_LINES: Record<string, (walk: Walk) => string | RegExp> = {
  "names the host": ({ host }) => `${host} wants you to sign in with your Ethereum account:`,
  "then has the address": () => "{address}",
  "has the statement": ({ discovery }) => `Sign in to ${(discovery.body as { name: string }).name}`,
  "has the service's web address as URI": ({ devnet }) => `URI: ${devnet.apiUrl}`,
  "has version 1": () => "Version: 1",
  "has chain id 8453": () => "Chain ID: 8453",
  "has the timestamp as nonce": () => "Nonce: {timestamp}",
  "has Issued At as ISO 8601": () => /^Issued At: .*ISO 8601/,
};
const ME = "/api/v2/principals/human/register";

const HUMANS: Section = {
  title: "Human authentication",
  facts: [
    ...facts(
      Object.fromEntries(
        Object.entries(SIWE_LINES).map(([states, line]) => [
          `The text of SIWE ${states}`,
          (walk: Walk) => {
            const { auth } = walk.discovery.body as { auth: { human: { message: string } } };
            const wanted = line(walk);
            const lines = auth.human.message.split("\n");
            expect(lines).toContainEqual(typeof wanted === "string" ? wanted : expect.stringMatching(wanted));
          },
        ]),
      ),
    ),
    ...facts({
      "The header of SIWE has the shape of SIWA's": ({ discovery }) =>
        expect(discovery.body).toMatchObject({
          auth: { human: { header: "Authorization: Bearer {address}:{timestamp}:{signature}" } },
        }),
      "A credential of 59 minutes is good": async ({ asHuman, person }) =>
        expect((await asHuman(ME, person, { name: "Aged" }, HOUR - 60_000)).status).toBe(200),
      "A credential of 61 minutes is 401": async ({ asHuman, person }) =>
        expect((await asHuman(ME, person, { name: "Aged" }, HOUR + 60_000)).status).toBe(401),
      "An access token of the identity provider signs in": ({ humanByToken }) => expect(humanByToken.status).toBe(201),
      "An access token that is none is 401": async ({ post }) =>
        expect(await post(ME, { name: "None" }, { authorization: "Bearer none" })).toMatchObject({ status: 401 }),
      "human-update is signed over its own line": ({ humanUpdate }) => expect(humanUpdate.status).toBe(200),
      "human-update refuses a signature of another line": async ({ post, own, id, agentWallet }) => {
        const message = `Helixa: Update agent #${id + 1} at ${Date.now()}`;
        const signature = await agentWallet.account.signMessage({ message });
        const refused = await post(`${own}/human-update`, { message, signature, personality: { humor: "none" } });
        expect([400, 401]).toContain(refused.status);
      },
    }),
  ],
};

const API_KEY: Section = {
  title: "API key",
  facts: facts({
    "session-outcome takes a key in X-API-Key": ({ sessionOutcome }) => expect(sessionOutcome.status).toBe(200),
    "session-outcome takes no other credential": async ({ signed, agentWallet, outcomePath, session }) =>
      expect(await signed("POST", outcomePath, agentWallet, session)).toMatchObject({ status: 401 }),
  }),
};

const method = (walk: Walk, wanted: object) => expect(methodsOf(walk)).toContainEqual(expect.objectContaining(wanted));
const price = (states: string, path: string, value: string, decided?: string): Fact => ({
  ...fields(states, (walk) => walk.get("/api/v2/pricing"), { [path]: exactly(value) })[0]!,
  ...(decided && { decided }),
});

const PAYMENTS: Section = {
  title: "Payments (x402)",
  facts: [
    ...["mintUnpaid", "solanaUnpaid", "reportUnpaid"].flatMap((name) =>
      facts({
        [`${name}: 402`]: (walk) => expect(unpaid(walk, name).status).toBe(402),
        [`${name}: carries x402 headers`]: (walk) =>
          expect(unpaid(walk, name).headers.get("payment-required")).toBeTruthy(),
        [`${name}: asks for USDC`]: (walk) =>
          expect(termsOf(unpaid(walk, name)).asset.toLowerCase()).toBe(walk.devnet.contracts.usdc!.toLowerCase()),
        [`${name}: on the chain 8453`]: (walk) => expect(termsOf(unpaid(walk, name)).network).toBe(NETWORK),
        [`${name}: a published price`]: (walk) => expect(Number(termsOf(unpaid(walk, name)).amount)).toBeGreaterThan(0),
      }),
    ),
    ...facts({
      "The x402 flow pays a registration": ({ mint }) => expect(mint.status).toBe(201),
      "The x402 flow pays a registration of the alternative chain": ({ solanaRegistration }) =>
        expect(solanaRegistration.status).toBe(201),
      "The x402 flow pays a report": ({ report }) => expect(report.status).toBe(200),
      "The hash of a broadcast transaction pays, in a payment header": ({ reportByTransfer }) =>
        expect(reportByTransfer).toMatchObject({ status: 200, body: { paidReport: true } }),
      "x402 in USDC is available": (walk) => method(walk, { protocol: "x402", status: "available", currency: "USDC" }),
      "MPP on chain 4217 in USDC.e is available": (walk) =>
        method(walk, { protocol: "MPP", status: "available", currency: "USDC.e" }),
      "x402 in the service's own token is planned": (walk) => method(walk, { protocol: "x402", status: "planned" }),
      "What is planned is never asked for": ({ reportUnpaid, devnet }) => {
        const { accepts } = reportUnpaid.body as { accepts: Pick<Terms, "asset">[] };
        expect(accepts.map(({ asset }) => asset.toLowerCase())).toEqual(
          accepts.map(() => devnet.contracts.usdc!.toLowerCase()),
        );
      },
      "Registrations are paid to the deployer, both": ({ mintUnpaid, solanaUnpaid }) =>
        expect(termsOf(mintUnpaid).payTo).toBe(termsOf(solanaUnpaid).payTo),
      "Reports are paid to the treasury, which is another": ({ mintUnpaid, reportUnpaid }) =>
        expect(termsOf(mintUnpaid).payTo).not.toBe(termsOf(reportUnpaid).payTo),
      "Ether pays a registration by the contract itself": ({ byEther }) =>
        expect(byEther).toMatchObject({ status: 200, body: { name: "Specimen of ether" } }),
    }),
    price("Registration", "agentMint", "1.00"),
    price("Registration of the alternative chain", "solanaRegistration", "1.00"),
    price("soulLock", "soulLock", "0.00"),
    price("soulHandshake", "soulHandshake", "0.00"),
    price("Update", "update", "0.00", "1 Names and constants: variant B, free; variant A has 1 USDC"),
    price("Cred report", "credReport", "0.01", "1 Names and constants: variant B; variant A has 1 USDC"),
    {
      ...fields("Statistics", (walk) => walk.get("/api/v2/stats"), { mintPrice: some })[0]!,
      decided: "3 Discovery, health, stats: the contract's price in ether; one variant shows zero",
    },
  ],
};
const unpaid = (walk: Walk, name: string): Answer => walk[name as "mintUnpaid"];

const ERRORS: Section = {
  title: "Errors",
  facts: facts({
    "200: a read": async ({ get }) => expect((await get("/api/v2/stats")).status).toBe(200),
    "200: an update": ({ update }) => expect(update.status).toBe(200),
    "200: verify": ({ verify }) => expect(verify.status).toBe(200),
    "200: a session's outcome": ({ sessionOutcome }) => expect(sessionOutcome.status).toBe(200),
    "201: a registration": ({ mint }) => expect(mint.status).toBe(201),
    "401: mint without SIWA": ({ mintAnonymous }) => expect(mintAnonymous.status).toBe(401),
    "401: session-outcome without a key": async ({ post, outcomePath, session }) =>
      expect((await post(outcomePath, session)).status).toBe(401),
    "402: what costs money": ({ reportUnpaid }) => expect(reportUnpaid.status).toBe(402),
    "404: cred of an unknown agent": async ({ get, stranger }) =>
      expect((await get(`/api/v2/agent/${stranger.address}/cred`)).status).toBe(404),
  }),
};

const LIMITS: Section = {
  title: "Limits",
  facts: facts({
    "Lists of agents: 100 unless asked otherwise": async ({ get }) =>
      expect((await get("/api/v2/agents")).body).toMatchObject({ limit: 100 }),
    "The directory: 50 unless asked otherwise": async ({ get }) =>
      expect((await get("/api/terminal/agents")).body).toMatchObject({ agents: { length: 50 } }),
    "The leaderboard: 20 unless asked otherwise": async ({ get }) =>
      expect((await get("/api/v2/leaderboard")).body).toMatchObject({ agents: { length: 20 } }),
    "Joining asks for the group's minCred": ({ joinByJunk }) =>
      expect(joinByJunk).toMatchObject({ status: 403, body: { required: 51 } }),
    "Sending asks for the group's minCred": ({ sendByJunk }) =>
      expect(sendByJunk).toMatchObject({ status: 403, body: { required: 51 } }),
    "Creating a group asks for 51": ({ groupByJunk }) =>
      expect(groupByJunk).toMatchObject({ status: 403, body: { required: 51 } }),
  }),
};

type Summary = {
  tokenId: number;
  agentAddress: string;
  credScore: number;
  credTier: string;
  points: number;
  traitCount: number;
  mintOrigin: string;
  soulbound: boolean;
  mintedAt: string;
};
type Factor = { weight: number; rawScore: number; weightedScore: number };
type Scored = Summary & { factors: Record<string, Factor>; walk: Walk };

const everyAgent = async ({ get }: Walk) =>
  ((await get("/api/v2/agents?limit=1000&spam=true")).body as { agents: Summary[] }).agents;
/** Every agent whose wallet is its own, with the parts of its score. */
async function everyScore(walk: Walk): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (const agent of await everyAgent(walk)) {
    const { body } = await walk.get(`/api/v2/agent/${agent.agentAddress}/cred`);
    const { tokenId, factors } = body as { tokenId: number; factors: Scored["factors"] };
    if (tokenId === agent.tokenId) scored.push({ ...agent, factors, walk });
  }
  expect(scored.length).toBeGreaterThan(30);
  return scored;
}

const DAY = 86_400_000;
const of = async <T>({ walk, tokenId }: Scored, rest = ""): Promise<T> =>
  (await walk.get(`/api/v2/agent/${tokenId}${rest}`)).body as T;
const ORIGINS: Record<string, number> = { AGENT_SIWA: 100, HUMAN: 80, API: 70, OWNER: 50 };
/** By component: its name in the specification, its weight, and its raw score from what the API shows of an agent. */
const FORMULA: Record<string, [name: string, weight: number, raw: (agent: Scored) => number | Promise<number>]> = {
  activity: ["Onchain Activity", 0.2, ({ points }) => Math.min(points * 2, 100)],
  traits: ["Trait Richness", 0.15, ({ traitCount }) => Math.min(traitCount * 12, 100)],
  verify: [
    "Verification Status",
    0.15,
    async (agent) => {
      const proofs = await of<Record<string, { status: string } | null>>(agent, "/verifications");
      const { verified } = await of<{ verified: boolean }>(agent);
      const accounts = [proofs.x, proofs.github, proofs.farcaster].map((one) => (one?.status ?? "lapsed") !== "lapsed");
      return 25 * [verified, ...accounts].filter(Boolean).length;
    },
  ],
  coinbase: [
    "Exchange attestation",
    0.15,
    async (agent) => ((await of<{ coinbaseVerified: boolean }>(agent)).coinbaseVerified ? 100 : 0),
  ],
  age: ["Account Age", 0.1, ({ mintedAt }) => Math.min(Math.floor((Date.now() - Date.parse(mintedAt)) / DAY) * 5, 100)],
  narrative: [
    "Narrative Completeness",
    0.1,
    async (agent) => {
      const { narrative } = await of<{ narrative: Record<string, string> | null }>(agent);
      return 25 * ["origin", "mission", "lore", "manifesto"].filter((part) => narrative?.[part]).length;
    },
  ],
  origin: ["Mint Origin", 0.1, ({ mintOrigin }) => ORIGINS[mintOrigin]!],
  soulbound: ["Soulbound Status", 0.05, ({ soulbound }) => (soulbound ? 100 : 0)],
};

const CRED: Section = {
  title: "Cred Score System",
  facts: [
    ...Object.entries(FORMULA).flatMap(([component, [name, weight, raw]]) =>
      facts({
        [`${name} weighs ${weight * 100}%`]: async (walk) => {
          for (const { factors } of await everyScore(walk)) expect(factors[component]).toMatchObject({ weight });
        },
        [`${name} follows its rule for every agent`]: async (walk) => {
          for (const agent of await everyScore(walk))
            expect([agent.tokenId, agent.factors[component]!.rawScore]).toEqual([agent.tokenId, await raw(agent)]);
        },
      }),
    ),
    ...facts({
      "The score has these components and no other": async (walk) => {
        for (const { factors } of await everyScore(walk))
          expect(Object.keys(factors).sort()).toEqual([...COMPONENTS].sort());
      },
      "The score is the sum of the weighted components": async (walk) => {
        for (const { tokenId, credScore, factors } of await everyScore(walk)) {
          const sum = Object.values(factors).reduce((all, { weight, rawScore }) => all + weight * rawScore, 0);
          expect([tokenId, credScore]).toEqual([tokenId, Math.round(sum + 1e-9)]);
        }
      },
    }),
    ...Object.entries({
      PREFERRED: [91, 100],
      PRIME: [76, 90],
      QUALIFIED: [51, 75],
      MARGINAL: [26, 50],
      JUNK: [0, 25],
    }).map(([tier, [from, to]]) => ({
      states: `${tier} is ${from} to ${to}`,
      async holds(walk: Walk) {
        for (const { credScore, credTier } of await everyAgent(walk))
          expect([credScore, credTier === tier]).toEqual([credScore, credScore >= from! && credScore <= to!]);
      },
    })),
  ],
};

const VERSIONS: Section = {
  title: "Versioning",
  facts: [
    ...fields("Discovery", (walk) => walk.discovery, { version: exactly("2.0.0") }),
    ...fields("Health", (walk) => walk.get("/health"), { version: exactly("v2") }),
    ...facts({
      "The document follows OpenAPI 3.0": async (walk) =>
        expect(await documentOf(walk)).toMatchObject({ openapi: expect.stringMatching(/^3\.0\.\d$/) }),
      "The document has version 2.0.0": async (walk) =>
        expect(await documentOf(walk)).toMatchObject({ info: { version: "2.0.0" } }),
      "Paths of the directory carry no version": async (walk) =>
        expect(Object.keys((await documentOf(walk)).paths)).toContain("/api/terminal/agents"),
    }),
  ],
};

export const RULES: readonly Section[] = [
  ...[SERVICE, STATES, SIWA, HUMANS, API_KEY, PAYMENTS, ERRORS, LIMITS, CRED, VERSIONS],
];

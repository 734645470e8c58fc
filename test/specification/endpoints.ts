/** The specification's endpoints: what each takes and answers, and who may call it. */
import { expect } from "vitest";
import { z } from "zod";
import { jsonRequest } from "../../harness/json-request.ts";
import {
  address,
  arrayOf,
  exactly,
  type Fact,
  facts,
  fields,
  hash,
  integer,
  link,
  list,
  number,
  object,
  type Section,
  score,
  some,
  text,
  yes,
} from "./fact.ts";
import { type Answer, HOUR, type Walk } from "./walk.ts";

type Operation = {
  parameters?: { name: string; description?: string; schema: Record<string, unknown> }[];
  requestBody?: { content: { "application/json": { schema: object } } };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters?: Record<string, object>; schemas: Record<string, object> };
};
export const documentOf = async ({ get }: Walk) => (await get("/api/v2/openapi.json")).body as Document;

/** Requests of the table of public endpoints; `{id}` and the others are the walk's own. */
const PUBLIC: Record<string, (walk: Walk) => string> = {
  "/api/v2": () => "/api/v2",
  "/health": () => "/health",
  "/api/v2/stats": () => "/api/v2/stats",
  "/api/v2/agents": () => "/api/v2/agents",
  "/api/v2/agent/{id}": ({ own }) => own,
  "/api/v2/metadata/{id}": ({ id }) => `/api/v2/metadata/${id}`,
  "/api/v2/name/{name}": () => "/api/v2/name/meridian",
  "/api/v2/agent/{id}/cred": ({ own }) => `${own}/cred`,
  "/api/v2/agent/{address}/cred": (walk) => `/api/v2/agent/${walk.agentWallet.address}/cred`,
  "/api/v2/agent/{id}/report": ({ own }) => `${own}/report`,
  "/api/v2/agent/{id}/verifications": ({ own }) => `${own}/verifications`,
  "/api/v2/agent/{id}/referral": ({ own }) => `${own}/referral`,
  "/api/v2/referral/{code}": ({ code }) => `/api/v2/referral/${code}`,
  "/api/v2/og/{address}": ({ stranger }) => `/api/v2/og/${stranger.address}`,
  "/api/v2/token/stats": () => "/api/v2/token/stats",
  "/api/v2/leaderboard": () => "/api/v2/leaderboard",
  "/.well-known/agent-registry": () => "/.well-known/agent-registry",
  "/api/v2/openapi.json": () => "/api/v2/openapi.json",
  "/api/v2/human/{id}": ({ person }) => `/api/v2/human/${person.address}`,
  "/api/v2/human/{id}/cred": ({ person }) => `/api/v2/human/${person.address}/cred`,
  "/api/v2/organizations": () => "/api/v2/organizations",
  "/api/v2/org/{id}": () => "/api/v2/org/tidewater",
  "/api/v2/messages/groups": () => "/api/v2/messages/groups",
  "/api/v2/messages/groups/{groupId}/messages of an open group": () => "/api/v2/messages/groups/welcome/messages",
  "/api/v2/auth/<altchain>/challenge": (walk) => `/api/v2/auth/solana/challenge?address=${walk.solanaAddress}`,
  "/api/terminal/agents": () => "/api/terminal/agents",
  "/api/terminal/agent/{address}": (walk) => `/api/terminal/agent/${walk.agentWallet.address}`,
};

const png = async ({ get, id }: Walk, folder: string): Promise<Answer> => {
  const image = await get(`/api/v2/${folder}/${id}.png`);
  expect(image.headers.get("content-type")).toBe("image/png");
  expect([...image.bytes.subarray(1, 4)]).toEqual([..."PNG"].map((letter) => letter.charCodeAt(0)));
  return image;
};

const READS: Section = {
  title: "Public endpoints",
  facts: [
    ...facts(
      Object.fromEntries(
        Object.entries(PUBLIC).map(([path, of]) => [
          `GET ${path} answers 200 with JSON, without a credential`,
          async (walk: Walk) => {
            const { status, headers, body } = await walk.get(of(walk));
            expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("json")]);
            expect(body).toEqual(expect.any(Object));
          },
        ]),
      ),
    ),
    ...facts({
      "GET /api/v2/aura/{id}.png is a PNG": (walk) => png(walk, "aura"),
      "GET /api/v2/card/{id}.png is the same image": async (walk) =>
        expect((await png(walk, "card")).bytes).toEqual((await png(walk, "aura")).bytes),
      "GET /api/v2/agent/{address}/cred of an unknown agent is 404": async ({ get, stranger }) =>
        expect(await get(`/api/v2/agent/${stranger.address}/cred`)).toMatchObject({ status: 404 }),
      "GET /api/v2/agent/{id}/cred-report without a payment is 402": ({ reportUnpaid }) =>
        expect(reportUnpaid.status).toBe(402),
      "GET /api/v2/agent/{id}/cred-report with a payment is the report": ({ report }) =>
        expect(report.status).toBe(200),
    }),
    ...fields("Discovery", (walk) => walk.discovery, {
      name: some,
      version: some,
      contract: address,
      network: some,
      "auth.type": exactly("SIWA"),
      endpoints: object,
      "pricing.phase": some,
      "pricing.agentMint": some,
    }),
    ...fields("Health", (walk) => walk.get("/health"), {
      status: exactly("ok"),
      version: exactly("v2"),
      port: integer,
      contractDeployed: yes,
    }),
    ...fields("Manifest", (walk) => walk.get("/.well-known/agent-registry"), { name: some, endpoints: object }),
    ...fields("Human cred", (walk) => walk.get(`/api/v2/human/${walk.person.address}/cred`), {
      score,
      breakdown: object,
    }),
    ...fields("Organizations", (walk) => walk.get("/api/v2/organizations"), { organizations: list }),
    ...fields("Groups", (walk) => walk.get("/api/v2/messages/groups"), {
      groups: arrayOf(z.object({ topic: some, minCred: integer, isPublic: z.boolean() })),
    }),
  ],
};

/** Rows of a list, asked for with a query. */
async function rows(walk: Walk, path: string, query: string): Promise<Record<string, never>[]> {
  const { status, body } = await walk.get(`${path}?${query}`);
  expect(status).toBe(200);
  return (body as { agents: Record<string, never>[] }).agents;
}
const agents = (walk: Walk, query: string) => rows(walk, "/api/v2/agents", query);
const terminal = (walk: Walk, query: string) => rows(walk, "/api/terminal/agents", query);
const valuesOf = (list: Record<string, never>[], name: string): unknown[] => list.map((row) => row[name]);
const ascending = (values: unknown[]) => [...values].sort((a, b) => Number(a) - Number(b));
const descending = (values: unknown[]) => ascending(values).reverse();

/** What the document says of a parameter, in its schema, or in words where clients that send defaults must not send this one. */
const parameter = (path: string, name: string, says: Record<string, unknown> | RegExp): Fact => ({
  states: `${path}: ${name} has in the OpenAPI document ${says instanceof RegExp ? says.source : JSON.stringify(says)}`,
  async holds(walk) {
    const found = (await documentOf(walk)).paths[path]!.get!.parameters!.find((one) => one.name === name);
    if (says instanceof RegExp) expect(found?.description).toMatch(says);
    else expect(found?.schema).toMatchObject(says);
  },
});
const LIST = "/api/v2/agents";

const LIST_PARAMETERS: Section = {
  title: "Query parameters of GET /api/v2/agents",
  facts: [
    ...fields("List, variant B", (walk) => walk.get(LIST), {
      total: integer,
      page: exactly(1),
      agents: arrayOf(
        z.object({
          tokenId: z.int(),
          name: z.string(),
          framework: z.string(),
          credScore: z.int(),
          verified: z.boolean(),
        }),
      ),
    }),
    parameter(LIST, "limit", { default: 100 }),
    parameter(LIST, "limit", /at most 1000/),
    parameter(LIST, "offset", /none unless given/),
    parameter(LIST, "page", { default: 1 }),
    parameter(LIST, "sort", { default: "tokenId" }),
    parameter(LIST, "order", { default: "asc" }),
    parameter(LIST, "spam", /false unless given/),
    ...facts({
      "search finds by name": async (walk) =>
        expect(valuesOf(await agents(walk, "search=ecime"), "name")).toContain("Specimen"),
      "search finds by wallet address": async (walk) =>
        expect(valuesOf(await agents(walk, `search=${walk.agentWallet.address}`), "tokenId")).toEqual([walk.id]),
      "limit cuts the list": async (walk) => expect(await agents(walk, "limit=2")).toHaveLength(2),
      "offset skips agents": async (walk) =>
        expect((await agents(walk, "limit=1&offset=3"))[0]).toEqual((await agents(walk, "limit=4"))[3]),
      "page turns the pages": async (walk) =>
        expect(await agents(walk, "limit=2&page=2")).toEqual((await agents(walk, "limit=4")).slice(2)),
      "sorted by tokenId, ascending, unless asked otherwise": async (walk) => {
        const ids = valuesOf(await agents(walk, ""), "tokenId");
        expect(ids).toEqual(ascending(ids));
      },
      "sort takes a field, order desc turns it round": async (walk) => {
        const scores = valuesOf(await agents(walk, "sort=credScore&order=desc"), "credScore");
        expect(scores).toEqual(descending(scores));
      },
      "framework filters": async (walk) => {
        const found = valuesOf(await agents(walk, "framework=eliza"), "framework");
        expect(new Set(found)).toEqual(new Set(["eliza"]));
      },
      "verified filters to verified agents": async (walk) => {
        const found = valuesOf(await agents(walk, "verified=true"), "verified");
        expect(new Set(found)).toEqual(new Set([true]));
      },
      "spam is hidden": async (walk) => expect(valuesOf(await agents(walk, ""), "name")).not.toContain("x"),
      "spam=true includes hidden agents": async (walk) =>
        expect(valuesOf(await agents(walk, "spam=true"), "name")).toContain("x"),
    }),
    {
      states: "limit has a maximum of 1000",
      decided: "3 Agents: variant B; the array of variant A keeps its maximum of 200",
      async holds({ get }) {
        expect((await get(`${LIST}?limit=5000`)).body).toMatchObject({ limit: 1000 });
      },
    },
    {
      states: "The answer is an object; the array of variant A is asked for by format=array",
      decided: "3 Agents: variant B, always an object",
      async holds({ get }) {
        const whole = expect.objectContaining({
          tokenId: expect.any(Number),
          personality: null,
          traits: expect.any(Array),
        });
        expect((await get(`${LIST}?format=array`)).body).toEqual(expect.arrayContaining([whole]));
      },
    },
  ],
};

const LEADERBOARD: Section = {
  title: "Leaderboard",
  facts: [
    parameter("/api/v2/leaderboard", "sort", { default: "cred", enum: ["cred", "points"] }),
    parameter("/api/v2/leaderboard", "limit", { default: 20 }),
    ...facts({
      "is sorted by cred": async (walk) => {
        const scores = valuesOf(await rows(walk, "/api/v2/leaderboard", ""), "credScore");
        expect(scores).toEqual(descending(scores));
      },
      "sort=points sorts by points": async (walk) => {
        const points = valuesOf(await rows(walk, "/api/v2/leaderboard", "sort=points"), "points");
        expect(points).toEqual(descending(points));
      },
      "has 20 agents unless asked otherwise": async (walk) =>
        expect(await rows(walk, "/api/v2/leaderboard", "")).toHaveLength(20),
      "limit cuts it": async (walk) => expect(await rows(walk, "/api/v2/leaderboard", "limit=3")).toHaveLength(3),
    }),
  ],
};

/** Paths that need a credential, each with a body that is good. */
const SIGNED: Record<string, (walk: Walk) => [method: string, path: string, body?: object]> = {
  "POST /api/v2/mint": ({ profile }) => ["POST", "/api/v2/mint", profile],
  "POST …/update": ({ own }) => ["POST", `${own}/update`, { personality: { humor: "none" } }],
  "PUT …/personality": ({ own }) => ["PUT", `${own}/personality`, { humor: "none" }],
  "POST …/verify": ({ own }) => ["POST", `${own}/verify`],
  "POST …/verify/<microblog>": ({ own, account }) => ["POST", `${own}/verify/x`, { handle: account }],
  "POST …/verify/<codehost>": ({ own, account }) => ["POST", `${own}/verify/github`, { username: account }],
  "POST …/verify/<social>": ({ own, fid }) => ["POST", `${own}/verify/farcaster`, { fid }],
  "POST …/<exchange>-verify": ({ own }) => ["POST", `${own}/coinbase-verify`],
  "POST …/crossreg": ({ own }) => ["POST", `${own}/crossreg`],
  "POST …/link-token": ({ own, token }) => ["POST", `${own}/link-token`, token],
  "POST …/session-outcome (API key)": ({ outcomePath, session }) => ["POST", outcomePath, session],
  "POST /api/v2/principals/human/register": () => ["POST", "/api/v2/principals/human/register", { name: "None" }],
  "POST /api/v2/principals/organization/register": () => [
    "POST",
    "/api/v2/principals/organization/register",
    { displayName: "None" },
  ],
  "POST /api/v2/human/{id}/link-agent": ({ person, id }) => [
    "POST",
    `/api/v2/human/${person.address}/link-agent`,
    { agentTokenId: id },
  ],
  "GET …/messages of a private group": ({ groupId }) => ["GET", `/api/v2/messages/groups/${groupId}/messages`],
  "POST …/send": () => ["POST", "/api/v2/messages/groups/welcome/send", { content: "hello" }],
  "POST …/join": () => ["POST", "/api/v2/messages/groups/welcome/join"],
  "POST /api/v2/messages/groups": () => ["POST", "/api/v2/messages/groups", { topic: "none" }],
};

const NEEDS_CREDENTIAL: Fact[] = facts(
  Object.fromEntries(
    Object.entries(SIGNED).flatMap(([name, of]) => [
      [
        `${name} without a credential is 401`,
        async (walk: Walk) => {
          const [method, path, body] = of(walk);
          expect(await walk.ask(path, jsonRequest(method, body))).toMatchObject({ status: 401 });
        },
      ],
      [
        `${name} with a credential that is none is 401`,
        async (walk: Walk) => {
          const [method, path, body] = of(walk);
          const wrong = { authorization: `Bearer ${walk.stranger.address}:${Date.now()}:0x00`, "x-api-key": "none" };
          expect(await walk.ask(path, jsonRequest(method, body, wrong))).toMatchObject({ status: 401 });
        },
      ],
    ]),
  ),
);

/** Asks for a registration without paying: 402 says that the body is good and that nothing but money is missing. */
const mintWould = (states: string, body: object, status: number): Fact => ({
  states,
  async holds(walk) {
    expect(await walk.signed("POST", "/api/v2/mint", walk.stranger, body)).toMatchObject({ status });
  },
});
const FRAMEWORKS = [
  "openclaw",
  "eliza",
  "langchain",
  "crewai",
  "autogpt",
  "bankr",
  "virtuals",
  "based",
  "agentkit",
  "custom",
];

const MINT: Section = {
  title: "Registration",
  facts: [
    ...fields("Registration", (walk) => walk.mint, {
      success: yes,
      tokenId: integer,
      txHash: hash,
      mintOrigin: exactly("AGENT_SIWA"),
      explorer: link,
      "canonical8004.status": exactly("manual_required"),
      "canonical8004.registry": address,
      yourReferralCode: some,
      yourReferralLink: link,
    }),
    ...facts({
      "answers 201": ({ mint }) => expect(mint.status).toBe(201),
      "answers 402 while it is not paid": ({ mintUnpaid }) => expect(mintUnpaid.status).toBe(402),
      "answers 401 without SIWA": ({ mintAnonymous }) => expect(mintAnonymous.status).toBe(401),
      "gives the agent the origin AGENT_SIWA": ({ registered }) =>
        expect(registered.body).toMatchObject({ mintOrigin: "AGENT_SIWA" }),
      "stores the personality": ({ registered, profile }) =>
        expect(registered.body).toMatchObject({ personality: profile.personality }),
      "stores the narrative": ({ registered, profile }) =>
        expect(registered.body).toMatchObject({ narrative: profile.narrative }),
      "stores soulbound": ({ registered }) => expect(registered.body).toMatchObject({ soulbound: false }),
      "takes a referral code": ({ mint, code }) => expect(mint.body).toMatchObject({ referral: { code } }),
      "gives bonus points for a referral code": ({ mint }) =>
        expect(mint.body).toMatchObject({ referral: { minterPoints: 25 } }),
      "The code it answers is the agent's own": async ({ get, own, mint }) => {
        const { yourReferralCode, yourReferralLink } = mint.body as Record<string, string>;
        const referral = await get(`${own}/referral`);
        expect(referral.body).toMatchObject({ code: yourReferralCode, link: yourReferralLink });
      },
      "does not register in the canonical registry": async ({ get, own }) =>
        expect((await get(`${own}/crossreg`)).body).toMatchObject({ registrations: [] }),
    }),
    mintWould("name is required", { framework: "custom" }, 400),
    mintWould("name has at least one character", { name: "" }, 400),
    mintWould("name of one character is good", { name: "S" }, 402),
    mintWould("name of 64 characters is good", { name: "s".repeat(64) }, 402),
    mintWould("name of 65 characters is refused", { name: "s".repeat(65) }, 400),
    mintWould("name is a text", { name: 7 }, 400),
    mintWould("soulbound is optional", { name: "Bound" }, 402),
    mintWould("soulbound is true or false", { name: "Bound", soulbound: "maybe" }, 400),
    mintWould("personality and narrative are optional objects", { name: "Plain", personality: {}, narrative: {} }, 402),
    mintWould("personality is no text", { name: "Plain", personality: "calm" }, 400),
    ...FRAMEWORKS.map((framework) =>
      mintWould(`framework ${framework} is accepted`, { name: "Framed", framework }, 402),
    ),
    mintWould("another framework is refused", { name: "Framed", framework: "none-of-these" }, 400),
    mintWould(
      "riskTolerance and autonomyLevel of 10 are good",
      { name: "Bold", personality: { riskTolerance: 10, autonomyLevel: 10 } },
      402,
    ),
    mintWould("riskTolerance above 10 is refused", { name: "Bold", personality: { riskTolerance: 11 } }, 400),
    mintWould("autonomyLevel above 10 is refused", { name: "Bold", personality: { autonomyLevel: 11 } }, 400),
    mintWould("riskTolerance is an integer", { name: "Bold", personality: { riskTolerance: 1.5 } }, 400),
    {
      ...mintWould("framework is optional", { name: "Unframed" }, 402),
      decided: "1 Names and constants: variant B, custom where it is absent",
    },
    {
      ...mintWould("riskTolerance of 0 is good", { name: "Careful", personality: { riskTolerance: 0 } }, 402),
      decided: "3 Mint: variant B, 0 to 10",
    },
    {
      ...mintWould("autonomyLevel of 0 is good", { name: "Careful", personality: { autonomyLevel: 0 } }, 402),
      decided: "3 Mint: variant B, 0 to 10",
    },
    {
      ...mintWould("manifesto is taken", { name: "Loud", narrative: { manifesto: "All of it." } }, 402),
      decided: "3 Mint: variant B, with manifesto",
    },
  ],
};

const WRITES: Section = {
  title: "Authenticated endpoints",
  facts: [
    ...NEEDS_CREDENTIAL,
    ...fields("Update", (walk) => walk.update, {
      success: yes,
      tokenId: integer,
      updated: z.array(z.string()).describe("an array of texts"),
      storage: exactly("offchain"),
    }),
    ...facts({
      "update takes a part of the personality and keeps the rest": ({ changed }) =>
        expect(changed.body).toMatchObject({ personality: { humor: "drier", communicationStyle: "plain" } }),
      "update takes a part of the narrative and keeps the rest": ({ changed }) =>
        expect(changed.body).toMatchObject({ narrative: { origin: "a table", manifesto: expect.any(String) } }),
      "update takes traits with name and category": ({ changed }) =>
        expect(changed.body).toMatchObject({
          traits: expect.arrayContaining([expect.objectContaining({ name: "patient", category: "character" })]),
        }),
      "update names the paths of what it changed": ({ update }) =>
        expect(update.body).toMatchObject({
          updated: expect.arrayContaining(["personality.humor", "narrative.manifesto"]),
        }),
      "update?onchain=true writes on chain": ({ updateOnchain }) =>
        expect(updateOnchain).toMatchObject({ status: 200, body: { storage: "onchain" } }),
      "PUT personality changes the personality, 200": ({ personality, changed }) => {
        expect(personality.status).toBe(200);
        expect(changed.body).toMatchObject({ personality: { quirks: "whistles" } });
      },
      "human-update takes a wallet's signature of its line, and no SIWA": ({ humanUpdate }) =>
        expect(humanUpdate.status).toBe(200),
      "human-update changes the personality": ({ changed }) =>
        expect(changed.body).toMatchObject({ personality: { values: "proof" } }),
      "human-update changes the narrative": ({ changed }) =>
        expect(changed.body).toMatchObject({ narrative: { mission: "to be checked again" } }),
      "human-update takes the social accounts twitter, website and github": ({ changed }) =>
        expect(changed.body).toMatchObject({
          socials: { twitter: "specimen", website: "https://specimen.example/", github: "specimen" },
        }),
      "verify is refused to another wallet than the agent's own": ({ verifyByStranger }) =>
        expect([401, 403]).toContain(verifyByStranger.status),
      "a needle that is not there is refused": ({ proofMissing }) => expect(proofMissing.status).toBe(422),
      "verify/<social> takes a fid": ({ verifyFarcaster }) => expect(verifyFarcaster.status).toBe(200),
      "verify/<social> takes a username": ({ verifyFarcasterByName }) => expect(verifyFarcasterByName.status).toBe(200),
      "verify/<codehost> takes the gist whose file holds the tokenId": ({ verifyGithub }) =>
        expect(verifyGithub.status).toBe(200),
    }),
    ...fields("Verify", (walk) => walk.verify, { success: yes, tokenId: integer, verified: yes, txHash: hash }),
    ...fields("Verify of the microblog", (walk) => walk.verifyX, {
      success: yes,
      platform: exactly("x"),
      handle: some,
      trait: some,
      txHash: hash,
    }),
    ...fields("Verify by the exchange", (walk) => walk.exchange, {
      success: yes,
      coinbaseVerified: yes,
      attestationUid: hash,
      txHash: hash,
    }),
    ...fields("Cross registration", (walk) => walk.crossregistration, {
      success: yes,
      manualRequired: yes,
      "canonicalRegistration.registry": address,
      "canonicalRegistration.method": text,
      "canonicalRegistration.ownerMustBeCaller": yes,
      "canonicalRegistration.dataURI": z.string().startsWith("data:").describe("a data URI"),
    }),
    ...fields("Link of a token", (walk) => walk.linkToken, {
      success: yes,
      "linkedToken.contractAddress": address,
      "linkedToken.chain": exactly("base"),
      "linkedToken.symbol": exactly("USDC"),
      txHashes: z
        .array(z.string().regex(/^0x[0-9a-f]{64}$/))
        .min(1)
        .describe("an array of transaction hashes"),
    }),
    ...["success", "failure", "partial"].map((outcome) => ({
      states: `session-outcome takes ${outcome}, 200`,
      async holds({ post, outcomePath, key }: Walk) {
        expect(await post(outcomePath, { outcome }, { "x-api-key": key })).toMatchObject({ status: 200 });
      },
    })),
    ...facts({
      "session-outcome refuses another outcome": async ({ post, outcomePath, key }) =>
        expect(await post(outcomePath, { outcome: "draw" }, { "x-api-key": key })).toMatchObject({ status: 400 }),
      "session-outcome requires the outcome": async ({ post, outcomePath, key }) =>
        expect(await post(outcomePath, { details: "none" }, { "x-api-key": key })).toMatchObject({ status: 400 }),
      "session-outcome takes details, sessionId and duration": ({ sessionOutcome }) =>
        expect(sessionOutcome.status).toBe(200),
      "A human registers by SIWE": ({ human }) => expect(human.status).toBe(201),
      "A human registers by an access token of the identity provider": ({ humanByToken }) =>
        expect(humanByToken.status).toBe(201),
      "An organization registers by SIWE": ({ organization }) => expect(organization.status).toBe(201),
      "link-agent links an owned agent to a human by SIWE": async ({ linkAgent, get, agentWallet, id }) => {
        expect(linkAgent.status).toBe(200);
        const linked = expect.arrayContaining([expect.objectContaining({ tokenId: id })]);
        expect((await get(`/api/v2/human/${agentWallet.address}`)).body).toMatchObject({ linkedAgents: linked });
      },
      "link-agent refuses an agent of somebody else": async ({ asHuman, person, id }) =>
        expect(await asHuman(`/api/v2/human/${person.address}/link-agent`, person, { agentTokenId: id })).toMatchObject(
          { status: 403 },
        ),
      "The challenge of the alternative chain is a message to sign": ({ solanaChallenge }) =>
        expect(solanaChallenge).toMatchObject({ status: 200, body: { message: expect.any(String) } }),
      "auth/<altchain>/verify takes a signature": ({ solanaVerify }) => expect(solanaVerify.status).toBe(200),
      "register/<altchain> needs no SIWA and asks for a payment": ({ solanaUnpaid }) =>
        expect(solanaUnpaid.status).toBe(402),
      "register/<altchain> registers on the L2 when it is paid": ({ solanaRegistration }) =>
        expect(solanaRegistration).toMatchObject({
          status: 201,
          body: { tokenId: expect.any(Number), txHash: expect.any(String) },
        }),
    }),
  ],
};

const TIER_WORDS = ["preferred", "prime", "qualified", "marginal", "junk"];
const DIRECTORY = "/api/terminal/agents";
const TERMINAL: Section = {
  title: "Terminal endpoints",
  facts: [
    ...fields("Terminal list", (walk) => walk.get(DIRECTORY), {
      agents: list,
      total: integer,
      page: exactly(1),
      totalPages: integer,
      "stats.total": integer,
      "stats.scored": integer,
      "stats.avgScore": number,
      "stats.x402": integer,
    }),
    parameter(DIRECTORY, "page", { default: 1 }),
    parameter(DIRECTORY, "limit", { default: 50 }),
    parameter(DIRECTORY, "limit", /at most 100/),
    parameter(DIRECTORY, "sort", /by default cred_score/),
    parameter(DIRECTORY, "dir", /by default DESC/),
    parameter(DIRECTORY, "filter", { default: "all" }),
    ...facts({
      "has agents of several registries": async (walk) =>
        expect(new Set(valuesOf(await terminal(walk, "limit=100"), "platform")).size).toBeGreaterThan(1),
      "has 50 rows unless asked otherwise": async (walk) => expect(await terminal(walk, "")).toHaveLength(50),
      "limit has a maximum of 100": async (walk) => expect(await terminal(walk, "limit=500")).toHaveLength(100),
      "page turns the pages": async (walk) =>
        expect(await terminal(walk, "limit=2&page=2")).toEqual((await terminal(walk, "limit=4")).slice(2)),
      "sorted by cred_score, descending, unless asked otherwise": async (walk) => {
        const scores = valuesOf(await terminal(walk, ""), "cred_score");
        expect(scores).toEqual(descending(scores));
      },
      "dir=ASC turns it round": async (walk) => {
        const scores = valuesOf(await terminal(walk, "dir=ASC"), "cred_score");
        expect(scores).toEqual(ascending(scores));
      },
      "dir takes DESC": async (walk) =>
        expect(await terminal(walk, "dir=DESC&limit=3")).toEqual(await terminal(walk, "limit=3")),
      "sort takes name": async (walk) => {
        const names = valuesOf(await terminal(walk, "sort=name&dir=ASC&limit=100"), "name") as string[];
        expect(names.length).toBe(100);
        expect(names[0]!.localeCompare(names[99]!, "en", { sensitivity: "base" })).toBeLessThan(0);
      },
      "sort takes created_at": async (walk) => {
        const times = valuesOf(await terminal(walk, "sort=created_at"), "created_at").map((time) =>
          Date.parse(String(time)),
        );
        expect(times).toEqual(descending(times));
      },
      "sort takes platform": async (walk) => {
        const platforms = valuesOf(await terminal(walk, "sort=platform&dir=ASC&limit=100"), "platform");
        expect(platforms).toEqual([...platforms].sort());
      },
      "sort refuses another word": async ({ get }) =>
        expect(await get(`${DIRECTORY}?sort=weather`)).toMatchObject({ status: 400 }),
      "filter=all has everything": async ({ get }) => {
        const [all, plain] = [await get(`${DIRECTORY}?filter=all`), await get(DIRECTORY)];
        expect(valuesOf([all.body as Record<string, never>], "total")).toEqual(
          valuesOf([plain.body as Record<string, never>], "total"),
        );
      },
      "filter=x402 has agents that speak x402": async (walk) =>
        expect(new Set(valuesOf(await terminal(walk, "filter=x402"), "x402_supported"))).toEqual(new Set([1])),
      "filter=new has new agents": async (walk) => {
        const week = Date.now() - 7 * 24 * HOUR;
        const times = valuesOf(await terminal(walk, "filter=new"), "created_at").map((time) =>
          Date.parse(String(time)),
        );
        expect(times.filter((time) => time < week)).toEqual([]);
      },
      "filter=trending has agents with activity": async (walk) =>
        expect((await terminal(walk, "filter=trending")).length).toBeGreaterThan(0),
      "q finds by name": async (walk) =>
        expect(valuesOf(await terminal(walk, "q=Specimen"), "name")).toContain("Specimen"),
      "q finds by address": async (walk) =>
        expect(valuesOf(await terminal(walk, `q=${walk.agentWallet.address}`), "name")).toContain("Specimen"),
      "q finds by agent_id": async (walk) =>
        expect(valuesOf(await terminal(walk, `q=${walk.foreign.agent_id}`), "agent_id")).toContain(
          walk.foreign.agent_id,
        ),
      "An agent is found by its address": async ({ get, agentWallet }) =>
        expect((await get(`/api/terminal/agent/${agentWallet.address}`)).body).toMatchObject({ name: "Specimen" }),
      "An agent is found by its agent_id": async ({ get, foreign }) =>
        expect((await get(`/api/terminal/agent/${foreign.agent_id}`)).body).toMatchObject({
          agent_id: foreign.agent_id,
        }),
      "An agent is found by its token_id": async ({ get, id }) =>
        expect((await get(`/api/terminal/agent/${id}`)).body).toMatchObject({ name: "Specimen" }),
      "A token is claimed without a credential": ({ claim }) => expect(claim.status).toBe(200),
    }),
    ...TIER_WORDS.map((tier) => ({
      states: `filter takes the tier ${tier}`,
      async holds(walk: Walk) {
        const tiers = new Set(valuesOf(await terminal(walk, `filter=${tier}`), "cred_tier"));
        expect([...tiers].filter((found) => found !== tier.toUpperCase())).toEqual([]);
      },
    })),
    ...fields("Claim of a token", (walk) => walk.claim, { success: yes, updated: integer }),
    ...fields("Claim of a token", (walk) => walk.get(`/api/terminal/agent/${walk.foreign.agent_id}`), {
      token_symbol: exactly("USDC"),
      token_name: exactly("USD Coin"),
    }),
  ],
};

const MESSAGES: Section = {
  title: "Messaging endpoints",
  facts: facts({
    "Messages of an open group are read without a credential": async ({ get }) =>
      expect(await get("/api/v2/messages/groups/welcome/messages")).toMatchObject({ status: 200 }),
    "Messages of a private group need SIWA": ({ privateAnonymous }) => expect(privateAnonymous.status).toBe(401),
    "Messages of a private group are read by a member": ({ privateMessages }) =>
      expect(privateMessages).toMatchObject({ status: 200, body: { messages: expect.any(Array) } }),
    "A message has the content that was sent": ({ send }) =>
      expect(send).toMatchObject({ status: 200, body: { message: { content: "Welcome." } } }),
    "Who has less than minCred cannot send": ({ sendByJunk }) => expect(sendByJunk.status).toBe(403),
    "Who has less than minCred cannot join": ({ joinByJunk }) => expect(joinByJunk.status).toBe(403),
    "join takes no body": ({ join }) => expect(join.status).toBe(200),
    "A group has topic, minCred and isPublic": ({ group, id }) =>
      expect(group.body).toMatchObject({ group: { topic: `Specimens ${id}`, minCred: 51, isPublic: false } }),
    "Who has less than 51 cannot create a group": ({ groupByJunk }) => expect(groupByJunk.status).toBe(403),
    "Who has 51 can create a group": ({ group }) => expect(group.status).toBe(201),
    "The list has every group": async ({ ask, groupId }) => {
      const named = expect.arrayContaining([expect.objectContaining({ id: groupId })]);
      expect((await ask("/api/v2/messages/groups")).body).toMatchObject({ groups: named });
    },
  }),
};

export const ENDPOINTS: readonly Section[] = [READS, LIST_PARAMETERS, LEADERBOARD, MINT, WRITES, TERMINAL, MESSAGES];

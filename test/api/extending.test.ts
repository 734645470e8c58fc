/** A platform of social proofs and a registry are added in memory, by the values that each is made of, and work: no file that stands has to change for them. */
import { Hono } from "hono";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { proofEndpoints } from "../../api/routes/verification.ts";
import { openHttp } from "../../clients/http.ts";
import type { OpenReader } from "../../clients/proof-platforms/opener.ts";
import { openProofReaders } from "../../clients/proof-platforms.ts";
import { offsets } from "../../clients/registries/offsets.ts";
import type { OpenPages } from "../../clients/registries/paged-registry.ts";
import { NO_MORE, pagedRegistry } from "../../clients/registries/paged-registry.ts";
import { openRegistries } from "../../clients/registries.ts";
import { declaredVariables, settingsOf } from "../../config/upstreams.ts";
import { needleOf, quoteOf } from "../../core/agents/social-proofs.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { blankEntry } from "../../core/directory/entry.ts";
import type { PlatformKey } from "../../core/directory/platforms.ts";
import { REGISTRIES, type RegistryRow } from "../../core/directory/registries.ts";
import type { RegistryReader } from "../../core/directory/registry-readers/reader.ts";
import { proofPlatform, text } from "../../core/proof-platforms/platform.ts";
import { PROOF_PLATFORMS } from "../../core/proof-platforms.ts";
import { verificationsView } from "../../core/views/agent-report.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { registry } from "../../devnet/simulators/registries/registry.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { control, reply, type SimulatedPlatform } from "../../devnet/simulators/simulator.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { testLog } from "../../harness/log.ts";
import { pullRegistry } from "../../workers/directory/pull-registry.ts";
import { randomAgents } from "../support/agents.ts";
import { namedIn } from "../support/named-in.ts";
import { perFile } from "../support/started.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, HOST } from "./support/api.ts";
import { chainOfAccounts } from "./support/chains.ts";
import { plantProof } from "./support/plants.ts";
import { mineQueued } from "./support/play-sender.ts";

/** The lists: a platform is a line in each of the first three, a registry in each of the others; the compiler demands all but the first of each. */
const LISTS = {
  platform: [
    "core/proof-platforms.ts",
    "core/proof-platforms/badges.ts",
    "clients/proof-platforms.ts",
    "devnet/simulators/upstreams.ts",
    "web/src/manage/proofs.tsx",
    "web/src/parts/row-badges.tsx",
  ],
  registry: [
    "core/directory/platforms.ts",
    "core/directory/registries.ts",
    "core/directory/registry-readers.ts",
    "clients/registries.ts",
    "core/offers/registry-offers.ts",
    "devnet/simulators/upstreams.ts",
    "devnet/simulators/registries/lists.ts",
  ],
};
/** Whose accounts the seeded world has, and sentences that name platforms: no part of a proof. */
const BESIDE = [
  ...["core/described-operations.ts", "devnet/world.ts", "web/src/directory/page.tsx", "web/src/mint/steps.tsx"],
  "web/src/report/document.tsx",
];

describe("what exists", () => {
  it.each([
    [
      "farcaster",
      LISTS.platform,
      /^(clients\/proof-platforms\/|core\/proof-platforms\/|devnet\/simulators\/)farcaster|neynar/,
    ],
    [
      "agentverse",
      LISTS.registry,
      /^(clients|core\/directory|devnet\/simulators)\/(registries|registry-readers)\/agentverse\.ts$/,
    ],
    [
      "mcp-registry",
      LISTS.registry,
      /^(clients|core\/directory|devnet\/simulators)\/(registries|registry-readers)\/mcp-registry\.ts$/,
    ],
    [
      "x402-bazaar",
      LISTS.registry,
      /^(clients|core\/directory|devnet\/simulators)\/(registries|registry-readers)\/x402-bazaar\.ts$/,
    ],
  ])("%s is named in its own files and in the lists only", (name, lists, own) => {
    const others = namedIn(name).filter((path) => !own.test(path) && !lists.includes(path) && !BESIDE.includes(path));
    expect(others).toEqual([]);
  });
});

/** A platform on which the page of an account shows the agent. */
type MastodonClaim = { account: string };
const mastodon = proofPlatform<MastodonClaim>()({
  key: "mastodon",
  label: "Mastodon",
  letter: "M",
  summary: "Prove a Mastodon account: its note shows the agent",
  description: "The note shows helixa:<tokenId> as a word of its own.",
  fields: {
    account: {
      parse: text((value) => (/^[a-z0-9_]{1,30}$/.test(value) ? value : null)),
      problem: "must be a Mastodon account",
      examples: ["ada"],
    },
  },
  examples: [{ account: "ada" }],
  claimOf: ({ account }: MastodonClaim) => ({ account }),
  hint: ({ account }, { needle }) => `Put ${needle} into the note of ${account}, then ask again.`,
  numericId: "mastodonId",
  variables: { url: { name: "MASTODON_API_URL", doc: "A Mastodon server", kind: "url", default: "https://m.example" } },
});
const platforms = [...PROOF_PLATFORMS, mastodon];

const openMastodon: OpenReader<typeof mastodon.variables, MastodonClaim> = ({ url }, { http }) => {
  const api = http.upstream({ name: "Mastodon", baseUrl: url, rate: { burst: 100, perSecond: 100 } });
  return {
    batch: 1,
    find: ({ account }, { prefix, tokenId }) =>
      api.ask({
        path: `/api/v1/accounts/${account}`,
        statuses: [200, 404],
        read({ status, json }) {
          if (status === 404) return { reason: `There is no Mastodon account ${account}.` };
          const { id, note } = z.object({ id: z.number(), note: z.string() }).parse(json);
          const quote = quoteOf(note, needleOf(prefix, tokenId));
          if (quote === null) return { reason: "The note shows no proof." };
          return {
            accountId: String(id),
            handle: account,
            username: account,
            evidence: { url, id: String(id), quote },
          };
        },
      }),
    recheck: async (proofs) => proofs.map(() => null),
  };
};

const mastodonSimulator: SimulatedPlatform = {
  environment: (url) => ({ MASTODON_API_URL: `${url}/mastodon` }),
  make({ world }) {
    const accounts = world.collection<{ id: number; note: string }>("mastodon.accounts");
    const api = new Hono();
    api.get("/api/v1/accounts/:name", (c) => {
      const found = accounts.get(c.req.param("name"));
      return found ? reply(found) : reply({ error: "Record not found" }, 404);
    });
    const account = z.object({ id: z.number(), note: z.string() });
    return { source: "mastodon", api, control: control("/users", accounts, (_, body) => account.parse(body)) };
  },
  account: (name, id, shows) => ({
    path: `mastodon/users/${name}`,
    planted: { id, note: shows },
    claim: { account: name },
  }),
};

/** A registry that pages by an offset. */
const beehive = {
  key: "beehive",
  label: "Beehive",
  provesWallets: false,
  perSecond: 3,
  pageSize: 100,
  maxSeconds: 10,
  maxBytes: 1_000_000,
  variables: { url: { name: "BEEHIVE_URL", doc: "Beehive", kind: "url", default: "https://beehive.example" } },
} as const satisfies RegistryRow;

const beehiveReader: RegistryReader = {
  ...beehive,
  idOf: (raw) => (raw as { id?: string }).id ?? null,
  read(raw) {
    const { id, name } = z.object({ id: z.string(), name: z.string() }).parse(raw);
    return {
      sourceId: id,
      warnings: [],
      entry: blankEntry({ platform: beehive.key as string as PlatformKey, agentId: id, name }),
    };
  },
};

const beehivePages: OpenPages = (upstream, { pageSize }) => {
  const { pageOf, ...places } = offsets(pageSize);
  return pagedRegistry(upstream, {
    ...places,
    pageSize,
    incremental: false,
    request: (place) => ({
      path: "/bees",
      query: { limit: place.size, offset: place.offset },
      ...(place.offset > 0 && { refused: NO_MORE }),
      read(json) {
        const { bees, total } = z.object({ bees: z.array(z.unknown()), total: z.number() }).parse(json);
        return pageOf(bees, place, total);
      },
    }),
  });
};

const beehiveSimulator = registry({
  source: "beehive",
  make: (i) => ({ id: `bee-${i}`, name: `Bee ${i}` }),
  routes(api, list) {
    api.get("/bees", async (c) => {
      const [offset, limit] = [Number(c.req.query("offset")), Number(c.req.query("limit"))];
      return reply({ bees: await list.page(offset, limit), total: list.count() });
    });
  },
});

const simulators = perFile(() =>
  startSimulators({ upstreams: [mastodonSimulator, { environment: () => ({}), make: beehiveSimulator.make }] }),
);
const http = perFile(() => openHttp({ userAgent: "tests", maxWaitMs: 1_000 }));
const owner = agentWallet({ host: HOST });
const wallet = owner.address.toLowerCase() as `0x${string}`;
const plant = async (path: string, body: unknown) =>
  expect(
    (await fetch(`${simulators.url}/_control/${path}`, { method: "PUT", body: JSON.stringify(body) })).status,
  ).toBe(200);

const api = apiForFile(
  () => {
    const environment = mastodonSimulator.environment(simulators.url);
    const settings = settingsOf(platforms, { ...environment, GITHUB_RAW_URL: "https://raw.example" });
    const readers = openProofReaders(settings, { http, userAgent: "tests", onClose: () => {} }, [mastodon], {
      mastodon: openMastodon,
    });
    return {
      chain: chainOfAccounts(5n),
      endpoints: proofEndpoints(platforms),
      deps: { proofs: readers },
    };
  },
  { provoked: true },
);
beforeAll(() => plantAgents(api.pool, [{ tokenId: 1, owner: wallet, agentAddress: wallet, verified: true }]));

describe("a platform added in memory", () => {
  it("has its variables, its operation in the document and its body", () => {
    const { MASTODON_API_URL: variable } = declaredVariables(["api", "workers"], platforms);
    expect(variable).toMatchObject({
      default: "https://m.example",
      doc: "A Mastodon server",
      readBy: ["api", "workers"],
    });
    const { operationId, summary } = api.document.paths["/api/v2/agent/{ref}/verify/mastodon"]!.post!;
    expect([operationId, summary]).toEqual(["verifyMastodon", mastodon.summary]);
    expect(api.document.components.schemas).toHaveProperty("MastodonProofRequest");
  });

  it("proves an account: record, trait, answer and a signal that stops at 100", async () => {
    for (const { key } of PROOF_PLATFORMS) await plantProof(api.pool, 1, key);
    const { path, planted, claim } = mastodonSimulator.account("ada", 77, "helixa:1", "helixa");
    await plant(path, planted);
    const authorization = await owner.siwa();
    const [answer] = await Promise.all([
      api.write("POST", "/api/v2/agent/1/verify/mastodon", claim, { authorization }),
      mineQueued(api.pool, 1, { prefix: "proof:" }),
    ]);
    expect(answer.body).toMatchObject({
      platform: "mastodon",
      handle: "ada",
      mastodonId: 77,
      trait: "mastodon-verified",
    });
    const rows = await api.sql("select verify from offchain.cred where token_id = 1");
    expect(rows).toEqual([{ verify: 100 }]);
  });

  it("is shown with the others, and counts no further than 100", () => {
    const { facts, now } = { facts: randomAgents(1, new Date(), 7)[0]!.facts, now: new Date() };
    const proof = {
      accountId: "77",
      handle: "ada",
      username: null,
      txHash: null,
      evidence: {},
      status: "verified" as const,
    };
    const at = { verifiedAt: now.toISOString(), checkedAt: now.toISOString() };
    const proofs = platforms.map(({ key }) => ({
      ...proof,
      ...at,
      platform: key as (typeof PROOF_PLATFORMS)[number]["key"],
    }));
    const proven = { ...facts, verified: true, proofs };
    expect(
      verificationsView(proven, { prefix: "helixa", checkedEvery: {}, reservations: [] }, platforms),
    ).toMatchObject({
      mastodon: { handle: "ada", mastodonId: 77 },
    });
    expect(SIGNALS.find(({ key }) => key === "verify")!.raw(proven, now)).toBe(100);
  });
});

describe("a registry added in memory", () => {
  it("feeds the directory from its pages, at its URL", async () => {
    await plant("registries/beehive/agents", { generate: 230 });
    const registries = [...REGISTRIES, beehive];
    const settings = settingsOf(registries, { BEEHIVE_URL: `${simulators.url}/beehive` });
    const opened = openRegistries(settings, { http, chainId: 8453 }, [beehive], { beehive: beehivePages });
    const context = {
      db: api.pool,
      clock: () => new Date(),
      log: testLog(),
      fault: () => {},
      exchangeSchema: `0x${"f".repeat(64)}`,
    };
    const rules = { chainId: 8453, everyMs: 1_000_000 };
    expect(await pullRegistry({ ...context, ...rules }, opened.beehive!, beehiveReader)).toBe(230);
    const rows = await api.sql(
      "select count(*)::int4 as rows, min(name) as name from offchain.directory where platform = 'beehive'",
    );
    expect(rows).toEqual([{ rows: 230, name: "Bee 0" }]);
    expect(await pullProgress(api.pool)).toMatchObject([{ key: "beehive", done: 230, error: null }]);
  });
});

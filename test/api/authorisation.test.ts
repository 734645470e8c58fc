/** Who may change what: every write of the service beside every kind of caller. A write without a row here fails. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS } from "../../api/routes/index.ts";
import type { FoundProof, ProofReader } from "../../clients/ports.ts";
import { humanUpdateText } from "../../core/callers/signed-texts.ts";
import { revokeApiKey } from "../../db/callers/api-keys.ts";
import { solanaWallet } from "../../harness/solana-wallet.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, HOST } from "./support/api.ts";
import { plantApiKey, plantAttestation } from "./support/plants.ts";
import { lower, newWallet, type Wallet } from "./support/wallets.ts";

const HOUR = 3_600_000;

/** Who asks. The spoilt credentials are those of a caller that could pass with a good one. */
const CALLERS = [
  ...(["none", "other wallet", "owner", "agent wallet", "human (SIWE)", "API key", "access token"] as const),
  ...(["expired", "future-dated", "other host", "forged", "replay after revoke"] as const),
];
type CallerName = (typeof CALLERS)[number];

/** A world of one agent, of its own for each attempt. */
type World = {
  tokenId: number;
  other: Wallet;
  owner: Wallet;
  agent: Wallet;
  apiKey: string;
  /** A webhook of the agent's wallet and a delivery of it, once they were made. */
  webhook?: { id: string; deliveryId: number };
};
type Asked = { headers?: Record<string, string>; body?: object };

/** A write: how it is asked by each caller, and what each is answered; 2xx stands for every success. */
type Row = {
  body?: (world: World) => object;
  /** Whose credentials the spoilt ones are. */
  by?: (world: World) => Wallet;
  /** How a caller asks, where that is not by a credential in the headers. */
  ask?: (caller: CallerName, world: World) => Promise<Asked>;
  /** Sets the stage. */
  before?: (world: World) => Promise<void>;
  expected: Record<CallerName, number>;
};

const PASS = 200;
/** What an operation for agents answers to credentials that are none for it. */
const SIWA_ONLY = {
  none: 401,
  "human (SIWE)": 401,
  "API key": 401,
  "access token": 401,
  expired: 401,
  "future-dated": 401,
  "other host": 401,
  forged: 401,
  "replay after revoke": 401,
} as const;
const everyone = (status: number) => Object.fromEntries(CALLERS.map((c) => [c, status])) as Record<CallerName, number>;
/** The token's owner and the agent's wallet. */
const CONTROLLERS = { ...SIWA_ONLY, "other wallet": 403, owner: PASS, "agent wallet": PASS };
/** The agent's own wallet; its owner's is another. */
const SPEAKERS = { ...CONTROLLERS, owner: 403 };
/** The wallet that made the webhook. */
const OWN_WEBHOOK = { ...SIWA_ONLY, "other wallet": 404, owner: 404, "agent wallet": PASS };
/** Every wallet, by SIWA and by SIWE. */
const HUMANS = { ...SIWA_ONLY, "other wallet": PASS, owner: PASS, "agent wallet": PASS, "human (SIWE)": PASS };

/** Reads, which look at no credential but an API key: one that was revoked is none. */
const READERS = { ...everyone(PASS), "replay after revoke": 401 };

/** Whoever shows the key's signature of an open challenge. */
const SOLANA_KEY = { ...everyone(PASS), expired: 401, "other host": 401, forged: 401, "replay after revoke": 401 };

/** Lists the agent in the directory. */
const plantRead = ({ tokenId }: Pick<World, "tokenId">) =>
  plantDirectory(api.pool, [
    { platform: "helixa", agent_id: String(tokenId), token_id: tokenId, name: "Read", cred_score: 50 },
  ]);

const ROWS: Record<string, Row> = {
  // Reads in the form of a POST: open to all.
  getAgents: { body: ({ tokenId }) => ({ ids: [tokenId] }), expected: READERS },
  verifyReceipt: { body: () => ({ payload: "{}", signature: `0x${"1".repeat(130)}` }), expected: READERS },
  preflight: { body: ({ tokenId }) => ({ agent: String(tokenId) }), expected: READERS },
  checkAgent: { before: plantRead, expected: READERS },
  createPin: {
    before: async ({ tokenId }) => {
      await plantRead({ tokenId });
      await api.pool.query(
        `insert into offchain.offer_version (key, source, hash, version, first_at, since)
         select sha256(convert_to('agent ' || id, 'UTF8')), 'agent ' || id, '', '{"form": 1, "owner": null, "items": []}', now(), now()
         from offchain.directory where platform = 'helixa' and token_id = $1`,
        [tokenId],
      );
    },
    body: ({ tokenId }) => ({ agent: `helixa-${tokenId}` }),
    expected: READERS,
  },
  mcp: { body: () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" }), expected: READERS },
  a2a: { body: () => ({ jsonrpc: "2.0", id: 1, method: "tasks/get" }), expected: READERS },

  // For API keys of scope index:read, which the key of this test has not.
  queryGraphql: { body: () => ({ query: "{ agents { totalCount } }" }), expected: everyone(401) },

  // The same under other paths.
  mcpUnderApi: { body: () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" }), expected: READERS },
  a2aUnderApi: { body: () => ({ jsonrpc: "2.0", id: 1, method: "tasks/get" }), expected: READERS },

  // Open to all, and therefore only a claim.
  claimTerminalToken: {
    before: ({ tokenId, agent }) =>
      plantDirectory(api.pool, [
        {
          ...{ platform: "helixa", agent_id: String(tokenId), token_id: tokenId, name: "Listed", cred_score: 50 },
          ...{ address: lower(agent), wallet_proven: true },
        },
      ]),
    body: () => ({ token_address: `0x${"7".repeat(40)}`, token_symbol: "ABC" }),
    expected: everyone(PASS),
  },

  // Any wallet that is no agent yet; owning a token makes it none.
  mint: {
    body: () => ({ name: "New" }),
    by: ({ other }) => other,
    expected: { ...SIWA_ONLY, "other wallet": PASS, owner: PASS, "agent wallet": 409 },
  },
  // By the signature of a Solana key in the body, whoever's credential stands in the headers.
  verifySolanaKey: { ask: askWithSolanaKey({}), expected: SOLANA_KEY },
  registerSolana: { ask: askWithSolanaKey({ register: true }), expected: SOLANA_KEY },

  // Each wallet over its own credentials.
  revokeCredentials: { expected: { ...SIWA_ONLY, "other wallet": PASS, owner: PASS, "agent wallet": PASS } },

  updateAgent: { body: () => ({ personality: { humor: "dry" } }), expected: CONTROLLERS },
  updatePersonality: { body: () => ({ personality: { humor: "dry" } }), expected: CONTROLLERS },
  linkToken: {
    body: () => ({
      contractAddress: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      ...{ chain: "solana", symbol: "USDC", name: "USD Coin" },
    }),
    expected: CONTROLLERS,
  },
  prepareCrossRegistration: { expected: CONTROLLERS },
  verifyX: { body: () => ({ handle: "ada" }), expected: CONTROLLERS },
  verifyGithub: { body: () => ({ username: "ada" }), expected: CONTROLLERS },
  verifyFarcaster: { body: () => ({ username: "ada" }), expected: CONTROLLERS },
  verifyExchange: {
    before: ({ owner }) => plantAttestation(api.pool, lower(owner)),
    expected: CONTROLLERS,
  },
  // The agent's own wallet, not even its owner.
  verifyWallet: { expected: { ...CONTROLLERS, owner: 403 } },

  // By the owner's signature of a text in the body; what stands in the headers does not count.
  humanUpdate: {
    ask: askAsHuman,
    expected: {
      ...everyone(400),
      owner: PASS,
      "other wallet": 403,
      "agent wallet": 403,
      expired: 401,
      "future-dated": 401,
      forged: 401,
      "replay after revoke": 401,
    },
  },

  // Whoever signs in, over what it is itself.
  registerHuman: { body: () => ({ name: "Ada" }), expected: HUMANS },
  registerOrganization: { body: () => ({ displayName: "Engines" }), expected: HUMANS },
  deletePrincipal: { before: registerAll, expected: HUMANS },
  // The path names the owner's human: its own wallet, which owns the token.
  linkAgent: {
    before: registerAll,
    by: ({ owner }) => owner,
    body: ({ tokenId }) => ({ agentTokenId: tokenId }),
    expected: { ...HUMANS, "other wallet": 403, "agent wallet": 403 },
  },

  // The human of the path ends its own links, whoever owns the agent by now.
  unlinkAgent: {
    before: linkToOwner,
    by: ({ owner }) => owner,
    body: ({ tokenId }) => ({ agentTokenId: tokenId }),
    expected: { ...HUMANS, "other wallet": 403, "agent wallet": 403 },
  },

  reportSessionOutcome: {
    body: () => ({ outcome: "success" }),
    expected: { ...everyone(401), "API key": PASS },
  },

  // Messages are between agents: the agent's own wallet, with the cred that it takes.
  createMessageGroup: {
    before: giveCred,
    body: ({ tokenId }) => ({ topic: `Topic ${tokenId}`, minCred: 26, isPublic: true }),
    expected: SPEAKERS,
  },
  joinMessageGroup: { before: giveCred, expected: SPEAKERS },
  sendMessage: { before: giveCred, body: () => ({ content: "Hello." }), expected: SPEAKERS },
  // An agent's wallet may have webhooks, and nobody else sees or changes them: to others there is none of this id.
  createWebhook: {
    body: () => ({ url: "https://example.com/hook", events: ["cred.changed"] }),
    expected: SPEAKERS,
  },
  deleteWebhook: { before: addWebhook, expected: OWN_WEBHOOK },
  enableWebhook: { before: addWebhook, expected: OWN_WEBHOOK },
  rotateWebhookSecret: { before: addWebhook, expected: OWN_WEBHOOK },
  testWebhook: { before: addWebhook, expected: OWN_WEBHOOK },
  replayWebhookDelivery: { before: addWebhook, expected: OWN_WEBHOOK },
  replayDeadWebhookDeliveries: {
    before: addWebhook,
    body: () => ({ since: "2026-01-01T00:00:00Z" }),
    expected: OWN_WEBHOOK,
  },
  // Whoever has come in may go.
  leaveMessageGroup: { expected: { ...SIWA_ONLY, "other wallet": PASS, owner: PASS, "agent wallet": PASS } },
};

/** Gives the agent a stored score that the group `security` takes. */
async function giveCred({ tokenId }: World): Promise<void> {
  await api.plant("cred", { token_id: tokenId, score: 51 });
}

/** The agent's wallet has a webhook, and a delivery of it was given up. */
async function addWebhook(world: World): Promise<void> {
  const id = `wh_${randomBytes(16).toString("hex")}`;
  const rows = await api.sql(
    `with w as (
       insert into offchain.webhook (webhook_id, owner, url, events, finality, created_at, from_position)
       values ($1, $2, 'https://example.com/hook', '{cred.changed}', 'any', now(), 0) returning webhook_id)
     insert into offchain.webhook_delivery (webhook_id, event_id, event_type, final, state, created_at, due_at, settled_at)
     select webhook_id, 'ping_1', 'webhook.ping', true, 'dead', now(), now(), now() from w returning delivery_id`,
    id,
    lower(world.agent),
  );
  world.webhook = { id, deliveryId: Number(rows[0].delivery_id) };
}

const api = apiForFile(() => {
  const found = (handle: string) => ({ handle, username: handle, accountId: handle, evidence: {} }) as FoundProof;
  let accounts = 0;
  const platform = <C>(): ProofReader<C> => ({
    find: async () => found(`account${++accounts}`),
    batch: 1,
    recheck: async () => [],
  });
  return {
    // No worker is there to mine: a write that is accepted answers 202.
    env: { MINT_WAIT_MS: "0", RECEIPT_SIGNER_PRIVATE_KEY: `0x${"5".repeat(64)}` },
    // A contract that keeps no flags.
    chain: { ...healthyChain(), call: async () => ({ ok: false, data: "0x", reason: "reverted" }) },
    deps: {
      proofs: { x: platform(), github: platform(), farcaster: platform() },
    },
  };
});

let tokens = 0;
/** @param confirmed whether the token is by the agent's own doing; else it only names the agent's wallet */
async function newWorld({ confirmed = true } = {}): Promise<World> {
  const [other, owner, agent] = [newWallet(), newWallet(), newWallet()];
  const tokenId = tokens++;
  await plantAgents(api.pool, [
    {
      ...{ tokenId, owner: lower(owner), agentAddress: lower(agent), soulbound: false },
      ...(confirmed && { verifiedWallet: lower(agent) }),
    },
  ]);
  const apiKey = await plantApiKey(api.pool, randomBytes(5).toString("hex"));
  return { tokenId, other, owner, agent, apiKey };
}

/** Each wallet is a human; the token is its owner's own. */
async function registerAll({ other, owner, agent, tokenId }: World): Promise<void> {
  for (const wallet of [other, owner, agent]) {
    const body = { name: "Ada", ...(wallet === owner && { tokenId }) };
    const { status } = await api.write("POST", "/api/v2/principals/human/register", body, {
      authorization: await wallet.siwe(),
    });
    expect(status).toBe(201);
  }
}

async function linkToOwner(world: World): Promise<void> {
  await registerAll(world);
  const path = `/api/v2/human/${world.owner.address}/link-agent`;
  const body = { agentTokenId: world.tokenId };
  const { status } = await api.write("POST", path, body, { authorization: await world.owner.siwe() });
  expect(status).toBe(200);
}

/** How each caller shows who it is in the headers. */
const CREDENTIALS: Record<CallerName, (world: World, by: Wallet) => Promise<Record<string, string>>> = {
  none: async () => ({}),
  "other wallet": async ({ other }) => ({ authorization: await other.siwa() }),
  owner: async ({ owner }) => ({ authorization: await owner.siwa() }),
  "agent wallet": async ({ agent }) => ({ authorization: await agent.siwa() }),
  "human (SIWE)": async (_, by) => ({ authorization: await by.siwe() }),
  "API key": async ({ apiKey }) => ({ "x-api-key": apiKey }),
  "access token": async () => ({ authorization: "Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln" }),
  expired: async (_, by) => ({ authorization: await by.siwa(Date.now() - HOUR - 1_000) }),
  "future-dated": async (_, by) => ({ authorization: await by.siwa(Date.now() + 310_000) }),
  "other host": async (_, by) => ({ authorization: await by.siwa(Date.now(), "elsewhere.test") }),
  forged: async ({ other }, by) => {
    const [forger, victim] = by === other ? [newWallet(), other] : [other, by];
    return { authorization: (await forger.siwa()).replace(forger.address, victim.address) };
  },
  "replay after revoke": async ({ apiKey }, by) => {
    const authorization = await by.siwa();
    expect(
      (await api.send("POST", "/api/v2/auth/revoke", { headers: { authorization: await by.siwa() } })).status,
    ).toBe(200);
    await revokeApiKey(api.pool, apiKey.split("_")[1]!);
    return { authorization, "x-api-key": apiKey };
  },
};

async function askAsHuman(caller: CallerName, world: World): Promise<Asked> {
  const { tokenId, owner, other, agent } = world;
  const update = { personality: { humor: "dry" } };
  const signed = async (by: Wallet, at = Date.now(), service = "Helixa") => {
    const message = humanUpdateText(service, tokenId, at);
    return { body: { ...update, message, signature: await by.account.signMessage({ message }) } };
  };
  switch (caller) {
    case "owner":
      return signed(owner);
    case "other wallet":
      return signed(other);
    case "agent wallet":
      return signed(agent);
    case "expired":
      return signed(owner, Date.now() - 301_000);
    case "future-dated":
      return signed(owner, Date.now() + 310_000);
    case "other host":
      return signed(owner, Date.now(), "Elsewhere");
    case "forged": {
      const { body } = await signed(owner);
      return { body: { ...body, signature: spoilt(body.signature) } };
    }
    case "replay after revoke": {
      const before = await signed(owner, Date.now() - 1_000);
      await CREDENTIALS[caller](world, owner);
      return before;
    }
    default:
      return { headers: await CREDENTIALS[caller](world, owner), body: update };
  }
}

/** The signature is the proof, not who carries it; the spoilt credentials have their like in a spoilt signature. */
function askWithSolanaKey({ register = false }) {
  return async (caller: CallerName, world: World): Promise<Asked> => {
    const [key, stranger] = [await solanaWallet(), await solanaWallet()];
    const path = `/api/v2/auth/solana/challenge?address=${key.address}`;
    const { message, nonce } = await api.read<{ message: string; nonce: string }>(path);
    const text = caller === "other host" ? message.replace(HOST, "elsewhere.test") : message;
    const signature = await (caller === "forged" ? stranger : key).signText(text);
    const verify = { address: key.address, nonce, signature };
    if (caller === "expired")
      await api.sql("update offchain.solana_challenge set expires_at = now() where nonce = $1", nonce);
    if (caller === "replay after revoke") await api.write("POST", "/api/v2/auth/solana/verify", verify);
    const registration = {
      ...{ name: "New", solanaAddress: key.address, evmAddress: world.owner.address, nonce, signature },
    };
    const headers = caller === "replay after revoke" ? {} : await CREDENTIALS[caller](world, world.agent);
    return { headers, body: register ? registration : verify };
  };
}

/** A signature that nobody made: s in the upper half. */
const spoilt = (signature: string) => `${signature.slice(0, 66)}${"f".repeat(64)}${signature.slice(-2)}`;

/** How much has been written, whoever wrote it. */
async function written(): Promise<unknown> {
  const tables = [
    ...["profile_field", "profile_trait", "proof", "exchange_verification", "session_outcome", "mint"],
    ...["transaction_outbox", "chain_write", "human_update", "credential_revocation", "idempotency"],
    ...["human", "human_agent", "organization", "message_group", "group_member", "message"],
    ...["webhook", "webhook_secret", "webhook_delivery"],
  ];
  const counts = tables.map((name) => `(select count(*)::int from offchain.${name}) as ${name}`);
  return (await api.sql(`select ${counts.join(", ")}`))[0];
}

const writes = ENDPOINTS.filter(({ method }) => method !== "get");

it("every write has its row, and every row is a write", () => {
  expect(Object.keys(ROWS).sort()).toEqual(writes.map(({ operationId }) => operationId).sort());
});

/** Asks for a write as one of the callers. @param ref the agent in the path; the token id unless given */
async function ask(endpoint: Endpoint, caller: CallerName, world: World, ref = String(world.tokenId)) {
  const row = ROWS[endpoint.operationId]!;
  const asked = row.ask
    ? await row.ask(caller, world)
    : { headers: await CREDENTIALS[caller](world, row.by?.(world) ?? world.agent), body: row.body?.(world) };
  const before = await written();
  const { status, body } = await api.send(
    endpoint.method.toUpperCase(),
    endpoint.path
      .replace(/\{(id|ref)\}/, ref)
      .replace("{groupId}", "security")
      .replace("{webhookId}", world.webhook?.id ?? "")
      .replace("{deliveryId}", String(world.webhook?.deliveryId)),
    {
      headers: { ...asked.headers, ...(asked.body && { "content-type": "application/json" }) },
      ...(asked.body && { body: JSON.stringify(asked.body) }),
    },
  );
  const answer = status >= 200 && status < 300 ? PASS : status;
  if (answer !== PASS) expect(await written()).toEqual(before);
  return { answer, body };
}

describe.each(writes.map((endpoint): [string, Endpoint] => [endpoint.operationId, endpoint]))(
  "%s",
  (operationId, endpoint) => {
    const row = ROWS[operationId]!;
    it.each(CALLERS)("%s", async (caller) => {
      const world = await newWorld();
      await row.before?.(world);
      const { answer, body } = await ask(endpoint, caller, world);
      expect([answer, body]).toEqual([row.expected[caller], expect.anything()]);
    });
  },
);

/** Anybody can mint a token that names the wallet of another as its agent. */
describe.each(
  writes
    .filter(
      ({ path, operationId }) => path.startsWith("/api/v2/agent/{ref}/") && ROWS[operationId]?.expected !== READERS,
    )
    .map((one): [string, Endpoint] => [one.operationId, one]),
)("%s by the wallet's address", (operationId, endpoint) => {
  const row = ROWS[operationId]!;
  const caller = CALLERS.find((each) => row.expected[each] === PASS)!;

  /** @param squatter whether the other token that names the agent's wallet has the lower or the higher id */
  async function squatted(squatter: "below" | "above", confirmed: boolean) {
    const below = tokens++;
    const world = await newWorld({ confirmed });
    await row.before?.(world);
    const other = squatter === "below" ? below : tokens++;
    const lower = (wallet: Wallet) => wallet.address.toLowerCase() as `0x${string}`;
    await plantAgents(api.pool, [{ tokenId: other, owner: lower(world.other), agentAddress: lower(world.agent) }]);
    return { world, both: [other, world.tokenId].sort((a, b) => a - b) };
  }

  it.each(["below", "above"] as const)("is refused with a squatter %s, and names both agents", async (squatter) => {
    const { world, both } = await squatted(squatter, false);
    expect(await ask(endpoint, caller, world, world.agent.address)).toMatchObject({
      answer: 409,
      body: { code: "conflict", candidates: both.map((tokenId) => `helixa-${tokenId}`) },
    });
    expect((await ask(endpoint, caller, world, `helixa-${world.tokenId}`)).answer).toBe(PASS);
  });

  it.each(["below", "above"] as const)("is about the agent that confirmed it, with a squatter %s", async (squatter) => {
    const { world } = await squatted(squatter, true);
    const { answer, body } = await ask(endpoint, caller, world, world.agent.address);
    expect([answer, body.tokenId ?? world.tokenId]).toEqual([PASS, world.tokenId]);
  });

  it("is about the only agent that names it", async () => {
    const world = await newWorld({ confirmed: false });
    await row.before?.(world);
    expect((await ask(endpoint, caller, world, world.agent.address)).answer).toBe(PASS);
  });
});

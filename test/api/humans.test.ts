/** Human principals: who may write what, what is shown to whom, cred, and agents linked until their token moves. */
import { afterEach, describe, expect, it } from "vitest";
import { LINKS_PER_HUMAN } from "../../api/services/humans.ts";
import { fail } from "../../core/errors.ts";
import type { AgentWallet } from "../../harness/agent-wallet.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { plantDirectory } from "../support/directory.ts";
import { sql } from "../support/sql.ts";
import { type Answer, answering, refusal } from "./support/api.ts";
import { plantAttestation, plantProof } from "./support/plants.ts";
import { principalsForFile } from "./support/principals.ts";
import type { Paged } from "./support/walks.ts";
import { lower, newWallet } from "./support/wallets.ts";

type Human = Record<string, unknown> & {
  id: string;
  name: string;
  linkedAgents: { tokenId: number }[];
  humanCred: { score: number };
};
type Cred = {
  score: number;
  breakdown: Record<string, { weight: number; raw: number; contribution: number; known: boolean }>;
  sources: Record<string, unknown>;
};

const EMAIL = "ada.private@example.org";
const TELEGRAM = "ada_private";
const PROFILE = {
  name: "Ada",
  description: "Builds agents.\nAnd engines.",
  image: "https://example.org/ada.png",
  organization: "Analytical Engines",
  skills: ["solidity", "poetry"],
  domains: ["finance"],
  linkedAccounts: { github: "ada", x: "@ada" },
  services: { consulting: "https://example.org/ada" },
  contact: { email: EMAIL, telegram: TELEGRAM },
};

let nonce: (() => Promise<number>) | undefined;
const world = principalsForFile({ chain: { ...healthyChain(), nonce: async () => (nonce ? nonce() : 99) } });
afterEach(() => {
  nonce = undefined;
});

const read = async (ref: string | number): Promise<Human> => await world.api.read<Human>(`/api/v2/human/${ref}`);
const credOf = async (ref: string): Promise<Cred> => await world.api.read<Cred>(`/api/v2/human/${ref}/cred`);
const principalOf = ({ body }: Answer) => (body as unknown as { principal: Human }).principal;
const me = async (by: string) => world.send("GET", "/api/v2/principals/human/me", by);
const link = async (ref: string, by: string | Record<string, string>, agentTokenId: number) =>
  world.send("POST", `/api/v2/human/${ref}/link-agent`, by, { agentTokenId });

/** A registered human with a wallet of its own. */
async function register(body: object = {}, wallet: AgentWallet = newWallet()) {
  const answer = await world.registerHuman(wallet, { name: "Ada", ...body });
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return { wallet, human: principalOf(answer) };
}

describe("registration", () => {
  it("by SIWE is 201, shows everything but the contact data, and is found by id and by wallet", async () => {
    const wallet = newWallet();
    const answer = await world.registerHuman(wallet, PROFILE);
    expect(answer).toMatchObject({ status: 201, body: { success: true } });
    const human = principalOf(answer);
    const { contact: _, ...shown } = PROFILE;
    expect(human).toMatchObject({
      ...shown,
      ...{ entityType: "human", walletAddress: wallet.address, tokenId: null, linkedAgents: [] },
      contact: { hasEmail: true, hasTelegram: true },
    });
    for (const ref of [human.id, wallet.address, wallet.address.toLowerCase()]) expect(await read(ref)).toEqual(human);
  });

  it("by the same wallet again is 200 and changes only what it says, by SIWA too", async () => {
    const { wallet, human } = await register(PROFILE);
    const again = await world.registerHuman(await wallet.siwa(), {
      name: "Ada L.",
      skills: [],
      contact: { email: "" },
    });
    expect(again.status).toBe(200);
    expect(principalOf(again)).toMatchObject({
      ...{ id: human.id, createdAt: human.createdAt, name: "Ada L.", skills: [], domains: PROFILE.domains },
      ...{ description: PROFILE.description, image: PROFILE.image, linkedAccounts: PROFILE.linkedAccounts },
      contact: { hasEmail: false, hasTelegram: true },
    });
    const cleared = { name: "Ada", image: null, description: "", linkedAccounts: {} };
    expect(principalOf(await world.registerHuman(wallet, cleared))).toMatchObject(cleared);
  });

  it("by access token is a human without a wallet, one for each account of the provider", async () => {
    const first = await world.registerHuman(await world.token("did:idp:a"), { name: "Token A" });
    const other = await world.registerHuman(await world.token("did:idp:b"), { name: "Token B" });
    const again = await world.registerHuman(await world.token("did:idp:a"), { name: "Token A2" });
    expect([first, other, again].map(({ status }) => status)).toEqual([201, 201, 200]);
    expect(principalOf(first)).toMatchObject({ walletAddress: null, tokenId: null });
    expect(principalOf(again).id).toBe(principalOf(first).id);
    expect(principalOf(other).id).not.toBe(principalOf(first).id);
    expect(JSON.stringify(again.body)).not.toContain("did:idp");
  });

  it("twice at once makes one human", async () => {
    const by = await newWallet().siwe();
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.registerHuman(by, { name: "Once" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map((answer) => principalOf(answer).id)).size).toBe(1);
  });

  it("nobody registers over another: wallet and id in the body are not read, and the answer says so", async () => {
    const { wallet, human } = await register(PROFILE);
    const thief = newWallet();
    for (const more of [{ walletAddress: wallet.address }, { id: human.id }, { principal: wallet.address }]) {
      const answer = await world.registerHuman(thief, { name: "Thief", ...more });
      expect(answer.body.ignored).toEqual(Object.keys(more));
      expect(principalOf(answer)).toMatchObject({ name: "Thief", walletAddress: thief.address });
    }
    expect(await read(human.id)).toEqual(human);
  });

  /** As living pages send it. */
  const PAGE = {
    ...{ name: "Ada", contact: { email: EMAIL, discord: "ada#1" }, linkedAccounts: { github: "ada", x: null } },
    services: { web: { url: "https://ada.example", kind: "site" }, talks: "On request", mail: { handle: "@ada" } },
    externalIds: { ens: "ada.eth", fid: 7 },
    metadata: { pronouns: "she", links: [{ label: "blog", url: "https://blog.ada.example" }] },
    notificationPreferences: { email: true, digest: "weekly-private" },
    ...{ mintOnchain: true, linkedAgents: [1], referrer: { utm: "x" } },
  };

  it("takes what living pages send: known fields are stored, others are named in ignored", async () => {
    const wallet = newWallet();
    const answer = await world.registerHuman(wallet, PAGE);
    expect([answer.status, answer.body.ignored]).toEqual([
      201,
      ["mintOnchain", "linkedAgents", "referrer", "contact.discord"],
    ]);
    const shown = {
      services: PAGE.services,
      externalIds: PAGE.externalIds,
      metadata: PAGE.metadata,
      linkedAccounts: { github: "ada" },
      ...{ linkedAgents: [], tokenId: null },
    };
    const human = principalOf(answer);
    expect(human).toMatchObject(shown);
    expect(await read(human.id)).toEqual(human);
    const again = await world.registerHuman(wallet, { name: "Ada L." });
    expect(again.body).not.toHaveProperty("ignored");
    expect(principalOf(again)).toMatchObject(shown);
    expect((await me(await wallet.siwe())).body.notificationPreferences).toEqual(PAGE.notificationPreferences);
    const cleared = { name: "Ada", services: {}, externalIds: null, metadata: null, notificationPreferences: null };
    expect(principalOf(await world.registerHuman(wallet, cleared))).toMatchObject({
      ...{ services: {}, externalIds: {}, metadata: {} },
    });
    expect((await me(await wallet.siwe())).body.notificationPreferences).toEqual({});
    // A text alone is a service, too; ids and preferences may be lists.
    const others = {
      services: "https://ada.example/hire",
      externalIds: ["ada.eth"],
      notificationPreferences: ["email"],
    };
    expect(principalOf(await world.registerHuman(wallet, { name: "Ada", ...others }))).toMatchObject({
      services: { web: "https://ada.example/hire" },
      externalIds: ["ada.eth"],
    });
    expect(principalOf(await world.registerHuman(wallet, { name: "Ada", services: "Audits" })).services).toEqual({
      about: "Audits",
    });
  });

  it("what a human states in them moves its score no more than any other part of a profile does", async () => {
    const bare = (await register()).human.humanCred;
    const { human } = await register({ externalIds: PAGE.externalIds, metadata: { humanCred: 100, verified: true } });
    expect(human.humanCred).toEqual(bare);
  });

  it("names at most twenty fields that were not read, each cut to 64 characters", async () => {
    const more = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${"🤖".repeat(40)}${i}`, i]));
    const { body, status } = await world.registerHuman(newWallet(), { name: "Ada", ...more });
    expect(status).toBe(201);
    expect(body.ignored).toEqual(Array(20).fill("🤖".repeat(32)));
  });

  it.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "a".repeat(65) }, "name"],
    [{ name: "a\u202eb" }, "name"],
    [{ name: "a\nb" }, "name"],
    [{ name: "Ada", description: "x".repeat(513) }, "description"],
    [{ name: "Ada", image: "data:image/png;base64,AA" }, "image"],
    [{ name: "Ada", image: "http://example.org/a.png" }, "image"],
    [{ name: "Ada", organization: "x".repeat(129) }, "organization"],
    [{ name: "Ada", skills: Array(25).fill("a") }, "skills"],
    [{ name: "Ada", skills: ["x".repeat(65)] }, "skills.0"],
    [{ name: "Ada", linkedAccounts: { x: "javascript:alert(1)" } }, "linkedAccounts.x"],
    [{ name: "Ada", linkedAccounts: { constructor: "x" } }, "linkedAccounts.constructor"],
    [{ name: "Ada", services: [] }, "services"],
    [{ name: "Ada", services: "javascript:alert(1)" }, "services"],
    [{ name: "Ada", services: { web: { url: "javascript:alert(1)" } } }, "services.web.url"],
    [{ name: "Ada", services: { web: "data:text/html,hi" } }, "services.web"],
    [{ name: "Ada", services: { "a b": "c" } }, "services.a b"],
    [{ name: "Ada", externalIds: "ada.eth" }, "externalIds"],
    [{ name: "Ada", externalIds: { a: { constructor: 1 } } }, "externalIds.a.constructor"],
    [{ name: "Ada", metadata: ["x"] }, "metadata"],
    [{ name: "Ada", metadata: { a: [[[[[[[["x"]]]]]]]] } }, `metadata.a${".0".repeat(7)}`],
    [{ name: "Ada", metadata: { a: "b\u202ec" } }, "metadata.a"],
    [{ name: "Ada", contact: { email: "nobody" } }, "contact.email"],
    [{ name: "Ada", tokenId: "0" }, "tokenId"],
    [{ name: "Ada", tokenId: -1 }, "tokenId"],
  ])("%j is refused for %s", async (body, path) => {
    const answer = await world.registerHuman(newWallet(), body);
    expect(answer).toMatchObject(refusal(400, "invalid_input"));
    expect(answer.body.details).toEqual([expect.objectContaining({ path })]);
  });

  it("refuses __proto__ as a key", async () => {
    const answer = await world.send(
      "POST",
      "/api/v2/principals/human/register",
      await newWallet().siwe(),
      '{"name":"Ada","linkedAccounts":{"__proto__":"x"}}',
    );
    expect(answer).toMatchObject(refusal(400, "invalid_input"));
  });

  it("does not depend on the chain: transactions are counted when it answers in time", async () => {
    nonce = async () => fail("upstream_unavailable", "Away.");
    const away = await register();
    expect((await credOf(away.human.id)).breakdown.onchainHistory).toEqual({
      ...{ weight: 10, raw: 0, contribution: 0, known: false },
    });
    nonce = undefined;
    const { human } = await register();
    expect((await credOf(human.id)).breakdown.onchainHistory).toEqual({
      ...{ weight: 10, raw: 90, contribution: 9, known: true },
    });
  });
});

describe("an identity token of one's own", () => {
  it("is the signing wallet's, finds the human, and ends with a transfer for good", async () => {
    const [ada, eve] = [newWallet(), newWallet()];
    const tokenId = await world.mint(ada);
    expect((await world.registerHuman(eve, { name: "Eve", tokenId })).status).toBe(403);
    expect((await world.registerHuman(await world.token("did:idp:t"), { name: "Eve", tokenId })).status).toBe(403);
    expect((await world.registerHuman(ada, { name: "Ada", tokenId: 999_999 })).status).toBe(404);
    const { human } = await register({ tokenId }, ada);
    expect(human.tokenId).toBe(tokenId);
    expect(await read(tokenId)).toEqual(human);

    await world.transfer(tokenId, ada, eve);
    expect((await world.api.get(`/api/v2/human/${tokenId}`)).status).toBe(404);
    expect(await read(human.id)).toMatchObject({ tokenId: null });
    // Who has the token now is who is found by it; the former human keeps everything else.
    const { human: second } = await register({ tokenId }, eve);
    expect((await read(tokenId)).id).toBe(second.id);
    await world.transfer(tokenId, eve, ada);
    expect((await world.api.get(`/api/v2/human/${tokenId}`)).status).toBe(404);
  });

  it("left out stays, null takes it back", async () => {
    const wallet = newWallet();
    const tokenId = await world.mint(wallet);
    await register({ tokenId }, wallet);
    const renamed = await world.registerHuman(wallet, { name: "Renamed" });
    expect(principalOf(renamed)).toMatchObject({ tokenId, name: "Renamed" });
    expect(principalOf(await world.registerHuman(wallet, { name: "Ada", tokenId: null })).tokenId).toBeNull();
  });
});

describe("reading", () => {
  it.each(["12abc", "-1", "1e3", "0x10", "+1"])("%s is 400", async (ref) => {
    expect((await world.api.get(`/api/v2/human/${ref}`)).status).toBe(400);
    expect((await world.api.get(`/api/v2/human/${ref}/cred`)).status).toBe(400);
  });

  it.each(["constructor", "__proto__", "hum_0", "%00", "ada", "777777", `0x${"1".repeat(40)}`])(
    "%s is 404",
    async (ref) => {
      expect(await world.api.get(`/api/v2/human/${ref}`)).toMatchObject(refusal(404, "not_found"));
    },
  );

  it("lists by name in any case and accents, by wallet and by token, in pages that newcomers do not move", async () => {
    const tag = `Zz${Math.floor(Date.now() / 1000).toString(36)}`;
    const humans: { wallet: AgentWallet; human: Human }[] = [];
    for (const name of ["Émile", "EMILE two", "emile three"]) humans.push(await register({ name: `${tag} ${name}` }));
    const search = (query: string) => world.api.read<Paged<"humans", Human>>(`/api/v2/humans?${query}`);
    const ids = humans.map(({ human }) => human.id);
    const found = await search(`search=${encodeURIComponent(`${tag} émi`)}`);
    expect([found.total, found.humans.map(({ id }) => id)]).toEqual([3, ids]);
    expect(await search(`search=${tag}&limit=2&page=2`)).toMatchObject({
      ...{ total: 3, page: 2, pages: 2, limit: 2, offset: 2, humans: [{ id: ids[2] }] },
    });
    expect(await search(`search=${tag}&limit=2&page=9&offset=1`)).toMatchObject({
      offset: 1,
      humans: [{}, { id: ids[2] }],
    });
    expect(await search(`search=${humans[1]!.wallet.address.slice(0, 12)}`)).toMatchObject({
      humans: [{ id: ids[1] }],
    });
    expect((await search("limit=100000")).limit).toBe(100);
    expect((await search(`search=${tag}&offset=9007199254740991`)).humans).toEqual([]);
    for (const bad of ["limit=0", "limit=x", "page=0", "offset=-1"])
      expect((await world.api.get(`/api/v2/humans?${bad}`)).status).toBe(400);
    const tokenId = await world.mint(humans[0]!.wallet);
    await world.registerHuman(humans[0]!.wallet, { name: `${tag} Émile`, tokenId });
    expect((await search(`search=${tokenId}`)).humans.map(({ id }) => id)).toContain(ids[0]);
  });

  it("counts in the statistics", async () => {
    const totals = async () => await world.api.read<Record<string, number>>("/api/v2/stats");
    const before = await totals();
    const { wallet } = await register();
    await world.registerOrganization(wallet, { displayName: "Counted" });
    const after = await totals();
    expect([after.totalHumans! - before.totalHumans!, after.totalOrganizations! - before.totalOrganizations!]).toEqual([
      1, 1,
    ]);
  });
});

describe("contact data", () => {
  it("are shown to the principal alone: no list, search, validator or answer to others has them", async () => {
    const notificationPreferences = { digest: "weekly-private" };
    const { wallet, human } = await register({ ...PROFILE, notificationPreferences });
    expect(human).not.toHaveProperty("notificationPreferences");
    const own = await me(await wallet.siwa());
    expect(own.body).toMatchObject({ id: human.id, contact: { email: EMAIL, telegram: TELEGRAM }, organizations: [] });
    expect(own.body).toMatchObject({ notificationPreferences });
    expect(own.headers.get("cache-control")).toBe("private, no-store");
    expect(own.headers.has("etag")).toBe(false);
    const paths = ["", "/cred"].map((end) => `/api/v2/human/${human.id}${end}`);
    for (const path of [...paths, "/api/v2/humans", `/api/v2/humans?search=${encodeURIComponent("Ada")}`]) {
      const { text } = await world.api.get(path, { headers: { authorization: await wallet.siwe() } });
      expect(text).not.toContain(EMAIL);
      expect(text).not.toContain(TELEGRAM);
      expect(text).not.toContain("weekly-private");
    }
    for (const secret of [EMAIL, TELEGRAM])
      expect((await world.api.get(`/api/v2/humans?search=${secret}`)).body.total).toBe(0);
    // Another address makes no other validator: nobody learns it by guessing.
    const etag = async () => (await world.api.get(`/api/v2/human/${human.id}`)).headers.get("etag");
    const before = await etag();
    await world.api.sql(
      'update offchain.human set contact = contact || \'{"email":"b@c.de"}\' where id = $1',
      human.id,
    );
    expect(await etag()).toBe(before);
    expect((await me(await newWallet().siwe())).status).toBe(404);
    expect((await me("")).status).toBe(401);
  });

  it("of organizations likewise", async () => {
    const { wallet } = await register();
    const contact = { email: "org.private@example.org", telegram: "org_private" };
    const body = { displayName: "Discreet", contact, notificationPreferences: { digest: "weekly-private@" } };
    const answer = await world.registerOrganization(wallet, body);
    expect(answer.text).not.toContain("org.private");
    expect(answer.text).not.toContain("private@");
    expect((await me(await wallet.siwe())).body).toMatchObject({ organizations: [body] });
    for (const path of ["/api/v2/organizations?search=Discreet", "/api/v2/org/discreet"]) {
      const { text } = await world.api.get(path);
      expect(text).toContain("Discreet");
      expect(text).not.toContain("private@");
    }
  });
});

describe("linking an agent", () => {
  it("takes the present owner who is the human; a transfer ends it, coming back does not renew it", async () => {
    const { wallet: ada, human } = await register();
    const { wallet: eve, human: other } = await register();
    const tokenId = await world.mint(ada, { score: 64 });
    expect((await link(human.id, await eve.siwe(), tokenId)).status).toBe(403);
    expect((await link(other.id, await eve.siwe(), tokenId)).status).toBe(403);
    expect((await link(other.id, await ada.siwe(), tokenId)).status).toBe(403);
    expect((await link(human.id, await ada.siwe(), 999_999)).status).toBe(404);
    expect((await link("hum_none", await ada.siwe(), tokenId)).status).toBe(404);
    const linked = await link(ada.address, await ada.siwe(), tokenId);
    expect(linked).toMatchObject({ status: 200, body: { success: true, principal: { linkedAgents: [{ tokenId }] } } });
    expect(await credOf(human.id)).toMatchObject({
      score: 22,
      breakdown: { linkedAgents: { raw: 64, contribution: 12.8, known: true } },
    });
    // By SIWA, and again: the same link.
    expect((await link(human.id, await ada.siwa(), tokenId)).status).toBe(200);

    await world.transfer(tokenId, ada, eve);
    expect((await read(human.id)).linkedAgents).toEqual([]);
    expect((await credOf(human.id)).breakdown.linkedAgents).toMatchObject({ raw: 0 });
    expect((await link(human.id, await ada.siwe(), tokenId)).status).toBe(403);
    await world.transfer(tokenId, eve, ada);
    expect((await read(human.id)).linkedAgents).toEqual([]);
    // The owner may want it again.
    expect((await link(human.id, await ada.siwe(), tokenId)).status).toBe(200);
    expect((await read(human.id)).linkedAgents).toHaveLength(1);
  });

  it("outlives a transfer that a reorganisation takes back, whatever the other owner did meanwhile", async () => {
    const { wallet: ada, human } = await register();
    const { wallet: eve, human: other } = await register();
    const tokenId = await world.mint(ada);
    await link(human.id, await ada.siwe(), tokenId);
    const undo = await world.transfer(tokenId, ada, eve);
    expect((await link(other.id, await eve.siwe(), tokenId)).status).toBe(200);
    const linked = async () => [(await read(human.id)).linkedAgents.length, (await read(other.id)).linkedAgents.length];
    expect(await linked()).toEqual([0, 1]);
    await undo();
    expect(await linked()).toEqual([1, 0]);
  });

  it("of a human without a wallet needs its access token beside the owner's signature, and moves a link", async () => {
    const subject = "did:idp:linker";
    const human = principalOf(await world.registerHuman(await world.token(subject), { name: "No wallet" }));
    const owner = newWallet();
    const tokenId = await world.mint(owner, { score: 40 });
    const siwe = await owner.siwe();
    expect((await link(human.id, siwe, tokenId)).status).toBe(403);
    expect((await link(human.id, await world.token(subject), tokenId)).status).toBe(401);
    const beside = async (sub: string) => ({ authorization: await world.token(sub), "x-siwa": siwe });
    expect((await link(human.id, await beside("did:idp:somebody"), tokenId)).status).toBe(403);
    expect((await link(human.id, { authorization: "Bearer a.b.c", "x-siwa": siwe }, tokenId)).status).toBe(401);
    expect((await link(human.id, await beside(subject), tokenId)).status).toBe(200);
    expect(await credOf(human.id)).toMatchObject({
      score: 10,
      breakdown: { linkedAgents: { weight: 25, raw: 40 }, verifiedIdentity: { weight: 0, known: false } },
    });
    // The owner is a human, too: linked there, the agent is no longer linked here.
    const { human: own } = await register({}, owner);
    expect((await link(own.id, await owner.siwe(), tokenId)).status).toBe(200);
    expect([(await read(own.id)).linkedAgents, (await read(human.id)).linkedAgents].map((a) => a.length)).toEqual([
      1, 0,
    ]);
  });

  it("to two humans at once leaves it with one", async () => {
    const owner = newWallet();
    const tokenId = await world.mint(owner);
    const siwe = await owner.siwe();
    const { human: own } = await register({}, owner);
    const other = principalOf(await world.registerHuman(await world.token("did:idp:twice"), { name: "Twice" }));
    const beside = { authorization: await world.token("did:idp:twice"), "x-siwa": siwe };
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([link(own.id, siwe, tokenId), link(other.id, beside, tokenId)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const links = [await read(own.id), await read(other.id)].flatMap(({ linkedAgents }) => linkedAgents);
      expect(links).toHaveLength(1);
    }
  });

  it("ends at a number of agents; those that were sold do not count", async () => {
    const { wallet, human } = await register();
    const tokens: number[] = [];
    for (let i = 0; i <= LINKS_PER_HUMAN; i++) tokens.push(await world.mint(wallet));
    await world.api.sql`insert into offchain.human_agent select ${human.id}, t, ${lower(wallet)}, 1, now()
      from unnest(${tokens.slice(0, LINKS_PER_HUMAN)}::int8[]) t`;
    expect((await link(human.id, await wallet.siwe(), tokens[LINKS_PER_HUMAN]!)).status).toBe(409);
    expect((await link(human.id, await wallet.siwe(), tokens[0]!)).status).toBe(200);
    await world.transfer(tokens[0]!, wallet, newWallet());
    expect((await link(human.id, await wallet.siwe(), tokens[LINKS_PER_HUMAN]!)).status).toBe(200);
  });

  it.each([{}, { agentTokenId: "1" }, { agentTokenId: -1 }, { agentTokenId: 1, more: 1 }])(
    "refuses %j",
    async (body) => {
      const { wallet, human } = await register();
      const answer = await world.send("POST", `/api/v2/human/${human.id}/link-agent`, await wallet.siwe(), body);
      expect(answer).toMatchObject(refusal(400, "invalid_input"));
    },
  );
});

describe("cred", () => {
  const identity = async (change: object) => {
    const { wallet, human } = await register();
    await plantAttestation(world.api.pool, lower(wallet), change);
    return (await credOf(human.id)).breakdown.verifiedIdentity!.raw;
  };

  it.each([
    ["the exchange's", {}, 70],
    ["a revoked one", { revokedAt: 1_790_000_100 }, 0],
    ["an expired one", { expiresAt: 1_790_000_100 }, 0],
    ["one that will expire", { expiresAt: 4_000_000_000 }, 70],
    ["another attester's", { attester: `0x${"9".repeat(40)}` }, 0],
    ["another schema's", { schema: `0x${"9".repeat(64)}` }, 0],
    ["one that says no", { data: `0x${"0".repeat(64)}` }, 0],
    ["another wallet's", { recipient: `0x${"9".repeat(40)}` }, 0],
  ])("attestation: %s", async (_, change, raw) => expect(await identity(change)).toBe(raw));

  it("counts an attestation older than the index while the wallet owns the agent", async () => {
    const { wallet, human } = await register();
    const tokenId = await world.mint(wallet);
    const { attesters, attestationSchemas } = world.api.deps.config;
    await world.api.plant("exchange_verification", {
      ...{ token_id: tokenId, attestation_uid: `0x${"8".repeat(64)}`, recipient: lower(wallet) },
      ...{ attester: attesters[0], schema_uid: attestationSchemas[0] },
    });
    expect((await credOf(human.id)).breakdown.verifiedIdentity).toMatchObject({ raw: 70, known: true });
    await world.transfer(tokenId, wallet, newWallet());
    expect((await credOf(human.id)).breakdown.verifiedIdentity).toMatchObject({ raw: 0 });
  });

  it("is read from what linked agents did for this owner: proofs, sessions, referrals", async () => {
    const { wallet: seller } = await register();
    const { wallet, human } = await register();
    const tokenId = await world.mint(seller);
    const newcomer = await world.mint(newWallet());
    const act = async (at: string) => {
      await world.api.sql`insert into offchain.session_outcome (token_id, api_key_id, outcome, recorded_at)
        values (${tokenId}, 'k', 'success', ${at}), (${tokenId}, 'k', 'failure', ${at})`;
      await plantProof(world.api.pool, tokenId, "x", { at });
      await world.api.sql`insert into offchain.referral values (${newcomer}, ${tokenId}, 'c', ${at})
        on conflict (token_id) do update set created_at = ${at}`;
    };
    const parts = async () => {
      const { breakdown } = await credOf(human.id);
      return [breakdown.verifiedIdentity!.raw, breakdown.workHistory!.raw, breakdown.networkEndorsements!.raw];
    };
    await act("2026-09-01T00:00:00Z");
    await world.transfer(tokenId, seller, wallet, Date.parse("2026-10-01T00:00:00Z") / 1000);
    await link(human.id, await wallet.siwe(), tokenId);
    expect(await parts()).toEqual([0, 0, 0]);
    await act("2026-10-02T00:00:00Z");
    expect(await parts()).toEqual([30, 5, 10]);
    await world.api.sql("update offchain.proof set status = 'lapsed' where token_id = $1", tokenId);
    expect((await parts())[0]).toBe(0);
  });

  it("takes Ethos from what the worker stored, and says when it knows nothing", async () => {
    const { wallet, human } = await register();
    const social = async () => (await credOf(human.id)).breakdown.socialReputation;
    expect(await social()).toEqual({ weight: 15, raw: 0, contribution: 0, known: false });
    const store = (score: number | null) =>
      world.api.pool.query(sql`insert into offchain.ethos_score values (${lower(wallet)}, ${score}, now())
        on conflict (wallet) do update set score = ${score}`);
    await store(null);
    expect(await social()).toMatchObject({ known: false });
    await store(1400);
    expect(await social()).toEqual({ weight: 15, raw: 50, contribution: 7.5, known: true });
  });

  it("is not moved by what the human says about itself, beyond its completeness", async () => {
    const { wallet, human } = await register();
    const before = await credOf(human.id);
    await world.registerHuman(wallet, {
      ...PROFILE,
      linkedAccounts: { coinbase: "verified", x: "@vitalik", ethos: "2800" },
      skills: ["siwa-verified", "coinbase"],
    });
    const after = await credOf(human.id);
    const { profileCompleteness, ...rest } = after.breakdown;
    expect(rest).toEqual({ ...before.breakdown, profileCompleteness: undefined });
    expect([profileCompleteness!.raw, after.score - before.score]).toEqual([100, 5]);
  });
});

describe("deleting oneself", () => {
  it("takes the human, its links, contact data and organizations, and frees wallet and token", async () => {
    const wallet = newWallet();
    const tokenId = await world.mint(wallet);
    const { human } = await register({ ...PROFILE, tokenId }, wallet);
    await link(human.id, await wallet.siwe(), tokenId);
    await world.registerOrganization(wallet, { displayName: "Gone", slug: "gone-soon" });
    await world.api.sql`insert into offchain.ethos_score values (${lower(wallet)}, 1000, now()) on conflict do nothing`;
    const remove = async () => world.removeHuman(wallet);
    expect(await remove()).toMatchObject(
      answering(200, { success: true, deleted: { id: human.id, links: 1, organizations: ["gone-soon"] } }),
    );
    for (const path of [`human/${human.id}`, `human/${wallet.address}`, `human/${tokenId}`, "org/gone-soon"])
      expect((await world.api.get(`/api/v2/${path}`)).status).toBe(404);
    const rows = await world.api.sql`select (select count(*)::int from offchain.human_agent where human_id =
        ${human.id}) as links, (select count(*)::int from offchain.ethos_score where wallet = ${lower(wallet)}) as
        ethos`;
    // Its wallet is an agent's, too: what is known about that stays.
    expect(rows[0]).toEqual({ links: 0, ethos: 1 });
    expect((await remove()).status).toBe(404);
    const again = await register({ tokenId }, wallet);
    expect(again.human).toMatchObject({ linkedAgents: [], contact: { hasEmail: false, hasTelegram: false } });
    expect(again.human.id).not.toBe(human.id);
  });

  it("takes back the answers kept for retries", async () => {
    const wallet = newWallet();
    const key = { authorization: await wallet.siwe(), "idempotency-key": "register" };
    const send = () => world.send("POST", "/api/v2/principals/human/register", key, { name: "Kept Name" });
    expect([(await send()).status, (await send()).headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    const kept = () => world.api.pool.query("select from offchain.idempotency where body like '%Kept Name%'");
    expect((await kept()).rowCount).toBe(1);
    await world.removeHuman(wallet);
    expect((await kept()).rowCount).toBe(0);
  });

  it.each([
    ["forgets the wallet's reputation when it was known only because of the human", null, 0],
    ["keeps the reputation of a wallet that a row of the directory names", "erc8004", 1],
  ])("%s", async (_, platform, kept) => {
    const { wallet } = await register();
    await world.api.sql("insert into offchain.ethos_score values ($1, 1000, now())", lower(wallet));
    if (platform)
      await plantDirectory(world.api.pool, [
        { platform, agent_id: "1", name: "Owned", owner_address: lower(wallet), cred_score: 1 },
      ]);
    await world.removeHuman(wallet);
    const { rowCount } = await world.api.pool.query("select from offchain.ethos_score where wallet = $1", [
      lower(wallet),
    ]);
    expect(rowCount).toBe(kept);
    await world.api.sql("delete from offchain.directory");
  });

  it("takes nobody else's, and works by access token", async () => {
    const { human } = await register();
    const own = principalOf(await world.registerHuman(await world.token("did:idp:del"), { name: "Del" }));
    expect((await world.removeHuman(await world.token("did:idp:other"))).status).toBe(404);
    expect((await world.removeHuman(await world.token("did:idp:del"))).status).toBe(200);
    expect((await world.api.get(`/api/v2/human/${own.id}`)).status).toBe(404);
    expect(await read(human.id)).toEqual(human);
  });
});

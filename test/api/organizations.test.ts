/** Organizations: whose they are, every way to take one over, members, the directory. */
import { describe, expect, it } from "vitest";
import { ORGANIZATIONS_PER_PRINCIPAL } from "../../api/services/organizations.ts";
import type { AgentWallet } from "../../harness/agent-wallet.ts";
import { type Answer, refusal } from "./support/api.ts";
import { principalsForFile } from "./support/principals.ts";
import type { Paged } from "./support/walks.ts";
import { newWallet } from "./support/wallets.ts";

type Organization = Record<string, unknown> & { id: string; slug: string };
type List = Paged<"organizations", Organization>;

const world = principalsForFile();

let names = 0;
const newName = () =>
  `Engines ${String.fromCharCode(97 + (names % 26))}${String.fromCharCode(97 + Math.floor(names++ / 26))}`;
const principalOf = ({ body }: Answer) => (body as unknown as { principal: Organization }).principal;
const read = async (ref: string): Promise<Organization> => await world.api.read<Organization>(`/api/v2/org/${ref}`);
const list = async (query: string): Promise<List> => await world.api.read<List>(`/api/v2/organizations?${query}`);

async function register(body: object = {}, wallet: AgentWallet = newWallet()) {
  const answer = await world.registerOrganization(wallet, { displayName: newName(), ...body });
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return { wallet, organization: principalOf(answer) };
}

const PROFILE = {
  description: "Builds engines.\nAnalytical ones.",
  image: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3/logo.png",
  organizationType: "company",
  roles: ["builder"],
  skills: ["solidity"],
  domains: ["finance"],
  links: { website: "https://example.org/", x: "@engines" },
};

describe("registration", () => {
  it("is 201, needs no human, and is found by id, slug in any case, and wallet", async () => {
    const { wallet, organization } = await register({
      ...PROFILE,
      slug: "First-Engines",
      contact: { email: "a@b.cd" },
    });
    expect(organization).toMatchObject({
      ...PROFILE,
      ...{ slug: "first-engines", entityType: "organization", walletAddress: wallet.address, tokenId: null },
      ...{ members: [], registeredBy: null, contact: { hasEmail: true, hasTelegram: false } },
    });
    for (const ref of [organization.id, "first-engines", "FIRST-Engines", wallet.address, wallet.address.toLowerCase()])
      expect(await read(ref)).toEqual(organization);
    const human = await world.registerHuman(wallet, { name: "Ada" });
    expect((await read("first-engines")).registeredBy).toBe(principalOf(human).id);
  });

  it("by its owner again changes what it says: by slug, or without one by its name", async () => {
    const { wallet, organization } = await register({ ...PROFILE, displayName: "Éngines again", slug: "again" });
    const change = async (body: object) => world.registerOrganization(await wallet.siwa(), body);
    const renamed = await change({ displayName: "Renamed", slug: "AGAIN", links: {} });
    expect(renamed.status).toBe(200);
    expect(principalOf(renamed)).toMatchObject({
      ...{ id: organization.id, slug: "again", displayName: "Renamed", links: {}, roles: PROFILE.roles },
      createdAt: organization.createdAt,
    });
    const byName = await change({ displayName: "RENÀMED", image: null });
    expect(byName.status).toBe(200);
    expect(principalOf(byName)).toMatchObject({ id: organization.id, image: null, description: PROFILE.description });
  });

  it("takes what living pages send: known fields are stored, others are named in ignored", async () => {
    const wallet = newWallet();
    const page = {
      services: { web: { url: "https://engines.example" }, hiring: "Always" },
      externalIds: { lei: "5493001KJTIIGC8Y1R12" },
      metadata: { founded: 1843 },
    };
    const answer = await world.registerOrganization(wallet, {
      ...{ displayName: newName(), slug: "", ...page, notificationPreferences: { email: false } },
      ...{ mintOnchain: false, linkedAgents: [], name: "Engines", contact: { telegram: "engines", phone: "1" } },
    });
    expect([answer.status, answer.body.ignored]).toEqual([
      201,
      ["mintOnchain", "linkedAgents", "name", "contact.phone"],
    ]);
    const { slug, displayName } = principalOf(answer);
    expect(await read(slug)).toMatchObject({ ...page, contact: { hasTelegram: true } });
    const again = await world.registerOrganization(wallet, { displayName, slug, metadata: null });
    expect(again.body).not.toHaveProperty("ignored");
    expect(principalOf(again)).toMatchObject({ ...page, metadata: {} });
  });

  it("twice at once without a slug makes one", async () => {
    const by = await newWallet().siwe();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.registerOrganization(by, { displayName: "At once" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
  });

  it("of one name by several principals gives each a slug of its own", async () => {
    const all = [];
    for (let i = 0; i < 3; i++) all.push((await register({ displayName: "Popular Name" })).organization.slug);
    expect(all[0]).toBe("popular-name");
    for (const slug of all.slice(1)) expect(slug).toMatch(/^popular-name-[2-9a-z]{5}$/);
    expect((await register({ displayName: "株式会社" })).organization.slug).toMatch(/^org-[2-9a-z]{5}$/);
  });

  it("by access token belongs to the account, and shows no wallet", async () => {
    const answer = await world.registerOrganization(await world.token("did:idp:o"), {
      displayName: "Tokens",
      slug: "tokens",
    });
    expect(principalOf(answer)).toMatchObject({ walletAddress: null, slug: "tokens" });
    expect(answer.text).not.toContain("did:idp");
    expect(
      (await world.registerOrganization(await world.token("did:idp:p"), { displayName: "Tokens", slug: "tokens" }))
        .status,
    ).toBe(409);
    expect(
      (await world.registerOrganization(await world.token("did:idp:o"), { displayName: "Tokens 2", slug: "tokens" }))
        .status,
    ).toBe(200);
  });

  it("ends at a number for each principal", async () => {
    const { wallet } = await register();
    for (let i = 1; i < ORGANIZATIONS_PER_PRINCIPAL; i++) await register({}, wallet);
    const one = await world.registerOrganization(wallet, { displayName: newName() });
    expect(one).toMatchObject(refusal(409, "conflict"));
  });

  it.each([
    [{}, "displayName"],
    [{ displayName: "x".repeat(65) }, "displayName"],
    [{ displayName: "a\u202eb" }, "displayName"],
    [{ name: "A" }, "displayName"],
    [{ displayName: "A", services: { web: { url: "ftp://engines.example" } } }, "services.web.url"],
    [{ displayName: "A", slug: "a" }, "slug"],
    [{ displayName: "A", slug: "__proto__" }, "slug"],
    [{ displayName: "A", slug: "constructor" }, "slug"],
    [{ displayName: "A", slug: "аcme" }, "slug"],
    [{ displayName: "A", slug: "a--b" }, "slug"],
    [{ displayName: "A", slug: "42" }, "slug"],
    [{ displayName: "A", slug: `0x${"a".repeat(40)}` }, "slug"],
    [{ displayName: "A", roles: Array(25).fill("a") }, "roles"],
    [{ displayName: "A", links: { site: "javascript:alert(1)" } }, "links.site"],
    [{ displayName: "A", links: ["https://example.org"] }, "links"],
    [{ displayName: "A", organizationType: "x".repeat(65) }, "organizationType"],
    [{ displayName: "A", members: "me" }, "members"],
    [{ displayName: "A", members: Array(101).fill(0) }, "members"],
  ])("%j is refused for %s", async (body, path) => {
    const answer = await world.registerOrganization(newWallet(), body);
    expect(answer).toMatchObject(refusal(400, "invalid_input"));
    expect(answer.body.details).toEqual([expect.objectContaining({ path })]);
  });
});

describe("nobody takes an organization over", () => {
  it.each([
    ["by its slug", (o: Organization) => ({ slug: o.slug })],
    ["by its slug in another case", (o: Organization) => ({ slug: o.slug.toUpperCase() })],
    ["by a slug that looks like it", (o: Organization) => ({ slug: o.slug.replaceAll("o", "0").replaceAll("l", "1") })],
    ["by its slug and name", (o: Organization) => ({ slug: o.slug, displayName: o.displayName })],
  ])("%s", async (_, body) => {
    const name = newName();
    const { organization } = await register({ ...PROFILE, displayName: name, slug: `solo-lab-${name.slice(-2)}` });
    const thief = await newWallet().siwe();
    const answer = await world.registerOrganization(thief, { displayName: "Thief", ...body(organization) });
    expect(answer).toMatchObject(refusal(409, "conflict"));
    expect(await read(organization.slug)).toEqual(organization);
  });

  it.each([["id"], ["wallet"], ["walletAddress"], ["owner"]])("by naming its %s", async (field) => {
    const { wallet, organization } = await register();
    const named = field === "id" ? organization.id : wallet.address;
    const thief = await newWallet().siwe();
    const answer = await world.registerOrganization(thief, { displayName: "Thief", [field]: named });
    expect(answer).toMatchObject({ status: 201, body: { ignored: [field] } });
    expect(principalOf(answer).id).not.toBe(organization.id);
    expect(await read(organization.id)).toEqual(organization);
  });

  it("by its name: that makes another organization", async () => {
    const { organization } = await register({ displayName: "Much Wanted", slug: "much-wanted" });
    const { organization: other } = await register({ displayName: "Much Wanted" });
    expect(other.id).not.toBe(organization.id);
    expect(await read("much-wanted")).toEqual(organization);
  });

  it("by its token: a token is claimed by who owns it, and buying it brings the token alone", async () => {
    const owner = newWallet();
    const thief = newWallet();
    const tokenId = await world.mint(owner);
    const { organization } = await register({ tokenId }, owner);
    expect(organization.tokenId).toBe(tokenId);
    const claim = async (by: AgentWallet, body: object) =>
      world.registerOrganization(by, { displayName: "Thief", ...body });
    expect((await claim(thief, { tokenId })).status).toBe(403);
    expect((await claim(thief, { tokenId: 999_999 })).status).toBe(404);
    await world.transfer(tokenId, owner, thief);
    expect(await read(organization.id)).toMatchObject({ tokenId: null });
    // With the token, with the token and the slug, and without either.
    expect((await claim(thief, { tokenId, slug: organization.slug })).status).toBe(409);
    const own = principalOf(await claim(thief, { tokenId }));
    expect(own.id).not.toBe(organization.id);
    expect((await claim(thief, { slug: organization.slug })).status).toBe(409);
    expect(await read(organization.id)).toMatchObject({ displayName: organization.displayName, tokenId: null });
    expect((await list(`search=${tokenId}`)).organizations.map(({ id }) => id)).toEqual([own.id]);
    // Registering again without the token keeps what is the owner's.
    const again = await world.registerOrganization(owner, { displayName: organization.displayName });
    expect(principalOf(again)).toMatchObject({ id: organization.id, tokenId: null });
  });

  it("by its slug once it is deleted: for 90 days only its former owner can have that again", async () => {
    const { wallet } = await register({ slug: "phoenix" });
    const remove = async () => world.removeHuman(wallet);
    expect((await remove()).status).toBe(200);
    const take = async (by: AgentWallet, slug = "phoenix") =>
      (await world.registerOrganization(by, { displayName: newName(), slug })).status;
    const thief = newWallet();
    expect([await take(thief), await take(thief, "PH0ENIX")]).toEqual([409, 409]);
    expect((await register({ displayName: "Phoenix" }, thief)).organization.slug).toMatch(/^phoenix-/);
    expect(await take(wallet)).toBe(201);
    await remove();
    await world.api.sql("update offchain.retired_slug set retired_at = now() - interval '91 days'");
    expect(await take(thief)).toBe(201);
  });
});

describe("members", () => {
  it("are wallets and token ids of agents, as the organization states them, and gain nothing by it", async () => {
    const agent = newWallet();
    const tokenId = await world.mint(agent, { score: 30 });
    const human = await world.registerHuman(agent, { name: "Member" });
    const cred = async () => (await world.api.get(`/api/v2/human/${agent.address}/cred`)).text;
    const before = await cred();
    const { organization } = await register({ members: [tokenId, agent.address.toLowerCase(), agent.address] });
    expect(organization.members).toEqual([tokenId, agent.address]);
    expect(await cred()).toBe(before);
    expect((await read(organization.id)).members).toEqual([tokenId, agent.address]);
    expect(principalOf(human)).toBeDefined();
  });

  it("that are no agents are named in the refusal", async () => {
    const tokenId = await world.mint(newWallet());
    const by = await newWallet().siwe();
    const answer = await world.registerOrganization(by, { displayName: "Odd", members: [tokenId, 888_888] });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: "members.1", message: "is no agent" }] } });
    expect((await list("search=Odd")).total).toBe(0);
  });
});

describe("reading", () => {
  it.each([
    "constructor",
    "__proto__",
    "toString",
    "42",
    "org_none",
    "%00",
    "%ED%A0%80x",
    `0x${"1".repeat(40)}`,
    "a b",
  ])("%s is nobody", async (ref) => {
    const { status } = await world.api.get(`/api/v2/org/${ref}`);
    expect([400, 404]).toContain(status);
  });

  it("by a wallet of several gives the one registered first", async () => {
    const { wallet, organization } = await register();
    await register({}, wallet);
    expect((await read(wallet.address)).id).toBe(organization.id);
  });

  it("lists by part of a name, beginning of a slug, and wallet, in pages", async () => {
    const ids: string[] = [];
    for (const name of ["Qx Zürich", "QX Zurich two", "qx third"])
      ids.push((await register({ displayName: name })).organization.id);
    expect(await list("search=QX%20zu")).toMatchObject({ total: 2, organizations: [{ id: ids[0] }, { id: ids[1] }] });
    expect(await list("search=qx-")).toMatchObject({ total: 3 });
    expect(await list("search=qx&limit=2&page=2")).toMatchObject({
      ...{ total: 3, page: 2, pages: 2, limit: 2, offset: 2, organizations: [{ id: ids[2] }] },
    });
    const { walletAddress } = await read(ids[1]!);
    expect((await list(`search=${String(walletAddress).slice(0, 10)}`)).organizations.map(({ id }) => id)).toEqual([
      ids[1],
    ]);
    for (const bad of ["limit=0", "page=x"])
      expect((await world.api.get(`/api/v2/organizations?${bad}`)).status).toBe(400);
    // `%` and `_` are letters, not patterns.
    expect([(await list("search=%25")).total, (await list("search=_")).total]).toEqual([0, 0]);
  });
});

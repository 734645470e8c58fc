/** POST /agent/{id}/human-update: one line of text, signed by the present owner, used once. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WRITE_FAULT_POINTS } from "../../api/services/writing.ts";
import type { Address } from "../../core/agents/facts.ts";
import { contentDigest, humanUpdateText } from "../../core/callers/signed-texts.ts";
import { forgetUsedTexts } from "../../db/callers/human-updates.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { words } from "../support/words.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, HOST, refusal } from "./support/api.ts";
import { lower, newWallet } from "./support/wallets.ts";

let fault = "";
const [owner, agentOwn, stranger] = [newWallet(), newWallet(), newWallet()];
const CONTRACT_WALLET = `0x${"c0".repeat(20)}` as Address;
const GOOD_FOR_CONTRACT = `0x${"c1".repeat(70)}`;
const chain = healthyChain();
const api = apiForFile(() => {
  chain.isDeployed = async (address) => address === CONTRACT_WALLET;
  chain.verifySignature = async ({ address, signature }) =>
    address === CONTRACT_WALLET && signature === GOOD_FOR_CONTRACT;
  return {
    chain,
    deps: {
      fault: (point) => {
        if (point === fault) throw new Error("killed");
      },
    },
  };
});
beforeEach(async () => {
  await api.sql(
    "truncate offchain.profile_field, offchain.human_update, offchain.cred, offchain.idempotency; truncate onchain.agent",
  );
  await plantAgents(api.pool, [
    { tokenId: 0, owner: lower(owner), agentAddress: lower(agentOwn) },
    { tokenId: 1, owner: lower(owner) },
  ]);
});
afterEach(() => {
  fault = "";
});

const text = (tokenId = 0, at = Date.now()) => humanUpdateText("Helixa", tokenId, at);
const signed = async (message = text(), by = owner) => ({
  message,
  signature: await by.account.signMessage({ message }),
});
const send = (body: unknown, { id = 0, headers = {} } = {}) =>
  api.write("POST", `/api/v2/agent/${id}/human-update`, body, headers);
const update = { narrative: { origin: "by its owner" } };
const agent = async () => await api.read<Record<string, never>>("/api/v2/agent/0");

describe("the owner", () => {
  it("changes personality, narrative and accounts with one signature, and no other credential", async () => {
    const { status, body, headers } = await send({
      ...(await signed()),
      personality: { humor: "dry" },
      narrative: { mission: "" },
      social: { twitter: "@jack_o", website: "https://example.org/me", github: "https://github.com/octo-cat" },
      services: { telegram: { handle: "@jack_o" } },
      skills: ["drafting"],
    });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(body).toEqual({
      success: true,
      tokenId: 0,
      updated: [
        ...words("personality.humor narrative.mission social.twitter social.website social.github services skills"),
      ],
      storage: "offchain",
    });
    expect((await agent()).socials).toEqual({
      twitter: "jack_o",
      x: "jack_o",
      website: "https://example.org/me",
      github: "octo-cat",
    });
    expect(await agent()).toMatchObject({ services: { telegram: { handle: "@jack_o" } }, skills: ["drafting"] });
    await send({ ...(await signed(text(0, Date.now() + 1))), social: { website: "", github: "octo-cat/hello" } });
    expect((await agent()).socials).toEqual({ twitter: "jack_o", x: "jack_o", github: "octo-cat/hello" });
    const rows = await api.sql("select verify, coinbase from offchain.cred");
    expect(rows).toEqual([{ verify: 0, coinbase: 0 }]);
  });

  it("may be a contract wallet", async () => {
    await api.sql("update onchain.agent set owner = $1 where token_id = 0", CONTRACT_WALLET);
    expect(await send({ message: text(), signature: GOOD_FOR_CONTRACT, ...update })).toMatchObject({ status: 200 });
    expect(await send({ message: text(), signature: `0x${"ee".repeat(70)}`, ...update })).toMatchObject({
      status: 401,
    });
    // While the chain is away nothing is decided.
    const asked = chain.verifySignature;
    chain.verifySignature = async () => {
      throw Object.assign(new (await import("../../core/errors.ts")).Failure("upstream_unavailable", "Away."));
    };
    expect(await send({ message: text(), signature: GOOD_FOR_CONTRACT, ...update })).toMatchObject({ status: 503 });
    chain.verifySignature = asked;
  });
});

describe("a text that binds what is changed, and where", () => {
  const change = { social: { twitter: "@jack_o" }, narrative: { lore: "Zoë", origin: "by its owner" } };
  const bound = (content: object, host = HOST) =>
    signed(humanUpdateText("Helixa", 0, Date.now(), { host, digest: contentDigest(content) }));

  it("is good for that change, in any order of its fields, and for no other", async () => {
    const credential = await bound(change);
    const refused = { status: 401, body: { code: "unauthenticated" } };
    expect(await send({ ...credential, ...change, skills: ["theft"] })).toMatchObject(refused);
    expect(await send({ ...credential, narrative: change.narrative })).toMatchObject(refused);
    expect(await send({ ...credential, ...change, social: { twitter: "jack_o" } })).toMatchObject(refused);
    const { narrative, social } = change;
    const turned = { narrative: { origin: narrative.origin, lore: narrative.lore }, ...credential, social };
    expect(await send(turned)).toMatchObject({ status: 200 });
    expect((await agent()).narrative).toMatchObject(narrative);
  });

  it("is good at this service's hosts alone", async () => {
    expect(await send({ ...(await bound(change, "elsewhere.example")), ...change })).toMatchObject({
      ...{ status: 401, body: { error: "The signed text is for another host.", hint: `Sign one for ${HOST}.` } },
    });
  });

  it("is written as GET /api/v2 says", async () => {
    const { auth } = await api.read<{ auth: { ownerUpdate: { message: string } } }>("/api/v2");
    const at = Date.now();
    const message = auth.ownerUpdate.message
      .replace("{tokenId}", "0")
      .replace("{timestamp}", String(at))
      .replace("{digest}", contentDigest(change));
    expect(await send({ ...(await signed(message)), ...change })).toMatchObject({ status: 200 });
  });
});

describe("is refused", () => {
  it.each([
    ["another wallet", () => signed(text(), stranger), 403],
    ["the agent's own wallet", () => signed(text(), agentOwn), 403],
    ["no signature at all", async () => ({ message: text(), signature: `0x${"11".repeat(65)}` }), 401],
    ["a text of six minutes ago", () => signed(text(0, Date.now() - 360_000)), 401],
    ["a text six minutes ahead", () => signed(text(0, Date.now() + 360_000)), 401],
    ["a text about another agent", () => signed(text(1)), 400],
    ["a text with more behind it", () => signed(`${text()} and more`), 400],
    ["a digest of three characters", () => signed(`${text()} on ${HOST} with content sha256:abc`), 400],
    ["a text with more before it", () => signed(`I agree. ${text()}`), 400],
    ["another service's text", () => signed(text().replace("Helixa", "Other")), 400],
    ["a SIWA text", () => signed(`Sign-In With Agent: ${HOST} wants you to sign in`), 400],
    ["seconds instead of milliseconds", () => signed(text().slice(0, -3)), 400],
    ["no message", async () => ({ signature: (await signed()).signature }), 400],
    ["no signature field", async () => ({ message: text() }), 400],
    ["a signature that is no hex", async () => ({ message: text(), signature: "0xzz" }), 400],
  ] as [string, () => Promise<object>, number][])("for %s", async (_, credential, status) => {
    expect((await send({ ...(await credential()), ...update })).status).toBe(status);
    expect(await api.sql("select * from offchain.profile_field")).toEqual([]);
  });

  it.each([
    ["nothing to update", {}],
    ["traits", { ...update, traits: [{ name: "x" }] }],
    ["a handle with spaces", { social: { twitter: "not a handle" } }],
    ["a profile elsewhere", { social: { github: "https://evil.example/octo" } }],
    ["a script for a website", { social: { website: "javascript:alert(1)" } }],
    ["a website with a password", { social: { website: "https://a:b@example.org" } }],
    ["an unknown account", { social: { mastodon: "x" } }],
  ])("for %s", async (_, body) => {
    expect(await send({ ...(await signed()), ...body })).toMatchObject({ status: 400 });
  });

  it("when there is no such agent, and when it was sold", async () => {
    expect(await send({ ...(await signed(text(9))), ...update }, { id: 9 })).toMatchObject({ status: 404 });
    const before = await signed();
    await api.sql("update onchain.agent set owner = $1 where token_id = 0", lower(stranger));
    expect(await send({ ...before, ...update })).toMatchObject({ status: 403 });
    expect(await send({ ...(await signed(text(), stranger)), ...update })).toMatchObject({ status: 200 });
  });
});

describe("a text", () => {
  it("is used once: the same request again is the same update, any other is refused", async () => {
    const credential = await signed();
    const first = await send({ ...credential, ...update });
    expect(first.status).toBe(200);
    await send({ ...(await signed(text(0, Date.now() + 5))), narrative: { origin: "later" } });
    expect(await send({ ...credential, ...update })).toMatchObject({ status: 200, text: first.text });
    expect((await agent()).narrative).toMatchObject({ origin: "later" });
    expect(await send({ ...credential, narrative: { origin: "replayed" } })).toMatchObject(
      refusal(401, "unauthenticated"),
    );
    // The twin of a signature (s in the upper half) is none.
    const s = BigInt(`0x${credential.signature.slice(66, 130)}`);
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const v = credential.signature.endsWith("1b") ? "1c" : "1b";
    const twin = `${credential.signature.slice(0, 66)}${(n - s).toString(16).padStart(64, "0")}${v}`;
    expect((await send({ ...credential, signature: twin, narrative: { origin: "twin" } })).status).toBe(401);
  });

  it("of 20 different requests at once lets one through", async () => {
    const credential = await signed();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send({ ...credential, narrative: { lore: `${n}` } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  });

  it.each(WRITE_FAULT_POINTS)("killed at %s: the retry gets its answer", async (point) => {
    const body = { ...(await signed()), ...update };
    const headers = { "idempotency-key": `human-${point}` };
    fault = point;
    expect((await send(body, { headers })).status).toBe(500);
    fault = "";
    expect(await send(body, { headers })).toMatchObject({ status: 200, body: { updated: ["narrative.origin"] } });
    expect((await agent()).narrative).toMatchObject({ origin: "by its owner" });
    api.errors.length = 0;
  });

  it("is forgotten when nobody would accept it any more", async () => {
    await send({ ...(await signed()), ...update });
    expect(await forgetUsedTexts(api.pool)).toBe(0);
    await api.sql("update offchain.human_update set used_at = now() - interval '25 hours'");
    expect(await forgetUsedTexts(api.pool)).toBe(1);
  });
});

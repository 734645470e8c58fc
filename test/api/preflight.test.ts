/** The verdict before a payment over HTTP: facts as they are stored, live terms, the signature, and what may be asked. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { recoverTypedDataAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import type { ForeignAnswer } from "../../clients/ports.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import { canonicalBytes } from "../../core/canonical-json.ts";
import { blankEntry } from "../../core/directory/entry.ts";
import type { PreflightFacts, PreflightInputs } from "../../core/preflight/facts.ts";
import { type Preflight, preflight } from "../../core/preflight/preflight.ts";
import type { PreflightView } from "../../core/preflight/view.ts";
import { usdcText } from "../../core/units-text.ts";
import { upsertEntries } from "../../db/directory/write.ts";
import { appendProbes, keepProbes } from "../../db/offers/probes.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { KEPT_ALIVE, LONG } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { KINDS, type KindName, planted } from "../core/preflight/world.ts";
import { plantPreflight } from "../support/preflight.ts";
import { apiForFile, refusal } from "./support/api.ts";

const KEY = `0x${"5".repeat(64)}` as const;
const NOW = Date.parse(planted("honest", 1).now);
let now = NOW;
/** Whether the two seconds of those that are asked now are over at once; else they last for ever. */
let isLate = false;
beforeEach(() => {
  now = NOW;
  isLate = false;
});
/** What hosts show now, by URL. */
const shown = new Map<string, unknown>();
/** URLs that were asked, and what an answer waits for. */
const asked: string[] = [];
let held: Promise<unknown> = Promise.resolve();
const stub = {
  async send({ url }: { url: string }): Promise<ForeignAnswer> {
    asked.push(url);
    await held;
    const accepts = shown.get(url);
    if (!accepts) return { kind: "failed", reason: "The server does not answer.", final: false };
    return { kind: "answered", status: 402, headers: {}, text: JSON.stringify({ x402Version: 2, accepts }), url };
  },
};
const real = openPublicHttp({ userAgent: "test", loopback: true, limits: { headersMs: LONG, totalMs: LONG } });
const overHttp = foreignEndpoints(real);
const api = apiForFile({
  env: { RECEIPT_SIGNER_PRIVATE_KEY: KEY },
  now: () => now,
  deps: {
    wait: () => (isLate ? Promise.resolve() : new Promise(() => {})),
    endpoints: { send: (one) => (one.url.includes("127.0.0.1") ? overHttp.send(one) : stub.send(one)) },
  },
});

const plant = (facts: PreflightFacts) => plantPreflight(api, facts);
/** The log of probes is empty here. */
const withoutLog = ({ facts, ...inputs }: PreflightInputs): PreflightInputs => ({
  ...inputs,
  facts: facts && { ...facts, endpoints: facts.endpoints.map((one) => ({ ...one, uptime: null })) },
});
const body = ({ asked, live }: PreflightInputs) => ({
  ...(asked.agent !== null && { agent: asked.agent }),
  ...(asked.url !== null && { url: asked.url }),
  ...(asked.amount !== null && { amount: usdcText(asked.amount) }),
  ...(asked.payTo !== null && { payTo: asked.payTo }),
  ...(asked.terms.length > 0 && { terms: asked.terms }),
  ...(live && { live: true }),
});
const ask = async (given: object) =>
  (await api.write("POST", "/api/v2/preflight", given)).body as unknown as PreflightView;
const keys = ({ reasons }: { reasons: { key: string }[] }) => reasons.map(({ key }) => key);
const recorded = ({ payload }: PreflightView) => JSON.parse(payload) as Preflight;

describe("endpoints as they are stored", () => {
  const cases = (Object.keys(KINDS) as KindName[]).flatMap((kind, i) =>
    [1, 2, 3].map((n) => [kind, 100 * i + n] as const),
  );
  it.each(cases)("%s %i has the verdict of its facts", async (kind, seed) => {
    const inputs = withoutLog(planted(kind, seed));
    const { facts, live } = inputs;
    if (facts) await plant(facts);
    for (const agent of facts?.others ?? [])
      await plant({ ...planted("honest", seed).facts!, ...{ agent, listed: [], income: null } });
    if (live?.terms) shown.set(inputs.asked.url!, live.terms);
    const found = await ask(body(inputs));
    const expected = preflight(inputs);
    expect(recorded(found).inputs.facts).toEqual(
      facts && { ...facts, listed: facts.endpoints.some((one) => one.confirmedBy) ? facts.listed : [] },
    );
    expect([found.verdict, found.maxAmount]).toEqual([expected.verdict, expected.maxAmount]);
    expect(Buffer.from(canonicalBytes(preflight(recorded(found).inputs))).toString()).toBe(found.payload);
  });
});

it("is signed by the key of receipts, over the payload and what money depends on", async () => {
  const inputs = planted("honest", 5_001);
  await plant(inputs.facts!);
  const { receipt, payload: _, reasons: __, policy, ...found } = await ask(body(inputs));
  const { signature, domain, types, primaryType, message } = receipt!;
  // biome-ignore lint/suspicious/noExplicitAny: viem's types follow from the types of the message.
  const signed = { domain, types, primaryType, message, signature } as any;
  expect(await recoverTypedDataAddress(signed)).toBe(privateKeyToAddress(KEY));
  expect(message).toMatchObject({
    verdict: found.verdict,
    payTo: found.payTo,
    maxAmount: found.maxAmount,
    policy: policy.hash,
  });
});

it("asks the endpoint itself, and what it does not say in two seconds is no terms", async () => {
  const server = createServer(KEPT_ALIVE, (_, response) => {
    if (_.url === "/slow") return;
    const accepts = planted("honest", 5_002).facts!.listed;
    response.writeHead(_.url === "/elsewhere" ? 302 : 402, { location: "http://localhost/paid" });
    response.end(JSON.stringify({ x402Version: 1, accepts }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const facts = planted("honest", 5_002).facts!;
  const at = (path: string) => ({ ...facts.endpoints[0]!, url: origin + path });
  await plant({ ...facts, endpoints: ["/paid", "/slow", "/elsewhere"].map(at) });
  expect((await ask({ url: `${origin}/paid`, live: true })).verdict).toBe("allow");
  expect(keys(await ask({ url: `${origin}/elsewhere`, live: true }))).toContain("live_failed");
  isLate = true;
  expect(keys(await ask({ url: `${origin}/slow`, live: true }))).toContain("live_failed");
  // Nobody is asked whom no agent names.
  const { inputs } = recorded(await ask({ url: `${origin}/other`, agent: facts.agent, live: true }));
  expect(inputs.live).toBeNull();
});

it("asks an endpoint once for all who ask for it at the same time, and again some seconds later", () =>
  api.atOne(async () => {
    const { facts } = planted("honest", 5_005);
    const { url } = facts!.endpoints[0]!;
    await plant(facts!);
    shown.set(url, facts!.listed);
    const answer = Promise.withResolvers<void>();
    held = answer.promise;
    // Others at the same URL: each is a verdict of its own.
    const all = Array.from({ length: 8 }, (_, i) => ask({ url, live: true, amount: `0.00000${i + 1}` }));
    await until("it is asked", async () => asked.includes(url));
    answer.resolve();
    for (const found of await Promise.all(all))
      expect(recorded(found).inputs.live?.terms).toHaveLength(facts!.listed.length);
    await ask({ url, live: true });
    expect(asked.filter((one) => one === url)).toHaveLength(1);
    now += 3_000;
    await ask({ url, live: true });
    expect(asked.filter((one) => one === url)).toHaveLength(2);
  }));

it("ages an agent by its wallet too: one that became its own a week ago is not held long", async () => {
  const { facts } = planted("honest", 5_006);
  await plant(facts!);
  const [platform, agentId] = facts!.agent.split("-") as ["erc8004", string];
  const entry = { ...blankEntry({ platform, agentId, name: "Planted" }), ownerAddress: facts!.owner, chainId: 8453 };
  const became = new Date(NOW - 7 * 86_400_000);
  const write = (address: string | null, at: Date) =>
    transaction(api.pool, (tx) =>
      upsertEntries(tx, [{ ...entry, address, walletProven: true, createdAt: facts!.heldSince }], {
        now: at,
        exchangeSchema: `0x${"f".repeat(64)}`,
      }),
    );
  const heldSince = async () =>
    recorded(await ask({ agent: facts!.agent, amount: "0.000001" })).inputs.facts!.heldSince;
  await write(facts!.wallet, became);
  expect(await heldSince()).toBe(facts!.heldSince);
  now += 5_001;
  await write(planted("honest", 5_007).facts!.wallet, became);
  expect(await heldSince()).toBe(became.toISOString());
  // Written again, it is the same one.
  now += 5_001;
  await write(planted("honest", 5_007).facts!.wallet, new Date(NOW));
  expect(await heldSince()).toBe(became.toISOString());
});

it("knows by the log of probes how steadily it answered", async () => {
  const inputs = planted("honest", 5_004);
  const { url } = inputs.facts!.endpoints[0]!;
  await plant(inputs.facts!);
  await keepProbes(api.pool, new Date(NOW));
  const probe = { kind: "x402", url, declared: "", found: "", ms: 1 } as const;
  await transaction(api.pool, async (tx) => {
    for (const [hours, answers] of [
      [40, true],
      [20, false],
      [10, true],
      [1, true],
    ] as const)
      await appendProbes(tx, [{ ...probe, status: answers ? 200 : 0, answers }], new Date(NOW - hours * 3_600_000));
  });
  const found = await ask(body(inputs));
  expect([found.verdict, keys(found)]).toEqual(["review", expect.arrayContaining(["unsteady", "alive"])]);
  expect(recorded(found).inputs.facts!.endpoints[0]!.uptime).toBe(0.75);
});

it("a caller's own thresholds are named, and have another policy", async () => {
  const inputs = planted("honest", 5_003);
  await plant(inputs.facts!);
  const [plain, own] = [await ask(body(inputs)), await ask({ ...body(inputs), thresholds: { minHeldDays: 3_000 } })];
  expect([plain.verdict, own.verdict, own.policy.callers]).toEqual(["allow", "review", ["minHeldDays"]]);
  expect(own.policy.hash).not.toBe(plain.policy.hash);
  expect(own.reasons.filter(({ threshold }) => threshold)).toMatchObject([
    { key: "held_shortly", threshold: "minHeldDays" },
  ]);
});

it("an unknown agent and an unknown URL are unrated, whoever would be paid", async () => {
  const wallet = planted("honest", 5_001).facts!.wallet;
  for (const asked of [{ agent: "erc8004-404" }, { url: "https://nobody.example/paid", payTo: wallet, amount: "0.01" }])
    expect(await ask(asked)).toMatchObject({ verdict: "unrated", maxAmount: "0", reasons: [{ key: "unknown" }] });
});

it.each<[string, object]>([
  ["nothing", {}],
  ["a looser threshold", { agent: "1", thresholds: { minPayers: 2 } }],
  ["an amount with seven decimals", { agent: "1", amount: "0.0000001" }],
  ["a URL of no web", { url: "file:///etc/passwd" }],
  ["a URL with a credential", { url: "https://a:b@c.example/" }],
  ["terms that cannot be read", { agent: "1", terms: [{ payTo: "0x1" }] }],
  ["a member that does not exist", { agent: "1", force: true }],
])("%s is refused", async (_, given) => {
  expect(await api.write("POST", "/api/v2/preflight", given)).toMatchObject(refusal(400, "invalid_input"));
});

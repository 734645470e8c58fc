/** What one agent offers, whom its terms pay, whether its endpoints answer, and who has its name or its endpoints. */
import { getAddress } from "viem/utils";
import { beforeAll, expect, it } from "vitest";
import { plantDirectory } from "../support/directory.ts";
import { plantDocuments, plantOffers } from "../support/discovery.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";
import { plantAttestation } from "./support/plants.ts";

const [WALLET, OWNER, STRANGER] = ["1", "b", "3"].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const AUDIT = "https://f.example/audit";
const accepts = (...payTo: string[]) =>
  payTo.map((one) => ({ scheme: "exact", network: "base", asset: STRANGER, amount: "40000", payTo: one }));

const api = apiForFile();
beforeAll(async () => {
  const ferrous = { name: "Ferrous", address: WALLET, owner_address: OWNER, x402_supported: true };
  await plantDirectory(api.pool, [
    { platform: "erc8004", agent_id: "68", ...ferrous, cred_score: 40, created_at: "2026-01-01T00:00:00Z" },
    { platform: "erc8004", agent_id: "70", name: "Ferrous", cred_score: 5, created_at: "2026-06-01T00:00:00Z" },
    {
      platform: "virtuals",
      agent_id: "F3",
      name: "F3RROUS",
      cred_score: 3,
      owner_address: OWNER,
      created_at: "2026-02-01T00:00:00Z",
    },
    { platform: "virtuals", agent_id: "B", name: "Borrowed", cred_score: 2, created_at: null },
    { platform: "virtuals", agent_id: "quiet", name: "Nobody Else", cred_score: 1 },
  ]);
  const rows = await api.sql("select id, agent_id from offchain.directory");
  const ids = Object.fromEntries(rows.map(({ id, agent_id }) => [agent_id, id]));
  await plantOffers(api.pool, [
    { directoryId: ids["68"]!, kind: "resource", name: "audit", endpoint: AUDIT, priceUsd: 0.04 },
    { directoryId: ids["68"]!, kind: "resource", name: "mine", endpoint: `${AUDIT}/2`, priceUsd: 0.04 },
    { directoryId: ids["68"]!, kind: "resource", name: "the owner's", endpoint: `${AUDIT}/3`, priceUsd: 0.04 },
    { directoryId: ids["68"]!, kind: "resource", name: "either", endpoint: `${AUDIT}/4`, priceUsd: 0.04 },
    { directoryId: ids["68"]!, kind: "tool", name: "free", endpoint: "https://f.example/mcp", priceUsd: null },
  ]);
  for (const [name, terms] of [
    ["audit", accepts(STRANGER)],
    ["mine", accepts(WALLET.toUpperCase().replace("0X", "0x"))],
    ["the owner's", accepts(OWNER)],
    ["either", accepts(WALLET, STRANGER)],
  ] as const)
    await api.sql("update offchain.offer set price = $2 where name = $1", name, JSON.stringify(terms));
  for (const agent of ["68", "B"])
    await api.sql(
      `insert into offchain.offer_source (directory_id, kind, url, host, trust, status, checked_at, answered_at, silent_since, next_try_at, why)
       values ($1, 'x402', $2, 'f.example', 0, 'unreachable', $3, '2026-11-01', '2026-11-20', now(), 'The server does not answer.')`,
      ids[agent],
      AUDIT,
      "2026-11-21",
    );
  await plantDocuments(api.pool);
});

const offersOf = async (ref: string, platform = "erc8004") =>
  await api.read<Offering>(`/api/terminal/agent/${ref}/offers?platform=${platform}`);
type Offering = {
  behind: object;
  trust: number;
  factors: { key: string; says: string }[];
  offers: { name: string; receiver: string | null; named: boolean; accepts: unknown }[];
  offerCount: number;
  speaks: string[];
  liveness: { says: string };
  endpoints: object[];
  sameName: { count: number; agents: object[] };
  sameEndpoint: { count: number; agents: object[] };
};

it("says whom the terms of each offer pay", async () => {
  const { offers, offerCount, speaks } = await offersOf("68");
  expect(Object.fromEntries(offers.map(({ name, receiver }) => [name, receiver]))).toEqual({
    ...{ audit: "other", mine: "agent", "the owner's": "owner", either: null, free: null },
  });
  expect([offerCount, speaks]).toEqual([5, ["MCP", "x402"]]);
  expect(new Set(offers.map(({ named }) => named))).toEqual(new Set([false]));
  expect(offers.find(({ name }) => name === "audit")!.accepts).toEqual(accepts(STRANGER));
});

it("says what it is trusted by, and when each of its endpoints answered last", async () => {
  const { trust, factors, liveness, endpoints } = await offersOf("68");
  expect(trust).toBeGreaterThan(0);
  expect(factors.map(({ key }) => key)).toEqual(["cred", "proofs", "liveness", "feedback", "age", "text"]);
  expect(liveness.says).toMatch(/silent/);
  expect(endpoints).toEqual([
    {
      ...{ kind: "x402", url: AUDIT, status: "unreachable", why: "The server does not answer." },
      answeredAt: "2026-11-01T00:00:00.000Z",
      silentSince: "2026-11-20T00:00:00.000Z",
      checkedAt: "2026-11-21T00:00:00.000Z",
      ...{ named: true, confirmedBy: null },
      ...{ isSigned: false, uptime: null },
    },
  ]);
});

it("names who has its name in any spelling, and who names its endpoints, the oldest first", async () => {
  const { sameName, sameEndpoint } = await offersOf("70");
  expect(sameName).toMatchObject({
    count: 2,
    agents: [
      { agentId: "68", name: "Ferrous", registeredAt: "2026-01-01T00:00:00.000Z", credScore: 40, sameOwner: false },
      { agentId: "F3", name: "F3RROUS" },
    ],
  });
  expect(sameEndpoint).toEqual({ count: 0, agents: [] });
  const ferrous = await offersOf("68");
  expect(ferrous.sameName.agents).toMatchObject([
    { agentId: "F3", sameOwner: true },
    { agentId: "70", sameOwner: false },
  ]);
  expect(ferrous.sameEndpoint).toMatchObject({ count: 1, agents: [{ agentId: "B", registeredAt: null }] });
});

it("names the owner, and who signs in by the owner's wallet", async () => {
  const owner = getAddress(OWNER);
  const nobody = { ownerSince: "2026-01-01T00:00:00.000Z", attested: null, human: null, organization: null };
  expect((await offersOf("68")).behind).toEqual({ owner, ...nobody });
  expect((await offersOf("70")).behind).toEqual({ ...nobody, owner: null, ownerSince: null });
  expect((await offersOf("F3", "virtuals")).behind).toMatchObject({ owner, ownerSince: null });
  await api.sql(
    `insert into offchain.human (id, principal, wallet, name, description, organization, skills, domains, linked_accounts,
       services, contact, created_at, updated_at)
     values ('hum_1', $1, $1, 'Inês Carvalho', '', '', '{}', '{}', '{}', '{}', '{}', now(), now())`,
    OWNER,
  );
  expect((await offersOf("68")).behind).toEqual({ ...nobody, owner, human: { id: "hum_1", name: "Inês Carvalho" } });
});

it("says of a token of the canonical registry when its present owner got it", async () => {
  await api.sql("update offchain.directory set registry = '0x8004', token_id = 68 where agent_id = '68'");
  await api.sql(
    `insert into onchain.transfer (id, contract, token_id, "from", "to", transferred_at, block, tx_hash)
     values ('t', '0x8004', 68, $1, $2, 1790000000, 1, '0x')`,
    STRANGER,
    OWNER,
  );
  expect((await offersOf("68")).behind).toMatchObject({ ownerSince: "2026-09-21T14:13:20.000Z" });
});

it("knows since when its owner has it, and of an attestation not claimed yet", async () => {
  await plantAgents(api.pool, [{ tokenId: 7, owner: OWNER as `0x${string}`, name: "Own" }]);
  await plantDirectory(api.pool, [
    { platform: "helixa", agent_id: "7", token_id: 7, name: "Own", cred_score: 30, owner_address: OWNER },
  ]);
  const behind = async () => (await offersOf("7", "helixa")).behind as { ownerSince: string; attested: boolean };
  const advised = async () => {
    const { body } = await api.get("/api/v2/agent/7/cred/advice");
    return (body.steps as never as { signal: string; action: string }[]).find(({ signal }) => signal === "coinbase")!
      .action;
  };
  expect(await advised()).toMatch(/^Let the exchange attest/);
  const [{ at }] = await api.sql("select to_timestamp(minted_at) as at from onchain.agent where token_id = 7");
  expect(await behind()).toMatchObject({ owner: getAddress(OWNER), ownerSince: at.toISOString(), attested: false });
  await plantAttestation(api.pool, OWNER, { attester: STRANGER, block: 1_000 });
  expect(await behind()).toMatchObject({ attested: true });
  expect(await advised()).toMatch(/^Claim the exchange's attestation/);
});

it("is empty for an agent that offers nothing, and 404 for one that nobody knows", async () => {
  expect(await offersOf("quiet", "virtuals")).toMatchObject({
    ...{ offers: [], offerCount: 0, liveness: null, endpoints: [] },
    ...{ sameName: { count: 0, agents: [] }, sameEndpoint: { count: 0, agents: [] } },
  });
  expect((await api.get("/api/terminal/agent/nobody-at-all/offers")).status).toBe(404);
});

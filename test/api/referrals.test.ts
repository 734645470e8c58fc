/** Referral codes and V1 wallets in the API. */
import { getAddress } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, refusal } from "./support/api.ts";
import { plantAward } from "./support/plants.ts";
import { expectValidated } from "./support/walks.ts";

const [bendr, quigbot] = OG_WALLETS as [(typeof OG_WALLETS)[0], (typeof OG_WALLETS)[0]];

const api = apiForFile({ env: { WEB_URL: "https://web.test/" } });
beforeAll(async () => {
  await plantAgents(api.pool, [{ name: "Zero" }, {}, {}, { name: "Ünïcode!! Agent" }]);
  await plantAgents(api.pool, [{ tokenId: 7, name: "Veteran", agentAddress: bendr.wallet }]);
  await api.sql(`
    insert into offchain.referral_code (token_id, code) values (0, 'zero-0a1b'), (7, 'veteran-0000');
    insert into offchain.referral (token_id, referrer_token_id, code) values (1, 0, 'zero-0a1b'), (2, 0, 'zero-0a1b')`);
  await plantAward(api.pool, 0, BONUSES.referrer.reason, { amount: 50n });
});

describe("/agent/{id}/referral", () => {
  it("is the agent's code, its link and what it has brought", async () => {
    expect(await api.get("/api/v2/agent/0/referral")).toMatchObject({
      status: 200,
      body: {
        tokenId: 0,
        code: "zero-0a1b",
        link: "https://web.test/mint?ref=zero-0a1b",
        referrer: "Zero",
        isOG: false,
        stats: { totalReferrals: 2, pointsEarned: 50 },
      },
    });
    expect((await api.get("/api/v2/agent/7/referral")).body).toMatchObject({ isOG: true, referrer: "Veteran" });
  });

  it("is there before the worker came by, and stays the same", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.get("/api/v2/agent/3/referral")));
    const [code] = new Set(answers.map(({ body }) => (body as { code?: string }).code));
    expect(code).toMatch(/^n-code-agent-[a-z0-9]{4}$/);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await api.get(`/api/v2/referral/${code}`)).status).toBe(200);
  });

  it("is 404 for unknown agents and 400 for what names no agent", async () => {
    expect(await api.get("/api/v2/agent/999/referral")).toMatchObject(refusal(404, "not_found"));
    for (const id of ["x", "-1", "0x10"]) expect((await api.get(`/api/v2/agent/${id}/referral`)).status).toBe(400);
  });
});

describe("/agent/{id}/referrals", () => {
  type Referred = { agents: { tokenId: number }[]; nextBefore: number | null };
  const page = async (query: string) => await api.read<Referred>(`/api/v2/agent/0/referrals${query}`);

  it("lists who came by the code, the newest first, page by page", async () => {
    expect(await page("")).toMatchObject({
      ...{ tokenId: 0, total: 2, limit: 20, nextBefore: null },
      agents: [{ tokenId: 2 }, { tokenId: 1 }],
    });
    expect(await page("?limit=1")).toMatchObject({ total: 2, agents: [{ tokenId: 2 }], nextBefore: 2 });
    expect(await page("?limit=1&before=2")).toMatchObject({ agents: [{ tokenId: 1 }], nextBefore: null });
    expect(await page("?before=1")).toMatchObject({ total: 2, agents: [], nextBefore: null });
  });

  it("is empty for an agent without any, and 404 without the agent", async () => {
    expect((await api.get("/api/v2/agent/7/referrals")).body).toMatchObject({ total: 0, agents: [] });
    expect((await api.get("/api/v2/agent/999/referrals")).status).toBe(404);
  });
});

describe("/referral/{code}", () => {
  it.each(["zero-0a1b", "ZERO-0A1B", "Zero-0a1B", "%20zero-0a1b%20"])("knows %s, in any case", async (code) => {
    expect((await api.get(`/api/v2/referral/${code}`)).body).toEqual({
      valid: true,
      code: "zero-0a1b",
      referrer: "Zero",
      bonusPoints: 25,
      isOG: false,
      stats: { totalReferrals: 2, pointsEarned: 50 },
    });
  });

  it("knows the codes of V1 wallets, with and without an agent", async () => {
    expect((await api.get(`/api/v2/referral/${bendr.code}`)).body).toMatchObject({
      ...{ valid: true, code: bendr.code, referrer: "Veteran", isOG: true },
    });
    expect((await api.get(`/api/v2/referral/${quigbot.code.toUpperCase()}`)).body).toMatchObject({
      ...{ valid: true, code: quigbot.code, referrer: quigbot.v1Name, isOG: true },
      stats: { totalReferrals: 0, pointsEarned: 0 },
    });
  });

  it.each(["nobody-0000", "..", "a%2Fb", "%F0%9F%A4%96", "x".repeat(500), "' or 1=1--", "%E2%84%AAero-0a1b"])(
    "%s is 404 and not valid",
    async (code) => {
      const answer = await api.get(`/api/v2/referral/${code === ".." ? "%2e%2e%2f" : code}`);
      expect(answer).toMatchObject(refusal(404, "not_found", { valid: false }));
    },
  );
});

describe("/og/{address}", () => {
  it.each([bendr.wallet, getAddress(bendr.wallet), `0x${bendr.wallet.slice(2).toUpperCase()}`])(
    "knows %s",
    async (address) => {
      expect((await api.get(`/api/v2/og/${address}`)).body).toEqual({
        isOG: true,
        address: getAddress(bendr.wallet),
        v1Name: "Bendr 2.0",
        referralCode: "bendr",
        referralLink: "https://web.test/mint?ref=bendr",
        benefits: { freeMint: true, bonusPoints: 200, ogTrait: true },
      });
    },
  );

  it("says of anybody else that he is none", async () => {
    const address = "0x00000000000000000000000000000000000000ab";
    expect((await api.get(`/api/v2/og/${address}`)).body).toEqual({ isOG: false, address: getAddress(address) });
  });

  it.each(["0x10", "bendr", "0", `${bendr.wallet}0`])("refuses %s", async (address) => {
    expect(await api.get(`/api/v2/og/${address}`)).toMatchObject(refusal(400, "invalid_input"));
  });
});

it.each(["/api/v2/agent/0/referral", "/api/v2/referral/zero-0a1b", `/api/v2/og/${bendr.wallet}`])(
  "%s answers HEAD without a body and 304 to who has it",
  (path) => expectValidated(api, path),
);

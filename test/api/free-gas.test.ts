/** Gas that the service pays for writes that cost nothing: its bounds for an agent, an owner and the day, under attack. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, refusal } from "./support/api.ts";
import { plantProof, plantTransfer } from "./support/plants.ts";
import { decide, intentsIn } from "./support/play-sender.ts";
import { lower, newWallet } from "./support/wallets.ts";

const [owner, own, victim] = [newWallet(), newWallet(), newWallet()];
const AGENTS = 12;

const api = apiForFile();
beforeEach(async () => {
  await api.sql(`truncate offchain.transaction_outbox, offchain.transaction_attempt, offchain.chain_write, offchain.proof,
       offchain.mint, offchain.sender_state, offchain.cred, offchain.cred_history cascade;
     truncate onchain.agent; truncate onchain.transfer`);
  await plantAgents(
    api.pool,
    Array.from({ length: AGENTS }, (_, tokenId) => ({ tokenId, owner: lower(owner), agentAddress: lower(own) })),
  );
});

const write = async (tokenId: number, lore: string, { by = owner } = {}) =>
  api.impatiently(() => api.postAs(by, `/api/v2/agent/${tokenId}/update?onchain=true`, { narrative: { lore } }));
const counted = async (column: "free_for" | "free_token", value: unknown): Promise<number> => {
  const rows = await api.sql(
    `select coalesce(sum(coalesce(gas_used, gas_bound)), 0)::int as gas from offchain.transaction_outbox where ${column} = $1`,
    value,
  );
  return rows[0].gas;
};
/** Decides everything that is queued: mined, having used this part of its bound. */
async function mine(part = 1): Promise<void> {
  for (const { key } of await intentsIn(api.pool, "queued")) {
    await decide(api.pool, key, { block: 5_000_000 });
    await api.sql`update offchain.transaction_outbox set gas_used = trunc(gas_bound * ${part}::float8)
      where intent_key = ${key}`;
  }
}
/** A text of 1,024 ASCII letters: 1.2 M gas at most. */
const long = (n: number) => String(n).padEnd(1_024, "x");
const accepted = (answers: { status: number }[]) => answers.filter(({ status }) => status === 202).length;
const refusedAs = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))].sort();

describe("texts", () => {
  it("have at most 2,048 bytes on chain, in whatever letters; off chain their length counts", async () => {
    const emoji = "\u{1F980}";
    const refused = await write(0, emoji.repeat(1_024));
    expect(refused).toMatchObject(refusal(400, "invalid_input", { details: [{ path: "narrative.lore" }] }));
    expect((await write(0, emoji.repeat(512))).status).toBe(202);
    expect((await write(1, "я".repeat(1_024))).status).toBe(202);
    expect(await intentsIn(api.pool, "queued")).toHaveLength(2);
    const offchain = await api.postAs(owner, "/api/v2/agent/2/update", { narrative: { lore: emoji.repeat(1_024) } });
    expect(offchain.status).toBe(200);
  });

  it("a personality counts as a whole", async () => {
    const body = { personality: { quirks: "\u{1F980}".repeat(256), humor: "\u{1F980}".repeat(255), values: "abcde" } };
    const put = async (values: string) =>
      api.impatiently(async () =>
        api.write(
          "PUT",
          "/api/v2/agent/0/personality?onchain=true",
          { personality: { ...body.personality, values } },
          { authorization: await owner.siwa() },
        ),
      );
    expect((await put("abcde")).status).toBe(400);
    expect((await put("abcd")).status).toBe(202);
  });
});

describe("gas of a day", () => {
  it("of one agent is not exceeded by parallel writes, and unused gas comes back", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => write(0, long(n))));
    expect(refusedAs(answers)).toEqual([202, 429]);
    expect(await counted("free_token", 0)).toBeLessThanOrEqual(6_000_000);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: "rate_limited", hint: expect.stringMatching(/owner's wallet/) });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    // It used less than it might have: the rest is there for others.
    await mine(0.5);
    expect((await write(0, "more")).status).toBe(202);
  });

  it("ends with the day", async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => write(0, long(n))));
    await mine();
    expect((await write(0, long(20))).status).toBe(429);
    await api.sql("update offchain.transaction_outbox set free_at = free_at - interval '1 day'");
    expect((await write(0, long(20))).status).toBe(202);
  });

  it("of one owner: many agents have no more than one share of theirs", async () => {
    const all = Array.from({ length: AGENTS * 4 }, (_, n) => write(n % AGENTS, long(n)));
    const answers = await Promise.all(all);
    expect(refusedAs(answers)).toEqual([202, 429]);
    expect(await counted("free_for", lower(owner))).toBeLessThanOrEqual(12_000_000);
    expect(accepted(answers)).toBeGreaterThan(8);
  });

  it("an agent given to a victim does not use up the victim's gas", async () => {
    await plantAgents(api.pool, [
      { tokenId: 20, owner: lower(victim), agentAddress: lower(own) },
      { tokenId: 21, owner: lower(victim), agentAddress: lower(victim) },
    ]);
    await plantTransfer(api.pool, 20, [lower(own), lower(victim)], 5, { block: 5 });
    await Promise.all(Array.from({ length: 8 }, (_, n) => write(20, long(n), { by: own })));
    expect(await counted("free_for", lower(victim))).toBe(0);
    expect((await write(21, long(1), { by: victim })).status).toBe(202);
    expect(await counted("free_for", lower(victim))).toBeGreaterThan(0);
  });

  it("a failed write counts as little, not as nothing", async () => {
    expect((await write(0, "refused by the chain")).status).toBe(202);
    const [queued] = await intentsIn(api.pool, "queued");
    await decide(api.pool, queued!.key, { failed: "the agent changed hands" });
    const { body } = await api.get("/api/v2/agent/0/profile");
    expect(body).toMatchObject({ cost: { gasLeft: 6_000_000 - 21_000, gasMax: 6_000_000 } });
  });
});

describe("shares of the day's budget", () => {
  const GWEI = 10n ** 9n;
  /** A budget of 0.05 ETH of which free writes have used so much, at 0.02 gwei. */
  const spent = (freeMilli: number, newcomersMilli: number) =>
    api.pool.query(
      `insert into offchain.sender_state (one, address, balance_wei, funded, checked_at, budget_wei, free_wei, newcomers_wei, fee_wei)
       values (true, '0x00', 1, true, now(), 50 * 10::numeric ^ 15, $1::numeric * 10::numeric ^ 15, $2::numeric * 10::numeric ^ 15, $3)
       on conflict (one) do update set free_wei = excluded.free_wei, newcomers_wei = excluded.newcomers_wei`,
      [freeMilli, newcomersMilli, String(GWEI / 50n)],
    );
  const prove = (tokenId: number) => plantProof(api.pool, tokenId, "github");
  /** A registration through the service, before free transactions were told from others. */
  const register = async (tokenId: number) => {
    const mint_id = randomUUID();
    await api.plant("mint", { mint_id, wallet: `w${tokenId}`, token_id: tokenId });
    await api.sql`insert into offchain.transaction_outbox (intent_key, to_address, data, state)
      values (${`mint:${mint_id}`}, '0x', '0x', 'mined')`;
    return `mint:${mint_id}`;
  };
  const registerPaid = async (tokenId: number) =>
    api.plant("payment", { state: "fulfilled", payer: "0x1", amount_units: 1, bought: await register(tokenId) });

  it("newcomers end their own share only: agents that were paid for or proven still write", async () => {
    await prove(1);
    await registerPaid(2);
    await register(3);
    await spent(12.499, 12.499);
    expect(await write(0, "a newcomer")).toMatchObject(refusal(503, "out_of_funds"));
    expect(await write(3, "registered for nothing")).toMatchObject(refusal(503, "out_of_funds"));
    expect((await write(1, "proven")).status).toBe(202);
    expect((await write(2, "paid for")).status).toBe(202);
  });

  it("known accounts end the share of free writes, and then wait too", async () => {
    await prove(1);
    await spent(25, 0);
    expect(await write(1, "proven")).toMatchObject(answering(503, { error: expect.stringMatching(/free trans/) }));
  });

  it("writes that wait for their signature count, so that no more are accepted than fit", async () => {
    await spent(24.9, 0);
    const owners = Array.from({ length: AGENTS }, () => newWallet());
    const planted = owners.map((wallet, n) => ({ tokenId: 30 + n, owner: lower(wallet), agentAddress: lower(wallet) }));
    await plantAgents(api.pool, planted);
    for (const { tokenId } of planted) await prove(tokenId);
    const answers = await Promise.all(owners.map((by, n) => write(30 + n, long(n), { by })));
    expect(refusedAs(answers)).toEqual([202, 503]);
    // 0.1 milliether at 0.02 gwei are 5 M gas.
    const rows = await api.sql("select sum(gas_bound)::int as gas from offchain.transaction_outbox");
    expect(rows[0].gas).toBeLessThanOrEqual(5_000_000);
    expect(accepted(answers)).toBe(4);
  });

  it("keeps the second half of a share for accounts that wrote little", async () => {
    await spent(0, 0);
    expect((await write(0, long(1))).status).toBe(202);
    expect((await write(0, long(2))).status).toBe(202);
    await spent(7, 7);
    expect((await write(0, "short")).status).toBe(429);
    expect((await write(1, "the same owner's other agent")).status).toBe(202);
  });
});

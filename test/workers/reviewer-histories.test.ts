/** Histories of reviewers: read from the state of past blocks by few requests, unknown where nobody can know, and part of the figures once they are stored. */
import { createWalletClient, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { dueHistories, storeHistory } from "../../db/reviews/reviewer-histories.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { plantRows } from "../../harness/onchain.ts";
import { stubChain } from "../../harness/stub-chain.ts";
import { JOBS } from "../../workers/jobs.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { readHistory, reviewerHistories } from "../../workers/reviews/reviewer-histories.ts";
import { testDatabase } from "../support/database.ts";
import { ERC8004, feedbackRow, registeredRow } from "../support/reviewed.ts";
import { endedPerTest, perTest } from "../support/started.ts";

const HEAD = 30_000_000;
type Four = [Address, Address, Address, Address];
const [ALICE, FUNDER, HUB, ORIGIN] = ["a1", "f1", "e1", "b1"].map((byte): Address => `0x${byte.repeat(20)}`) as Four;
const lower = (address: string) => address.toLowerCase() as Address;
const timeOf = (block: number) => 1_700_000_000 + 2 * block;

type Past = { from: Address; to: Address; block: number; wei: bigint };
/** A chain on which transfers happened, and accounts sent transactions in blocks. */
type Given = { transfers?: Past[]; sent?: Record<Address, number[]>; code?: `0x${string}` };
function chainOf({ transfers = [], sent = {}, code = "0x" }: Given) {
  let requests = 0;
  const counted =
    <A extends unknown[], R>(answer: (...args: A) => R) =>
    async (...args: A): Promise<R> => {
      requests += 1;
      return answer(...args);
    };
  const nonceAt = (address: Address, block: number) => (sent[address] ?? []).filter((at) => at <= block).length;
  const chain = stubChain({
    headBlock: counted(() => HEAD),
    code: counted(() => code),
    block: counted((number) => ({ number: Number(number), timestamp: timeOf(Number(number)) }) as never),
    nonce: counted((address, at) => nonceAt(address, at as number)),
    // All that came in, less all of it once something was sent.
    balance: counted((address, at) => {
      const came = transfers.filter(({ to, block }) => to === address && block <= (at as number));
      return nonceAt(address, at as number) > 0 ? 0n : came.reduce((sum, { wei }) => sum + wei, 0n);
    }),
    transactionsIn: counted((block) =>
      transfers
        .filter((one) => one.block === block && one.from !== HUB)
        .map(({ from, to, wei }) => ({ hash: "0x" as const, from, to, nonce: 0, valueWei: wei })),
    ),
  });
  return { chain, requests: () => requests };
}
const funded = (from: Address) => [{ from, to: ALICE, block: 12_345_678, wei: 5n }];

describe("the history of an account", () => {
  it("has when it was first seen and last sent something, and whose money it began with, by few requests", async () => {
    const sent = { [ALICE]: [12_400_000, 12_400_000, 20_000_001, HEAD], [FUNDER]: [1, 2, 12_345_678] };
    const { chain, requests } = chainOf({ transfers: funded(FUNDER), sent });
    expect(await readHistory(chain, ALICE, HEAD)).toEqual({
      ...{ firstAt: timeOf(12_345_678), sent: 3, previousAt: timeOf(20_000_001) },
      ...{ funder: { address: FUNDER, sent: 3 }, origin: null },
    });
    expect(requests()).toBeLessThan(190);
  });

  it("is not known of a contract, nor of an account that had nothing of its own", async () => {
    const unknown = { firstAt: null, sent: null, previousAt: null, funder: null, origin: null };
    expect(await readHistory(chainOf({ transfers: funded(FUNDER), code: "0x60" }).chain, ALICE, HEAD)).toEqual(unknown);
    expect(await readHistory(chainOf({}).chain, ALICE, HEAD)).toEqual(unknown);
    expect(await readHistory(chainOf({ transfers: funded(FUNDER) }).chain, ALICE, 12_345_678)).toEqual(unknown);
    expect(await readHistory(chainOf({}).chain, ALICE, 0)).toEqual(unknown);
  });

  it("has no funder where other money had come before it first sent something", async () => {
    const dust = { from: HUB, to: ALICE, block: 12_300_000, wei: 1n };
    const own = { from: FUNDER, to: ALICE, block: 12_345_678, wei: 5n };
    for (const sent of [[], [12_400_000]]) {
      const transfers = [
        { ...dust, from: FUNDER },
        { ...own, from: HUB },
      ];
      const { chain } = chainOf({ transfers, sent: { [ALICE]: sent } });
      expect(await readHistory(chain, ALICE, HEAD)).toMatchObject({ firstAt: timeOf(12_300_000), funder: null });
    }
    const { chain } = chainOf({ transfers: [own, { ...dust, block: 12_500_000 }], sent: { [ALICE]: [12_400_000] } });
    expect((await readHistory(chain, ALICE, HEAD)).funder).toEqual({ address: FUNDER, sent: 0 });
  });

  it("has who gave its funder its first money, unless that serves the public", async () => {
    const transfers = [{ from: ORIGIN, to: FUNDER, block: 11_000_000, wei: 9n }, ...funded(FUNDER)];
    const { chain } = chainOf({ transfers, sent: { [FUNDER]: [12_345_678], [ORIGIN]: [1, 2] } });
    const origin = { address: ORIGIN, sent: 2 };
    expect(await readHistory(chain, ALICE, HEAD)).toMatchObject({ funder: { address: FUNDER, sent: 1 }, origin });
    const nonce = async (address: Address, at: number | "latest" | "pending") =>
      address === FUNDER ? 2_000_000 : chain.nonce(address, at);
    const used = await readHistory({ ...chain, nonce }, ALICE, HEAD);
    expect(used).toMatchObject({ funder: { sent: 2_000_000 }, origin: null });
  });

  it("has no funder where a contract passed the money on, and is that of a key with delegated code", async () => {
    const { chain } = chainOf({ transfers: funded(HUB), code: `0xef0100${"1".repeat(40)}` });
    expect(await readHistory(chain, ALICE, HEAD)).toEqual({
      ...{ firstAt: timeOf(12_345_678), sent: 0, previousAt: null, funder: null, origin: null },
    });
  });
});

const ended = endedPerTest();
it("is read from a real node", async () => {
  const anvil = ended(await startAnvil());
  const evm = testChain(anvil.url);
  const chain = chainAt(anvil.url, await evm.getChainId());
  const funder = privateKeyToAccount(`0x${"5e".repeat(32)}`);
  const reviewer = privateKeyToAccount(`0x${"5f".repeat(32)}`);
  const pays = async (account: typeof funder, to: Address, ether: string) => {
    const client = createWalletClient({ account, transport: http(anvil.url) });
    const hash = await client.sendTransaction({ chain: null, to, value: parseEther(ether) });
    return (await evm.waitForTransactionReceipt({ hash })).blockNumber;
  };
  await evm.setBalance({ address: funder.address, value: parseEther("10") });
  const first = await pays(funder, lower(reviewer.address), "1");
  const last = await pays(reviewer, FUNDER, "0.5");
  await evm.mine({ blocks: 3 });
  const at = async (blockNumber: bigint) => Number((await evm.getBlock({ blockNumber })).timestamp);
  expect(await readHistory(chain, lower(reviewer.address), Number(last) + 1)).toEqual({
    ...{ firstAt: await at(first), sent: 1, previousAt: await at(last), origin: null },
    funder: { address: lower(funder.address), sent: 1 },
  });
});

describe("the job", () => {
  const SCHEMA = `0x${"f".repeat(64)}`;
  const NOW = new Date((timeOf(HEAD) + 86_400) * 1_000);
  const db = perTest(() => testDatabase({ indexed: true }));
  let now = NOW;
  let perDay = 500;
  beforeEach(async () => {
    now = NOW;
    perDay = 500;
    await plantRows(db.pool, "erc8004Agent", [registeredRow(31, FUNDER, { feedbackCount: 1 })]);
    await plantRows(db.pool, "erc8004Feedback", [
      feedbackRow(31, ALICE, { tag1: "", givenAt: timeOf(HEAD), block: HEAD }),
    ]);
    await recompute();
  });

  const context = (over: object) => {
    const config = { attestationSchemas: [SCHEMA], reviewerHistoriesPerDay: perDay };
    const by = { db: db.pool, clock: () => now, log: { info() {} } };
    return { ...by, config: { ...config, service: { publicUrl: "https://agents.test" } }, ...over } as never;
  };
  const recompute = () => reviewStats.run(context({}), {});
  const run = (chain: object) => reviewerHistories.run(context({ chain }), {});
  const nothing = async () => (await db.rows("select nothing from offchain.review_weight"))[0].nothing;

  it("of throwaway reviewers wait for each other: persons are read first, and every agent in its turn", async () => {
    const reviewer = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
    const plantReview = async (agentId: bigint, client: string, age: number) => {
      const given = { tag1: "", givenAt: timeOf(HEAD) - age, block: HEAD };
      await plantRows(db.pool, "erc8004Feedback", [feedbackRow(agentId, client, given)]);
      await db.pool.query(
        `insert into offchain.review_weight (registry, agent_id, client, rank, standing, share, entries)
         values ($1, $2, $3, 1, 'none', 0, 1)`,
        [ERC8004, String(agentId), client],
      );
    };
    await db.pool.query("delete from offchain.review_weight");
    // Sixty throwaway accounts of one agent, with low addresses and older reviews than all others.
    for (let n = 1; n <= 60; n++) await plantReview(40n, reviewer(n), 1_000 - n);
    for (let n = 0; n < 3; n++) await plantReview(50n, reviewer(1_000 + n), 100 - n);
    await plantReview(60n, reviewer(2_000), 50);
    await plantReview(70n, reviewer(3_000), 10);
    await db.pool.query("update offchain.review_weight set rank = 0 where client = $1", [reviewer(3_000)]);
    const before = timeOf(HEAD) + 1;
    const due = async (limit: number) =>
      (await dueHistories(db.pool, { now, before, limit })).map(({ client }) => client);
    expect(await due(5)).toEqual([3_000, 1, 1_000, 2_000, 2].map(reviewer));
    // An agent that was read for waits for those that were not.
    for (const n of [1, 2]) await storeHistory(db.pool, reviewer(n) as never, null, null);
    expect(await due(5)).toEqual([3_000, 1_000, 2_000, 1_001, 3].map(reviewer));
    expect(await due(100)).toHaveLength(63);
    // What may still be taken back takes no place of others.
    expect(await dueHistories(db.pool, { now, before: timeOf(HEAD) - 900, limit: 2 })).toHaveLength(2);
  });

  it("brings a history into the figures, once", async () => {
    expect(JOBS).toContain(reviewerHistories);
    expect(await nothing()).toBe(null);
    const { chain } = chainOf({ transfers: funded(FUNDER), sent: { [FUNDER]: [1] } });
    expect(await run(chain)).toBe(1);
    expect(await recompute()).toBe(1);
    expect(await nothing()).toBe("own_money");
    expect(await run(stubChain())).toBe(0);
  });

  it("reads a history again that was read without what is read by now", async () => {
    const { chain } = chainOf({ transfers: funded(FUNDER), sent: { [FUNDER]: [1] } });
    expect(await run(chain)).toBe(1);
    await db.pool.query("update offchain.reviewer_history set reader = 1");
    await db.pool.query("update offchain.review_weight set nothing = null");
    expect(await run(chain)).toBe(1);
    expect(await run(stubChain())).toBe(0);
  });

  it("reads nothing where an operator wants none", async () => {
    perDay = 0;
    const { chain } = chainOf({ transfers: funded(FUNDER), sent: { [FUNDER]: [1] } });
    expect(await run(chain)).toBe(0);
  });

  it("leaves reviews alone that may still be taken back", async () => {
    now = new Date((timeOf(HEAD) + 60) * 1_000);
    expect(await run(stubChain())).toBe(0);
  });

  it("looks again tomorrow where no node has the past, and at once where no node answers", async () => {
    await expect(run(stubChain())).rejects.toThrow();
    const { chain } = chainOf({ transfers: funded(FUNDER) });
    const pruned = { ...chain, nonce: async () => fail("upstream_unavailable", "pruned"), balance: async () => 0n };
    expect(await run(pruned)).toBe(0);
    expect(await run(stubChain())).toBe(0);
    expect(await recompute()).toBe(0);
    now = new Date(now.getTime() + 86_400_000);
    expect(await run(chain)).toBe(1);
  });
});

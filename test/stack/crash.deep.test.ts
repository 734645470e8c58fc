/**
 * kill -9 of API, worker or indexer at every step of a mint: exactly one token per request, and the client's retry with
 * the same Idempotency-Key gets one and the same 201.
 */

import { beforeAll, describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { MINT_FAULT_POINTS } from "../../api/services/mint.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { tokensOf as tokensOnChain } from "../../devnet/seed-chain.ts";
import { agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { until } from "../../harness/until.ts";
import { AWARD_FAULT_POINTS, FAULT_POINTS as SENDER_FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { startParts } from "../support/parts.ts";
import { perFile } from "../support/started.ts";

/** Places of the API, in the order in which an accepted mint with an Idempotency-Key passes them. */
const API_FAULT_POINTS = ["idempotency.claimed", ...MINT_FAULT_POINTS, "idempotency.handled", "idempotency.finished"];

const parts = perFile(() => startParts({ blockTimeSeconds: 0.25 }));
beforeAll(async () => {
  await Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]);
  await until("the index is served", async () => (await fetch(`${parts.apiUrl}/ready`)).ok);
});

/** Posts like a patient client: again and again with the same key until there is a final answer. */
async function mintPatiently(wallet: ReturnType<typeof agentWallet>, name: string, key: string, more: object = {}) {
  const authorization = await wallet.siwa();
  return until(
    "a final answer",
    async () => {
      const response = await fetch(`${parts.apiUrl}/api/v2/mint`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization, "idempotency-key": key },
        body: JSON.stringify({ name, ...more }),
      });
      // Anything but a 201 on the way must be one of the answers that ask for a retry.
      expect([201, 202, 409, 503, 504]).toContain(response.status);
      return response.status === 201 ? ((await response.json()) as { tokenId: number }) : undefined;
    },
    { everyMs: 200 },
  );
}

/** Every token the chain has for a wallet. */
const tokensOf = ({ address }: ReturnType<typeof agentWallet>) =>
  tokensOnChain(testChain(parts.rpcUrl), parts.identity, address);

async function expectExactlyOne(
  wallet: ReturnType<typeof agentWallet>,
  name: string,
  key: string,
  first: { tokenId: number },
) {
  expect(await tokensOf(wallet)).toEqual([first.tokenId]);
  const again = await mintPatiently(wallet, name, key);
  expect(again).toEqual(first);
  const agent = await until("the agent in the API", async () => {
    const response = await fetch(`${parts.apiUrl}/api/v2/agent/${first.tokenId}`);
    return response.status === 200 && ((await response.json()) as { agentAddress: string; name: string });
  });
  expect(agent).toMatchObject({ agentAddress: wallet.address, name });
}

describe.each(["workers", "api"] as const)("kill -9 of the %s process", (part) => {
  const points: readonly string[] = { workers: SENDER_FAULT_POINTS, api: API_FAULT_POINTS }[part];
  it.each(points)("at %s ends in exactly one token and one answer", async (point) => {
    await parts.arm(part, point);
    const wallet = agentWallet({ host: parts.host });
    const key = crypto.randomUUID();
    const name = `Killed ${point.replace(/\W/g, " ")}`;
    const answer = mintPatiently(wallet, name, key);
    await parts.died(part);
    await parts.start(part);
    await expectExactlyOne(wallet, name, key, await answer);
  });
});

describe("kill -9 of the workers process while bonuses are queued", () => {
  /** Points a token was awarded beside those of the contract itself, by reason. */
  const bonuses = async (tokenId: number) => {
    const logs = await testChain(parts.rpcUrl).getContractEvents({
      address: parts.identity,
      abi: identityAbi,
      eventName: "PointsAwarded",
      args: { tokenId: BigInt(tokenId) },
      fromBlock: 0n,
    });
    return logs.map(({ args }) => args.reason).filter((reason) => reason !== "mint");
  };

  it.each(AWARD_FAULT_POINTS)("at %s awards each of them once", async (point) => {
    const [referrer, newcomer] = [agentWallet({ host: parts.host }), agentWallet({ host: parts.host })];
    const first = await mintPatiently(referrer, "Referrer", crypto.randomUUID());
    const code = await until("the referrer's code", async () => {
      const response = await fetch(`${parts.apiUrl}/api/v2/agent/${first.tokenId}/referral`);
      return response.status === 200 && ((await response.json()) as { code: string | null }).code;
    });
    await parts.arm("workers", point);
    const { tokenId } = await mintPatiently(newcomer, "Newcomer", crypto.randomUUID(), { referralCode: code });
    await parts.died("workers");
    await parts.start("workers");
    await until("both are awarded", async () => {
      const awarded = await Promise.all([bonuses(first.tokenId), bonuses(tokenId)]);
      return awarded.every((reasons) => reasons.length > 0);
    });
    expect(await bonuses(first.tokenId)).toEqual([BONUSES.referrer.reason]);
    expect(await bonuses(tokenId)).toEqual([BONUSES.minter.reason]);
  });
});

it("kill -9 of the indexer during a mint loses nothing and shows the agent afterwards", async () => {
  const wallet = agentWallet({ host: parts.host });
  const key = crypto.randomUUID();
  const answer = mintPatiently(wallet, "Killed indexer", key);
  parts.kill("indexer");
  await parts.died("indexer");
  await parts.start("indexer");
  await expectExactlyOne(wallet, "Killed indexer", key, await answer);
});

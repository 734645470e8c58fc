/** Case 18: kill -9 of the API at every step of a paid mint; the same payment is served after the restart, and charged once. */
import { toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import { MINT_FAULT_POINTS, PAID_MINT_FAULT_POINT } from "../../api/services/mint.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { PAYMENT_FAULT_POINTS } from "../../payments/settle.ts";
import { agentWallet, testChain } from "../support/agent-wallet.ts";
import { type Parts, startParts } from "../support/parts.ts";
import { until } from "../support/until.ts";
import { base64, payloadOf, signAuthorization } from "./support/signing.ts";

let parts: Parts;
beforeAll(async () => {
  parts = await startParts({ blockTimeSeconds: 0.25, env: { PRICING_PHASE: "paid", PAYMENT_WAIT_MS: "10000" } });
  await Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]);
});
afterAll(() => parts?.stop());

const PRICE = 1_000_000n;
const { accounts, keys } = devnetCast();
const points = [...PAYMENT_FAULT_POINTS, PAID_MINT_FAULT_POINT, ...MINT_FAULT_POINTS];

describe("the API killed", () => {
  it.each(points.map((point, i) => [point, accounts[i + 1]!] as const))(
    "at %s",
    async (point, account) => {
      const wallet = agentWallet({ host: parts.host, privateKey: account.privateKey });
      const chain = testChain(parts.rpcUrl);
      const balance = () =>
        chain.readContract({
          address: CANONICAL.usdc,
          abi: usdcAbi,
          functionName: "balanceOf",
          args: [wallet.address],
        });
      const before = await balance();
      await parts.restart("api", { FAULT_POINT: point });
      const signed = await signAuthorization(wallet.account, {
        to: agentWallet({ host: "", privateKey: keys.deployer }).address,
        value: PRICE,
        nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
      });
      const authorization = await wallet.siwa();
      const post = () =>
        fetch(`${parts.apiUrl}/api/v2/mint`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            authorization,
            "payment-signature": base64(payloadOf(signed)),
          },
          body: JSON.stringify({ name: "Phoenix" }),
        });
      // An index that is not there yet, or funds not looked at, are refusals before anything is charged.
      await until("it dies", async () => (await post().catch(() => null)) === null, {
        timeoutMs: 50_000,
        everyMs: 300,
      });
      await parts.died("api");
      await parts.start("api");
      const done = await until(
        "the mint",
        async () => {
          const response = await post();
          expect([201, 202, 409, 503, 504]).toContain(response.status);
          return response.status === 201 ? ((await response.json()) as { tokenId: number }) : undefined;
        },
        { timeoutMs: 60_000, everyMs: 300 },
      );
      expect(done.tokenId).toBeGreaterThanOrEqual(0);
      expect(before - (await balance())).toBe(PRICE);
    },
    120_000,
  );
});

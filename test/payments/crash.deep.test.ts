/** Case 18: kill -9 of the API at every step of a paid registration; the same payment is served after the restart, and charged once. */
import { toHex } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import { MINT_FAULT_POINTS, PAID_MINT_FAULT_POINT } from "../../api/services/mint.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { LONG } from "../../harness/patience.ts";
import { base64, payloadOf, signAuthorization } from "../../harness/payment-signing.ts";
import { solanaWallet } from "../../harness/solana-wallet.ts";
import { until } from "../../harness/until.ts";
import { PAYMENT_FAULT_POINTS } from "../../payments/settle.ts";
import { startParts } from "../support/parts.ts";
import { perFile } from "../support/started.ts";

const parts = perFile(() => startParts({ blockTimeSeconds: 0.25, env: { PRICING_PHASE: "paid" } }));
beforeAll(async () => {
  await Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]);
  await until("the index is served", async () => (await fetch(`${parts.apiUrl}/ready`)).ok, { timeoutMs: 3 * LONG });
});

const PRICE = 1_000_000n;
const { accounts, keys } = devnetCast();
const points = [...PAYMENT_FAULT_POINTS, PAID_MINT_FAULT_POINT, ...MINT_FAULT_POINTS];
/** The way of a Solana key is the same but for its challenge, which is used up before the payment is settled. */
const solanaPoints = ["payment.settling", PAID_MINT_FAULT_POINT];
const cases = [
  ...points.map((point) => ["/api/v2/mint", point] as const),
  ...solanaPoints.map((point) => ["/api/v2/register/solana", point] as const),
];

type Wallet = ReturnType<typeof agentWallet>;
/** A request to register, made once and repeated byte for byte. */
async function registration(path: (typeof cases)[number][0], wallet: Wallet) {
  if (path === "/api/v2/mint") return { body: { name: "Phoenix" }, headers: { authorization: await wallet.siwa() } };
  const key = await solanaWallet();
  // The challenge is asked for before the fault point is set: a killed process must not have it in its memory alone.
  const response = await fetch(`${parts.apiUrl}/api/v2/auth/solana/challenge?address=${key.address}`);
  const { message, nonce } = (await response.json()) as { message: string; nonce: string };
  return {
    body: { name: "Phoenix", solanaAddress: key.address, nonce, signature: await key.signText(message) },
    headers: {},
  };
}

describe("the API killed", () => {
  it.each(cases.map(([path, point], i) => [path, point, accounts[(i % (accounts.length - 1)) + 1]!] as const))(
    "during %s at %s",
    async (path, point, account) => {
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
      const request = await registration(path, wallet);
      await parts.arm("api", point);
      const signed = await signAuthorization(wallet.account, {
        to: agentWallet({ host: "", privateKey: keys.deployer }).address,
        value: PRICE,
        nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
      });
      const post = () =>
        fetch(`${parts.apiUrl}${path}`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...request.headers,
            "payment-signature": base64(payloadOf(signed)),
          },
          body: JSON.stringify(request.body),
        });
      // An index that is not there yet, or funds not looked at, are refusals before anything is charged.
      await until("it dies", async () => (await post().catch(() => null)) === null, { everyMs: 300 });
      await parts.died("api");
      await parts.start("api");
      const done = await until(
        "the mint",
        async () => {
          const response = await post();
          expect([201, 202, 409, 503, 504]).toContain(response.status);
          return response.status === 201 ? ((await response.json()) as { tokenId: number }) : undefined;
        },
        { everyMs: 300 },
      );
      expect(done.tokenId).toBeGreaterThanOrEqual(0);
      expect(before - (await balance())).toBe(PRICE);
    },
  );
});

/** What a client of a paid mint waits for, step by step: the 402, its signature, the settlement, the commit, the chain, the answer. */

import { privateKeyToAddress } from "viem/accounts";
import { openPool } from "../../db/connect.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { base64, payloadOf, signAuthorization } from "../../harness/payment-signing.ts";
import { startStack } from "../../harness/stack.ts";

const BLOCK_SECONDS = 1;
const PRICE = 1_000_000n;
const STEPS = ["402", "signature", "settlement", "commit", "chain", "201", "all of it"] as const;

/** @param rounds paid mints, one after the other */
export default async function answers(rounds: number): Promise<void> {
  const stack = await startStack({
    env: { BLOCK_TIME: String(BLOCK_SECONDS), POLL_INTERVAL_MS: "200", PRICING_PHASE: "paid" },
  });
  const db = openPool({ connectionString: stack.devnet.databaseUrl, max: 1 });
  try {
    const { apiUrl, accounts, keys } = stack.devnet;
    const times: Record<(typeof STEPS)[number], number[]> = Object.fromEntries(
      STEPS.map((step) => [step, []]),
    ) as never;
    const host = new URL(apiUrl).host;
    for (let round = 0; round < rounds; round++) {
      // One wallet registers, another pays: a wallet registers once, and only some hold money.
      const [wallet, payer] = [
        agentWallet({ host }),
        agentWallet({ host, privateKey: accounts[round % 8]!.privateKey }),
      ];
      const authorization = await wallet.siwa();
      const post = (headers: Record<string, string>) =>
        fetch(`${apiUrl}/api/v2/mint`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization, ...headers },
          body: JSON.stringify({ name: `Round ${round}` }),
        });
      const marks = [Date.now()];
      const required = await post({});
      await required.arrayBuffer();
      if (required.status !== 402) throw new Error(`the request without payment was answered ${required.status}`);
      marks.push(Date.now());
      const signed = await signAuthorization(payer.account, { to: privateKeyToAddress(keys.deployer), value: PRICE });
      marks.push(Date.now());
      const response = await post({ "payment-signature": base64(payloadOf(signed)) });
      const body = (await response.json()) as { tokenId: number };
      if (response.status !== 201) throw new Error(`the paid request was answered ${response.status}`);
      const answered = Date.now();
      const { rows } = await db.query(
        `select p.paid_at, i.created_at as queued_at, m.completed_at from offchain.mint m
         join offchain.payment p on p.bought = 'mint:' || m.mint_id join offchain.transaction_outbox i on i.intent_key = p.bought
         where m.token_id = $1`,
        [body.tokenId],
      );
      marks.push(...[rows[0].paid_at, rows[0].queued_at, rows[0].completed_at].map(Number), answered);
      for (const [n, step] of STEPS.slice(0, -1).entries()) times[step].push(marks[n + 1]! - marks[n]!);
      times["all of it"].push(answered - marks[0]!);
    }
    console.log(`\n## 402 → paid → 201, block time ${BLOCK_SECONDS} s, one confirmation, ${rounds} rounds\n`);
    console.log("                  p50      p95      max   (ms)");
    for (const step of STEPS) {
      const sorted = times[step].toSorted((a, b) => a - b);
      const cells = [0.5, 0.95, 1].map((q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!);
      console.log(`${step.padEnd(12)} ${cells.map((ms) => ms.toFixed(0).padStart(8)).join(" ")}`);
    }
  } finally {
    await db.end();
    await stack.remove();
  }
}

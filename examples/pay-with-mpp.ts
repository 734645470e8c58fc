/**
 * Pays by MPP on Tempo, with the protocol's own client: `npx node examples/pay-with-mpp.ts report 0` buys agent 0's cred
 * report, `… mint Ada` registers the paying wallet. Wallet and URLs are the local stack's (`npm start`).
 */
import { readFileSync } from "node:fs";
import { Receipt } from "mppx";
import { Mppx, tempo } from "mppx/client";
import { createClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Actions } from "viem/tempo";
import { tempo as tempoChain } from "viem/tempo/chains";

const [what = "report", argument = "0", file = ".data/devnet.json"] = process.argv.slice(2);
const { apiUrl, tempoRpcUrl, usdce, accounts } = JSON.parse(readFileSync(file, "utf8"));
const on = (account: ReturnType<typeof privateKeyToAccount>) =>
  createClient({ account, chain: tempoChain, transport: http(tempoRpcUrl), pollingInterval: 50 });

// A wallet of its own for each payment: the local node mines one payment of each, which real Tempo does not mind. It gets
// USDC.e to pay with, and some pathUSD, because the local node wants to see that for fees.
const account = privateKeyToAccount(generatePrivateKey());
const rich = on(privateKeyToAccount(accounts[0].privateKey));
const pathUsd = "0x20c0000000000000000000000000000000000000";
await Actions.token.transferSync(rich, { token: usdce, to: account.address, amount: 2_000_000n });
await Actions.token.transferSync(rich, { token: pathUsd, to: account.address, amount: 1_000_000n });

// The client reads the challenge in the 402, signs a transfer that names it, and sends the request again with the signed
// transaction in Payment-Authorization (mode "pull": the service broadcasts it; "push" broadcasts it itself). Without
// `polyfill: false` it would replace the global fetch.
const client = Mppx.create({
  methods: [tempo.charge({ account, mode: "pull", getClient: () => on(account) })],
  polyfill: false,
});

/**
 * Proof that the wallet is ours (SIWA), in the text that the service shows. It keeps its header, Authorization: the
 * payment has one of its own.
 */
async function signIn(): Promise<string> {
  const { auth } = (await (await fetch(`${apiUrl}/api/v2`)).json()) as { auth: { agent: { message: string } } };
  const timestamp = String(Date.now());
  const message = auth.agent.message.replace("{address}", account.address).replace("{timestamp}", timestamp);
  return `Bearer ${account.address}:${timestamp}:${await account.signMessage({ message })}`;
}

const response =
  what === "mint"
    ? await client.fetch(`${apiUrl}/api/v2/mint`, {
        method: "POST",
        headers: { authorization: await signIn(), "content-type": "application/json" },
        body: JSON.stringify({ name: argument }),
      })
    : await client.fetch(`${apiUrl}/api/v2/agent/${argument}/cred-report`);

console.log(response.status, JSON.stringify(await response.json(), null, 2));
// Where the money went. 503 payment_pending would mean: the same request with the same credential again, never a new one.
const receipt = response.headers.get("payment-receipt");
console.log(receipt ? Receipt.deserialize(receipt) : "nothing was paid");
process.exitCode = response.ok ? 0 : 1;

/** Clients of MPP in Node. In Chromium: pages.ts. */
import assert from "node:assert/strict";
import type { privateKeyToAccount } from "viem/accounts";
import type { Client, Load } from "../client.ts";
import { buyBoth, type MppClient, mppx, type PayerFactory, type Viem } from "../pay.ts";
import type { World } from "../world.ts";

type Accounts = { privateKeyToAccount: typeof privateKeyToAccount };

/** The client with the viem of the same node_modules. */
async function made(world: World, load: Load, mode: "pull" | "push"): Promise<PayerFactory> {
  const [library, viem] = [await load<MppClient>("mppx/client"), await load<Viem>("viem")];
  const { tempo } = await load<{ tempo: object }>("viem/tempo/chains");
  return (account) => mppx(library, viem, tempo, account, { rpcUrl: world.tempoRpcUrl, mode });
}

const buys =
  (name: string, mode: "pull" | "push"): Client["run"] =>
  async (world, load) => {
    const { privateKeyToAccount: accountOf } = await load<Accounts>("viem/accounts");
    const paying = await made(world, load, mode);
    return world.paysBoth({ name, money: "usdce", receipt: "payment-receipt" }, (task, keys) =>
      buyBoth(paying, task, [accountOf(keys[0]), accountOf(keys[1])]),
    );
  };

export const MPP_CLIENTS: Client[] = [
  { package: "mppx", quick: true, run: buys("MPP pull", "pull") },
  { name: "mppx, push", package: "mppx", quick: true, run: buys("MPP push", "push") },
  {
    name: "mppx with the newest viem",
    package: "mppx",
    async run(world, load) {
      const { privateKeyToAccount: accountOf } = await load<Accounts>("viem/accounts");
      const paying = await made(world, load, "pull");
      const wallet = await world.wallet("usdce");
      const pay = await paying(accountOf(wallet.privateKey));
      const url = `${world.apiUrl}/api/v2/agent/${world.agent}/cred-report`;
      const { status, body } = await pay({ method: "GET", url, headers: {} });
      const { code } = body as { code?: string };
      if (status === 200) return "bought a report for 0.01 USD";
      assert.deepEqual({ status, code }, { status: 503, code: "payment_pending" });
      return {
        did: "paid for a report: taken, broadcast, and answered: ask again with the same payment",
        stopsAt: "the local Tempo chain never mines the nonce that this viem chooses (docs/use/mpp.md)",
      };
    },
  },
];

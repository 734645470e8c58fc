/** Clients of x402 in Node: of version 2 and of version 1, over fetch and over axios. */
import { privateKeyToAccount } from "viem/accounts";
import type { Client } from "../client.ts";
import {
  type Axios,
  buyBoth,
  type OldAxios,
  type OldFetch,
  oldAxios,
  oldFetch,
  type Pay,
  type ReceiptHeader,
  type Scheme,
  type X402Axios,
  type X402Fetch,
  x402Axios,
  x402Fetch,
} from "../pay.ts";
import type { World } from "../world.ts";

type Account = ReturnType<typeof privateKeyToAccount>;

async function buys(world: World, name: string, receipt: ReceiptHeader, paying: (account: Account) => Promise<Pay>) {
  const wallet = await world.wallet("usdc");
  const account = privateKeyToAccount(wallet.privateKey);
  return world.paysBoth(wallet, name, receipt, async (task) => buyBoth(await paying(account), task, account));
}

export const X402_CLIENTS: Client[] = [
  {
    package: "@x402/fetch",
    quick: true,
    run: (world, load) =>
      buys(world, "Fetch", "payment-response", async (account) =>
        x402Fetch(await load<X402Fetch>("@x402/fetch"), await load<Scheme>("@x402/evm/exact/client"), account),
      ),
  },
  {
    package: "@x402/fetch",
    alias: "x402-fetch-2.8",
    run: (world, load) =>
      buys(world, "Fetch 2.8", "payment-response", async (account) =>
        x402Fetch(await load<X402Fetch>("x402-fetch-2.8"), await load<Scheme>("x402-evm-2.8/exact/client"), account),
      ),
  },
  {
    package: "@x402/axios",
    run: (world, load) =>
      buys(world, "Axios", "payment-response", async (account) =>
        x402Axios(
          await load<X402Axios>("@x402/axios"),
          await load<Scheme>("@x402/evm/exact/client"),
          (await load<{ default: Axios }>("axios")).default,
          account,
        ),
      ),
  },
  {
    package: "@x402/axios",
    alias: "x402-axios-2.2",
    run: (world, load) =>
      buys(world, "Axios 2.2", "payment-response", async (account) =>
        x402Axios(
          await load<X402Axios>("x402-axios-2.2"),
          await load<Scheme>("x402-evm-2.8/exact/client"),
          (await load<{ default: Axios }>("axios")).default,
          account,
        ),
      ),
  },
  {
    package: "x402-fetch",
    run: (world, load) =>
      buys(world, "Old fetch", "x-payment-response", async (account) =>
        oldFetch(await load<OldFetch>("x402-fetch"), account),
      ),
  },
  {
    package: "x402-axios",
    run: (world, load) =>
      buys(world, "Old axios", "x-payment-response", async (account) =>
        oldAxios(await load<OldAxios>("x402-axios"), (await load<{ default: Axios }>("axios")).default, account),
      ),
  },
];

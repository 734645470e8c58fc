/** Clients of x402 in Node: of version 2 and of version 1, over fetch and over axios. */
import { privateKeyToAccount } from "viem/accounts";
import type { Client, Load } from "../client.ts";
import {
  type Axios,
  buyBoth,
  type OldAxios,
  type OldFetch,
  oldAxios,
  oldFetch,
  type Paying,
  type ReceiptHeader,
  type Scheme,
  type X402Axios,
  type X402Fetch,
  x402Axios,
  x402Fetch,
} from "../pay.ts";

/** @param paying what makes the client, once its packages are loaded */
const buys =
  (name: string, receipt: ReceiptHeader, paying: (load: Load) => Promise<Paying>): Client["run"] =>
  (world, load) =>
    world.paysBoth({ name, money: "usdc", receipt }, async (task, keys) =>
      buyBoth(await paying(load), task, [privateKeyToAccount(keys[0]), privateKeyToAccount(keys[1])]),
    );

const axiosOf = async (load: Load) => (await load<{ default: Axios }>("axios")).default;

export const X402_CLIENTS: Client[] = [
  {
    package: "@x402/fetch",
    quick: true,
    run: buys("Fetch", "payment-response", async (load) => {
      const [library, scheme] = [await load<X402Fetch>("@x402/fetch"), await load<Scheme>("@x402/evm/exact/client")];
      return (account) => x402Fetch(library, scheme, account);
    }),
  },
  {
    package: "@x402/fetch",
    alias: "x402-fetch-2.8",
    run: buys("Fetch 2.8", "payment-response", async (load) => {
      const [library, scheme] = [
        await load<X402Fetch>("x402-fetch-2.8"),
        await load<Scheme>("x402-evm-2.8/exact/client"),
      ];
      return (account) => x402Fetch(library, scheme, account);
    }),
  },
  {
    package: "@x402/axios",
    run: buys("Axios", "payment-response", async (load) => {
      const [library, scheme] = [await load<X402Axios>("@x402/axios"), await load<Scheme>("@x402/evm/exact/client")];
      const axios = await axiosOf(load);
      return (account) => x402Axios(library, scheme, axios, account);
    }),
  },
  {
    package: "@x402/axios",
    alias: "x402-axios-2.2",
    run: buys("Axios 2.2", "payment-response", async (load) => {
      const [library, scheme] = [
        await load<X402Axios>("x402-axios-2.2"),
        await load<Scheme>("x402-evm-2.8/exact/client"),
      ];
      const axios = await axiosOf(load);
      return (account) => x402Axios(library, scheme, axios, account);
    }),
  },
  {
    package: "x402-fetch",
    run: buys("Old fetch", "x-payment-response", async (load) => {
      const library = await load<OldFetch>("x402-fetch");
      return (account) => oldFetch(library, account);
    }),
  },
  {
    package: "x402-axios",
    run: buys("Old axios", "x-payment-response", async (load) => {
      const [library, axios] = [await load<OldAxios>("x402-axios"), await axiosOf(load)];
      return (account) => oldAxios(library, axios, account);
    }),
  },
];

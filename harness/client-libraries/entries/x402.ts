/** Clients of x402 in Node: of version 2 and of version 1, over fetch and over axios. */
import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { by, type Client } from "../client.ts";
import {
  type Axios,
  buyBoth,
  type OldAxios,
  type OldFetch,
  oldAxios,
  oldFetch,
  type PayerFactory,
  type ReceiptHeader,
  type Scheme,
  type X402Axios,
  type X402Fetch,
  x402Axios,
  x402Fetch,
} from "../pay.ts";
import type { World } from "../world.ts";

type Bought = Pick<Client, "name" | "alias" | "quick"> & { package: string; agent: string; receipt: ReceiptHeader };
/**
 * A client that registers an agent and buys a report.
 * @param beside further packages that it is made of
 * @param make it, of what all of them export
 */
const buys = <Modules extends readonly unknown[]>(
  { agent, receipt, ...entry }: Bought,
  beside: readonly string[],
  make: (...modules: Modules) => PayerFactory,
): Client => ({
  ...entry,
  run: (world, load) =>
    world.paysBoth({ name: agent, money: "usdc", receipt }, async (task, keys) => {
      const packages = [entry.alias ?? entry.package, ...beside];
      const modules = await Promise.all(packages.map((one) => load<unknown>(one)));
      const accounts = [privateKeyToAccount(keys[0]), privateKeyToAccount(keys[1])] as const;
      return buyBoth(make(...(modules as unknown as Modules)), task, accounts);
    }),
});

const [SCHEME, OLDER_SCHEME] = ["@x402/evm/exact/client", "x402-evm-2.8/exact/client"];
const overFetch =
  (library: X402Fetch, scheme: Scheme, given?: typeof fetch): PayerFactory =>
  (account) =>
    x402Fetch(library, scheme, account, given);
const overAxios =
  (library: X402Axios, scheme: Scheme, { default: axios }: { default: Axios }): PayerFactory =>
  (account) =>
    x402Axios(library, scheme, axios, account);

const overOldAxios =
  (library: OldAxios, { default: axios }: { default: Axios }): PayerFactory =>
  (account) =>
    oldAxios(library, axios, account);

/** As wallets do that do not know which version a service reads. */
const inBothHeaders: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  const payment = request.headers.get("payment-signature");
  if (payment !== null) request.headers.set("x-payment", payment);
  return fetch(request);
};

type Discovery = {
  discoverOriginSchema(asked: { target: string }): Promise<{
    found: boolean;
    endpoints: { path: string; method: string; authMode?: string; price?: unknown }[];
  }>;
  checkEndpointSchema(asked: { url: string; probe: boolean }): Promise<{
    advisories: { method: string; authMode?: string; paymentOptions?: { protocol: string; amount: string }[] }[];
  }>;
};

/** Finds what is sold and for how much, by the document of the host and by a probe. */
async function findsPrices(world: World, { discoverOriginSchema, checkEndpointSchema }: Discovery): Promise<string> {
  const { found, endpoints } = await discoverOriginSchema({ target: world.apiUrl });
  assert.ok(found, "no document was found");
  // It takes the header of a payment, which is a scheme of the document too, for that of an API key.
  const paid = endpoints.filter(({ authMode }) => authMode?.endsWith("paid"));
  assert.deepEqual(paid.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(), [
    "GET /api/v2/agent/{ref}/cred-report",
    "POST /api/v2/mint",
    "POST /api/v2/register/solana",
  ]);
  const url = `${world.apiUrl}/api/v2/agent/${world.agent}/cred-report`;
  const { advisories } = await checkEndpointSchema({ url, probe: true });
  const asked = advisories.find(({ method }) => method === "GET");
  const terms = asked?.paymentOptions?.map(({ protocol, amount }) => `${protocol} ${amount}`);
  assert.deepEqual([asked?.authMode, terms], ["paid", ["x402 10000", "mpp 10000"]]);
  return `found ${endpoints.length} operations, ${paid.length} of them paid, and the price of one by asking it`;
}

const [NEWER, OLDER] = ["payment-response", "x-payment-response"] as const;
export const X402_CLIENTS: Client[] = [
  buys({ package: "@x402/fetch", quick: true, agent: "Fetch", receipt: NEWER }, [SCHEME], overFetch),
  buys(
    { package: "@x402/fetch", alias: "x402-fetch-2.8", agent: "Fetch 2.8", receipt: NEWER },
    [OLDER_SCHEME],
    overFetch,
  ),
  buys({ package: "@x402/axios", agent: "Axios", receipt: NEWER }, [SCHEME, "axios"], overAxios),
  buys(
    { package: "@x402/axios", alias: "x402-axios-2.2", agent: "Axios 2.2", receipt: NEWER },
    [OLDER_SCHEME, "axios"],
    overAxios,
  ),
  buys(
    {
      ...{ name: "a wallet that sends its payment in both headers", package: "@x402/fetch", quick: true },
      ...{ agent: "Both headers", receipt: NEWER },
    },
    [SCHEME],
    (library: X402Fetch, scheme: Scheme) => overFetch(library, scheme, inBothHeaders),
  ),
  by({ package: "@agentcash/discovery" }, findsPrices),
  buys(
    { package: "x402-fetch", agent: "Old fetch", receipt: OLDER },
    [],
    (library: OldFetch) => (account) => oldFetch(library, account),
  ),
  buys({ package: "x402-axios", agent: "Old axios", receipt: OLDER }, ["axios"], overOldAxios),
];

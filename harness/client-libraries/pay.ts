/**
 * How each payment library pays, as its documentation has it. The libraries are given, so that one text serves every
 * version of them, in Node and in a page.
 */
import type { PrivateKeyAccount } from "viem/accounts";

type Request = { method: "GET" | "POST"; url: string; headers: Record<string, string>; body?: string };
type Answer = { status: number; body: unknown; header(name: string): string | null };
/** Sends a request and pays for it when it is asked to. */
export type Pay = (request: Request) => Promise<Answer>;

type Json = Record<string, unknown>;

const ofFetch =
  (paying: (url: string, init: RequestInit) => Promise<Response>): Pay =>
  async ({ url, ...init }) => {
    const response = await paying(url, init);
    return { status: response.status, body: await response.json(), header: (name) => response.headers.get(name) };
  };

type AxiosAnswer = { status: number; data: unknown; headers: Json };
type AxiosInstance = { request(config: Json): Promise<AxiosAnswer> };
export type Axios = { create(defaults?: Json): AxiosInstance };

const ofAxios =
  (instance: AxiosInstance): Pay =>
  async ({ method, url, headers, body }) => {
    const { status, data, headers: got } = await instance.request({ method, url, headers, data: body });
    return { status, body: data, header: (name) => (got[name] as string | undefined) ?? null };
  };

/** What `@x402/fetch` and `@x402/axios` share. */
type Shared = Pick<typeof import("@x402/fetch"), "x402Client">;
type SchemeClient = InstanceType<Shared["x402Client"]>;
export type Scheme = Pick<typeof import("@x402/evm/exact/client"), "ExactEvmScheme">;

function schemes({ x402Client }: Shared, { ExactEvmScheme }: Scheme, account: PrivateKeyAccount): SchemeClient {
  const client = new x402Client();
  // Newer versions pay no more than a fraction of a dollar unless their user says so; older ones know no such limit.
  client.setSpendControls?.(false);
  return client.register("eip155:8453", new ExactEvmScheme(account));
}

export type X402Fetch = Pick<typeof import("@x402/fetch"), "x402Client" | "wrapFetchWithPayment">;
/** @x402/fetch */
export const x402Fetch = (
  library: X402Fetch,
  scheme: Scheme,
  account: PrivateKeyAccount,
  given: typeof fetch = fetch,
): Pay => ofFetch(library.wrapFetchWithPayment(given, schemes(library, scheme, account)));

export type X402Axios = Shared & {
  wrapAxiosWithPayment(instance: AxiosInstance, client: SchemeClient): AxiosInstance;
};
/** @x402/axios */
export const x402Axios = (library: X402Axios, scheme: Scheme, axios: Axios, account: PrivateKeyAccount): Pay =>
  ofAxios(library.wrapAxiosWithPayment(axios.create(), schemes(library, scheme, account)));

/** Millionths of a dollar: these clients pay a tenth of one unless they may pay more. */
const MAX_UNITS = 2_000_000n;

export type OldFetch = {
  wrapFetchWithPayment(given: typeof fetch, account: PrivateKeyAccount, most: bigint): typeof fetch;
};
/** x402-fetch, of x402 version 1 */
export const oldFetch = (library: OldFetch, account: PrivateKeyAccount): Pay =>
  ofFetch(library.wrapFetchWithPayment(fetch, account, MAX_UNITS));

export type OldAxios = { withPaymentInterceptor(instance: AxiosInstance, account: PrivateKeyAccount): AxiosInstance };
/** x402-axios, of x402 version 1 */
export const oldAxios = (library: OldAxios, axios: Axios, account: PrivateKeyAccount): Pay =>
  ofAxios(library.withPaymentInterceptor(axios.create(), account));

export type MppClient = {
  Mppx: { create(options: { methods: object[]; polyfill: false }): { fetch: typeof fetch } };
  tempo: { charge(options: object): object };
};
export type Viem = { createClient(options: object): object; http(url: string): unknown };

/** mppx. @param mode "push" broadcasts the transfer itself, "pull" leaves it to the service */
export function mppx(
  { Mppx, tempo }: MppClient,
  { createClient, http }: Viem,
  chain: object,
  account: PrivateKeyAccount,
  { rpcUrl, mode }: { rpcUrl: string; mode: "pull" | "push" },
): Pay {
  const getClient = () => createClient({ account, chain, transport: http(rpcUrl), pollingInterval: 50 });
  return ofFetch(Mppx.create({ methods: [tempo.charge({ account, mode, getClient })], polyfill: false }).fetch);
}

/** Signs in with a wallet by the text that the service shows, as scripts do. */
export async function signIn(apiUrl: string, account: PrivateKeyAccount): Promise<string> {
  const { auth } = (await (await fetch(`${apiUrl}/api/v2`)).json()) as { auth: { agent: { message: string } } };
  const timestamp = String(Date.now());
  const message = auth.agent.message.replace("{address}", account.address).replace("{timestamp}", timestamp);
  return `Bearer ${account.address}:${timestamp}:${await account.signMessage({ message })}`;
}

/** The headers that name the transaction, of x402 version 2, of version 1 and of MPP. */
export type ReceiptHeader = "payment-response" | "x-payment-response" | "payment-receipt";
export type Task = { apiUrl: string; agent: number; name: string; receipt: ReceiptHeader };
export type Purchase = { tokenId: number; agentName: string; paidReport: unknown; receipts: (string | null)[] };

/** Registers the wallet of `account`. @param fields more of the body @throws Error with the answer when it is refused */
export async function register(
  pay: Pay,
  { apiUrl, name }: Pick<Task, "apiUrl" | "name">,
  account: PrivateKeyAccount,
  fields: object = {},
) {
  const answer = await pay({
    method: "POST",
    url: `${apiUrl}/api/v2/mint`,
    headers: { "content-type": "application/json", authorization: await signIn(apiUrl, account) },
    body: JSON.stringify({ name, ...fields }),
  });
  if (answer.status !== 201) throw new Error(`mint: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { tokenId, agent } = answer.body as { tokenId: number; agent: { name: string } };
  return { tokenId, agentName: agent.name, header: answer.header };
}

/** Makes what pays from an account. */
export type PayerFactory = (account: PrivateKeyAccount) => Pay | Promise<Pay>;

/** One wallet registers itself, another buys the report of `task.agent`. @throws Error with the answer when one is refused */
export async function buyBoth(
  paying: PayerFactory,
  task: Task,
  [registrant, reader]: readonly [PrivateKeyAccount, PrivateKeyAccount],
): Promise<Purchase> {
  const { tokenId, agentName, header } = await register(await paying(registrant), task, registrant);
  const url = `${task.apiUrl}/api/v2/agent/${task.agent}/cred-report`;
  const report = await (await paying(reader))({ method: "GET", url, headers: {} });
  if (report.status !== 200) throw new Error(`report: ${report.status} ${JSON.stringify(report.body)}`);
  const { paidReport } = report.body as { paidReport: unknown };
  return { tokenId, agentName, paidReport, receipts: [header(task.receipt), report.header(task.receipt)] };
}

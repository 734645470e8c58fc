/** The client: every operation of the service with its types, lists and streams as iterators, and registration. */
import { type Call, type CallData, calls } from "./call.ts";
import type { CredDemand, CredProof, CredReader, CredTrust, CredVerdict } from "./cred.ts";
import { type Lists, lists } from "./lists.ts";
import type { components } from "./openapi.ts";
import { type Registered, type RegisterOptions, register } from "./register.ts";
import { type Fetch, RETRY_RULES, type RetryRules, retrying } from "./retry.ts";
import { signIn, type Wallet } from "./sign-in.ts";
import { signing } from "./sign-request.ts";
import { type Streams, streams } from "./streams.ts";
import { realTime, type Time } from "./time.ts";

/** Types of the service's requests and answers, by name. */
export type Schemas = components["schemas"];

/** Wraps a fetch into one that pays. */
export type Pay = (fetch: typeof globalThis.fetch) => Fetch;

export type ClientOptions = {
  /** Where the service is, as `https://agents.example`. */
  baseUrl: string;
  /** Signs in where an operation wants it. One signature is good for an hour. */
  wallet?: Wallet;
  /** Signs each request that needs the wallet (ERC-8128) instead of signing in. `chainId` of the service: 8453 on Base. */
  signRequests?: { chainId: number };
  /** The service's host in the text that is signed, where it is not the one of `baseUrl`. */
  host?: string;
  /** Token of the identity provider, for people without a wallet; called whenever one is needed. */
  accessToken?: () => string | Promise<string>;
  /** Key given out by the operator. */
  apiKey?: string;
  /** Pays a 402: `x402(…)` of agent-cred-sdk/x402, `mpp(…)` of agent-cred-sdk/mpp, or your own. */
  pay?: Pay;
  /** Replaces the global fetch. */
  fetch?: Fetch;
  retry?: Partial<RetryRules>;
  /** Milliseconds of silence after which a stream is reopened; the service sends a comment every 15 seconds. */
  silenceMs?: number;
  time?: Time;
  /** The contracts that cred proofs are checked against, from another source than the service. */
  cred?: CredTrust;
};

export type Client = Lists &
  Streams & {
    /** Any operation by method and path; its data and the response they came with. */
    call: Call;
    get: CallData<"get">;
    post: CallData<"post">;
    put: CallData<"put">;
    delete: CallData<"delete">;
    /** Registers the wallet as an agent, once, and waits until the index shows it. */
    register(body: Schemas["MintRequest"], options?: RegisterOptions): Promise<Registered>;
    /**
     * The wallet's credential, `{address}:{timestamp}:{signature}`, for requests made by other means.
     * @throws Error when the client has no wallet
     */
    credential(): Promise<string>;
    /**
     * Whether a cred proof holds on chain, by `cred` of the options and not by the service's word. Needs viem.
     * @param client reads the chain: a public client of viem
     * @throws Error when the client was given no `cred`
     */
    verifyCred(proof: CredProof, client: CredReader, demand?: CredDemand): Promise<CredVerdict>;
  };

const SILENCE_MS = 45_000;

export function createClient(options: ClientOptions): Client {
  const { baseUrl, wallet, accessToken = null, apiKey = null, time = realTime, silenceMs = SILENCE_MS } = options;
  const { signRequests } = options;
  const signer = wallet ? signIn(wallet, options.host ?? new URL(baseUrl).host, time) : null;
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const sender = wallet && signRequests ? signing(fetch, wallet, signRequests, time) : fetch;
  const patient = retrying(sender, { ...RETRY_RULES, ...options.retry }, time);
  const call = calls({
    baseUrl,
    paying: options.pay?.(patient as typeof globalThis.fetch) ?? patient,
    credentials: { signIn: signer, signs: signRequests !== undefined, accessToken, apiKey },
    time,
  });
  const loose = call as unknown as (method: string, path: string, init?: object) => Promise<{ data: unknown }>;
  const dataOf = (method: string) => async (path: string, init?: object) => (await loose(method, path, init)).data;

  return {
    ...lists(call),
    ...streams(call, { time, silenceMs }),
    call,
    get: dataOf("get") as CallData<"get">,
    post: dataOf("post") as CallData<"post">,
    put: dataOf("put") as CallData<"put">,
    delete: dataOf("delete") as CallData<"delete">,
    register: (body, registering = {}) => register(call, time, body, registering),
    async credential() {
      if (signer === null) throw new Error("The client was given no wallet to sign in with.");
      return signer.credential();
    },
    async verifyCred(proof, client, demand) {
      if (!options.cred) throw new Error("The client was given no contracts (`cred`) to check a proof against.");
      const { verifyCred } = await import("./cred.ts");
      return verifyCred(proof, client, options.cred, demand);
    },
  };
}

/** A client on a network of its own, as the service sees it behind its proxy, and how a sensible one keeps on: what may pass by waiting is asked again, a payment comes back until it is decided. */
import { setTimeout as wait } from "node:timers/promises";
import { jsonRequest } from "../json-request.ts";
import { payingFetch } from "../paying-fetch.ts";
import type { LoadWallet } from "../payment-load/wallets.ts";

/** What came back; status 0 is no answer, or none in time. */
export type Reply = {
  status: number;
  code: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many endpoints
  body: any;
  headers: Headers;
};

export type RequestOptions = {
  wallet?: Pick<LoadWallet, "siwa"> | undefined;
  headers?: Record<string, string>;
  body?: unknown;
  /** Milliseconds until the client leaves. */
  leaveAfter?: number;
  signal?: AbortSignal;
};

export type Client = ReturnType<typeof clientOn>;

const LEAVE_MS = 30_000;

/** @param network IPv4 address that the trusted proxy names */
export function clientOn(apiUrl: string, network: string) {
  const through = { "x-forwarded-for": network };

  /** A request whose body stays unread; throws where there is no answer. */
  async function open(method: string, path: string, asked: RequestOptions = {}): Promise<Response> {
    const { wallet, headers, body, leaveAfter = LEAVE_MS, signal } = asked;
    const authorization = await wallet?.siwa();
    const leaves = AbortSignal.timeout(leaveAfter);
    return fetch(new URL(path, apiUrl), {
      ...jsonRequest(method, body, { ...through, authorization, ...headers }),
      signal: signal ? AbortSignal.any([signal, leaves]) : leaves,
    });
  }

  async function ask(method: string, path: string, asked: RequestOptions = {}): Promise<Reply> {
    try {
      return await replyOf(await open(method, path, asked));
    } catch (error) {
      const code = `no answer: ${(error as Error).name}`;
      return { status: 0, code, body: {}, headers: new Headers() };
    }
  }

  return {
    open,
    ask,
    get: (path: string, asked?: RequestOptions) => ask("GET", path, asked),
    post: (path: string, asked?: RequestOptions) => ask("POST", path, asked),
    /** Asks the MCP server for a method. */
    mcp: (method: string, params: object) =>
      ask("POST", "/mcp", {
        headers: { accept: "application/json, text/event-stream" },
        body: { jsonrpc: "2.0", id: 1, method, params },
      }),
    /** fetch of a client library, on this network. */
    fetch: ((input, init) => {
      const request = new Request(input, init);
      for (const [name, value] of Object.entries(through)) request.headers.set(name, value);
      return fetch(request, { signal: AbortSignal.timeout(LEAVE_MS) });
    }) as typeof fetch,
  };
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const { status, headers } = response;
  const isJson = /json/.test(headers.get("content-type") ?? "");
  const body = isJson && text ? JSON.parse(text) : text;
  return { status, code: String(body?.reason ?? body?.code ?? ""), body, headers };
}

/** Status and code, for a report; of what is not found, the block that the index was at. */
export const shown = ({ status, code, headers }: Reply) => {
  const block = status === 404 ? headers.get("x-indexed-block") : null;
  return `${status || ""} ${code}${block === null ? "" : ` at block ${block}`}`.trim();
};

/** Between two tries. */
export const AGAIN_MS = 300;

/** Asks as a sensible client does: what may pass by waiting is asked again. @throws Error with the answer that decided */
export async function insist(
  client: Client,
  deadline: number,
  [method, path, asked]: [method: string, path: string, asked?: RequestOptions],
  { again, good = [200, 201] }: { again?: () => Promise<unknown>; good?: readonly number[] } = {},
): Promise<Reply> {
  const answers: string[] = [];
  for (;;) {
    const leaveAfter = Math.max(1_000, Math.min(30_000, deadline - Date.now()));
    const reply = await client.ask(method, path, { ...asked, leaveAfter });
    if (good.includes(reply.status)) return reply;
    answers.push(shown(reply));
    if (!mayPass(reply) || Date.now() > deadline) throw new Error(`${method} ${path}: ${answers.slice(-4).join(", ")}`);
    await again?.();
    await wait(AGAIN_MS);
  }
}

/** fetch that pays by x402 with the real client, and comes back with the same payment while it is undecided. */
export function payingWith(wallet: LoadWallet, client: Client, deadline: number): typeof fetch {
  const patient: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    for (;;) {
      const response = await client.fetch(request.clone()).catch(() => null);
      if (response && !mayPass(await replyOf(response.clone()))) return response;
      if (Date.now() > deadline) return response ?? Response.error();
      await wait(AGAIN_MS);
    }
  };
  return payingFetch(wallet.account, patient);
}

/** Whether the same request may be answered otherwise in a moment. */
function mayPass({ status, code }: Reply): boolean {
  if (status === 0 || status === 502 || status === 503 || status === 504) return true;
  if (status === 409) return code === "request_in_progress";
  return status === 402 && /^transaction_not_(found|confirmed)$/.test(code);
}

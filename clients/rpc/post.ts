/** One HTTP request to a node, with one JSON-RPC request or a batch, and its answers by request. */
import type { Dispatcher } from "undici";
import { exchange, isBrokenConnection, OversizeAnswer } from "../http/exchange.ts";
import { retryAfter } from "../http/retry-after.ts";
import { isBatchRefusal, namedPause, type RpcErrorBody } from "./errors.ts";

export type RpcCall = { method: string; params: readonly unknown[] };

/** The answer to one request. */
export type Reply =
  | { kind: "result"; result: unknown; bytes: number }
  | { kind: "error"; error: RpcErrorBody }
  /** Not processed, for the rate. `pauseMs` as the node names it; null: it names none. */
  | { kind: "limited"; pauseMs: number | null }
  /** The whole batch was not processed, because of its number of requests or its size: it may be sent in parts. */
  | { kind: "batch" }
  /** The answer is larger than accepted. */
  | { kind: "oversize" }
  /** No answer: whether the node has processed the request is unknown. `late`: it took longer than the time limit. */
  | { kind: "silence"; cause: unknown; late: boolean };

export type PostOptions = { timeoutMs: number; maxBytes: number };

/** Sends the requests and reads their answers, in the order of the requests. It never throws. */
export async function post(
  dispatcher: Dispatcher,
  url: URL,
  calls: readonly RpcCall[],
  { timeoutMs, maxBytes }: PostOptions,
): Promise<Reply[]> {
  const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
  const outgoing = {
    method: "POST" as const,
    url,
    headers: { "content-type": "application/json", ...basicAuthorization(url) },
    body: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
  };
  const all = (reply: Reply): Reply[] => calls.map(() => reply);
  try {
    const limits = { headersMs: timeoutMs, bodyMs: timeoutMs, totalMs: timeoutMs, maxBytes };
    const { status, headers, text } = await exchange(dispatcher, outgoing, limits);
    const answer = parsed(text);
    const pauseMs = pauseOf(headers, answer);
    if (status === 429) return all({ kind: "limited", pauseMs });
    if (Array.isArray(answer)) return inOrder(answer, calls.length, text.length);
    const error = errorIn(answer);
    if (error && calls.length > 1) {
      if (isBatchRefusal(error)) return all({ kind: "batch" });
      return all({ kind: "limited", pauseMs });
    }
    if (calls.length > 1 && status >= 400 && status <= 500) return all({ kind: "batch" });
    if (error) return all({ kind: "error", error });
    if (status === 503 && retryAfterMs(headers) !== null) return all({ kind: "limited", pauseMs });
    if (status === 413) return all({ kind: "error", error: { code: status, message: "payload too large" } });
    if (status < 200 || status >= 300) return all(silent(new Error(`status ${status}`)));
    if (calls.length > 1) return all({ kind: "batch" });
    return [readOne(answer, text.length)];
  } catch (error) {
    if (error instanceof OversizeAnswer) return all({ kind: calls.length > 1 ? "batch" : "oversize" });
    return all(silent(error));
  }
}

/** Whether the connection broke before an answer, as an idle one does that the node closed meanwhile. */
export const isBroken = (reply: Reply): boolean => reply.kind === "silence" && isBrokenConnection(reply.cause);

const silent = (cause: unknown): Reply => ({ kind: "silence", cause, late: (cause as Error)?.name === "TimeoutError" });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorIn(answer: unknown): RpcErrorBody | null {
  if (answer === null || typeof answer !== "object" || !("error" in answer)) return null;
  const { error } = answer;
  if (typeof error === "string") return { code: 0, message: error };
  if (error === null || typeof error !== "object") return null;
  const { code, message, data } = error as Record<string, unknown>;
  return { code: Number(code) || 0, message: typeof message === "string" ? message : "", data };
}

function readOne(answer: unknown, bytes: number): Reply {
  const error = errorIn(answer);
  if (error) return { kind: "error", error };
  const result = (answer as { result?: unknown } | null | undefined)?.result;
  // A method without a result answers null; an answer without either member is of no use.
  if (result === undefined) return { kind: "error", error: { code: -32603, message: "an answer without a result" } };
  return { kind: "result", result, bytes };
}

/** The answers of a batch come in any order; one that is missing is an answer without use. */
function inOrder(answers: readonly unknown[], requests: number, bytes: number): Reply[] {
  const errors = answers.flatMap((answer) => errorIn(answer) ?? []);
  if (requests > 1 && errors.some(({ code, message }) => code === -32014 || /batch/i.test(message)))
    return new Array<Reply>(requests).fill({ kind: "batch" });
  const replies = new Array<Reply>(requests).fill(readOne(undefined, 0));
  for (const answer of answers) {
    const id = (answer as { id?: unknown } | null)?.id;
    if (typeof id === "number" && id in replies) replies[id] = readOne(answer, Math.ceil(bytes / requests));
  }
  return replies;
}

const retryAfterMs = (headers: Record<string, string | undefined>): number | null => {
  const seconds = retryAfter(headers, { nowMs: Date.now(), limited: true });
  return seconds === null ? null : seconds * 1_000;
};

function pauseOf(headers: Record<string, string | undefined>, answer: unknown): number | null {
  const error = errorIn(answer);
  const named = error && namedPause(error);
  return retryAfterMs(headers) ?? (named ? named * 1_000 : null);
}

function basicAuthorization({ username, password }: URL): { authorization?: string } {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** A JSON-RPC proxy before a node that keeps to the limits of a profile, as public and commercial endpoints do. */
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "../listen.ts";
import { PROFILES, type ProfileName } from "./profiles.ts";
import type { Answer, Call, Refusal, Rule, RuleResult, StrictView } from "./rules.ts";

export type StrictCounts = ReturnType<typeof fresh>;

export type StrictNode = Awaited<ReturnType<typeof startStrictNode>>;

/** Milliseconds for which a head of the node behind stays known. */
const HEAD_MS = 20;

type StrictNodeOptions = {
  /** URL of the node behind. */
  upstream: string;
  /** A row of PROFILES, or rules. */
  profile: ProfileName | readonly Rule[];
  /** Milliseconds; for tests of rates. */
  now?: () => number;
  /** What is done with a request. @param answer answers it by the rules; what it throws closes the connection */
  meets?(outgoing: ServerResponse, answer: () => Promise<void>): Promise<void>;
  /** Sends the body of an answer whose head is written. */
  sends?(outgoing: ServerResponse, text: string): void;
};

export async function startStrictNode({
  upstream,
  profile,
  now = Date.now,
  meets = (_, answer) => answer(),
  sends = (outgoing, text) => void outgoing.end(text),
}: StrictNodeOptions) {
  const rules: readonly Rule[] = typeof profile === "string" ? PROFILES[profile]() : profile;
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const calls = callsCounted();
  const view = viewOf((method, params) => ask(upstream, agent, { id: 0, method, params }), now);

  /** @returns the first thing that a rule gives */
  async function ruled(of: (rule: Rule) => RuleResult | Promise<RuleResult> | undefined): Promise<RuleResult> {
    for (const rule of rules) {
      const given = (await of(rule)) ?? null;
      if (given === null) continue;
      count(calls.counts.refused, rule.name);
      return given;
    }
    return null;
  }

  async function answerTo(call: Call): Promise<{ body: object; refusal?: Refusal }> {
    calls.arrived(call);
    const before = await ruled((rule) => rule.call?.(call, view));
    const answer = before === null ? await ask(upstream, agent, call) : null;
    const given = before ?? (await ruled((rule) => rule.answer?.(call, answer!, view)));
    if (given === null) return { body: { ...answer, jsonrpc: "2.0", id: call.id } };
    if ("code" in given) calls.refused(call);
    return shown(call, given);
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    calls.counts.http++;
    const body = (await json(incoming)) as Call | Call[];
    const isBatch = Array.isArray(body);
    const asked = isBatch ? body : [body];
    const refuse = (refusal: Refusal) =>
      write(outgoing, JSON.stringify(errorOf(isBatch ? null : asked[0]!.id, refusal)), refusal);
    if (isBatch) calls.counts.batches++;
    const whole = await ruled((rule) => rule.request?.(asked, isBatch, view));
    if (whole !== null && "code" in whole) {
      for (const call of asked) {
        calls.arrived(call);
        calls.refused(call);
      }
      return refuse(whole);
    }
    const answers = await Promise.all(asked.map(answerTo));
    const bodies = answers.map((answer) => answer.body);
    const text = JSON.stringify(isBatch ? bodies : bodies[0]);
    const tooLarge = await ruled((rule) => rule.response?.(Buffer.byteLength(text)));
    if (tooLarge !== null && "code" in tooLarge) return refuse(tooLarge);
    // The calls of a batch are refused each for itself, under HTTP 200.
    write(outgoing, text, isBatch ? undefined : answers[0]!.refusal);
  }

  function write(outgoing: ServerResponse, text: string, refusal?: Refusal): void {
    outgoing.writeHead(refusal?.status ?? 200, { "content-type": "application/json", ...refusal?.headers });
    sends(outgoing, text);
  }

  const server = await listen((incoming, outgoing) =>
    meets(outgoing, () => serve(incoming, outgoing)).catch(() => void outgoing.destroy()),
  );
  return {
    url: server.url,
    counts: () => structuredClone(calls.counts),
    reset: calls.reset,
    close() {
      server.close();
      agent.destroy();
    },
  };
}

function viewOf(ask: StrictView["ask"], now: () => number): StrictView {
  let head: { at: number; block: Promise<number> } | null = null;
  return {
    ask,
    head() {
      if (head === null || Date.now() - head.at > HEAD_MS)
        head = { at: Date.now(), block: ask("eth_blockNumber", []).then(({ result }) => Number(result)) };
      return head.block;
    },
    now,
  };
}

/** Counts calls, and those that repeat a refused one. */
function callsCounted() {
  let counts = fresh();
  /** Refused calls that have not come again. */
  const open = new Set<string>();
  return {
    get counts() {
      return counts;
    },
    arrived(call: Call) {
      count(counts.requests, call.method);
      if (open.delete(keyOf(call))) counts.retried++;
    },
    refused: (call: Call) => void open.add(keyOf(call)),
    reset() {
      counts = fresh();
    },
  };
}

const fresh = () => ({
  /** HTTP requests, and those that were batches. */
  http: 0,
  batches: 0,
  /** Calls by method, those in batches included. */
  requests: {} as Record<string, number>,
  /** By rule: HTTP requests or calls that it refused or changed. */
  refused: {} as Record<string, number>,
  /** Calls that repeat a refused one, byte for byte. */
  retried: 0,
});
const keyOf = ({ method, params }: Call) => `${method} ${JSON.stringify(params)}`;
function count(of: Record<string, number>, name: string): void {
  of[name] = (of[name] ?? 0) + 1;
}

const errorOf = (id: unknown, { code, message, data }: Refusal) => ({
  ...{ jsonrpc: "2.0", id },
  error: { code, message, data },
});

const shown = ({ id }: Call, given: Exclude<RuleResult, null>): { body: object; refusal?: Refusal } =>
  "code" in given
    ? { body: errorOf(id, given), refusal: given }
    : { body: { jsonrpc: "2.0", id, result: given.result } };

/** @throws Error when the node behind does not answer */
function ask(upstream: string, agent: Agent, { id, method, params }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const inner = request(
      upstream,
      { method: "POST", headers: { "content-type": "application/json" }, agent },
      (response) => void json(response).then((answer) => resolve(answer as Answer), reject),
    );
    inner.on("error", reject);
    inner.end(JSON.stringify({ jsonrpc: "2.0", id: id ?? 0, method, params: params ?? [] }));
  });
}

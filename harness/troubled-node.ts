/** A JSON-RPC node in front of the chain's that fails as nodes do: as a server, in what it answers, and in what it does with transactions. */
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { keccak256, parseTransaction, recoverTransactionAddress } from "viem";
import { hex, logsRange, omitsLogs, type Rule, type RuleResult, type StrictView } from "./strict-node/rules.ts";
import { startStrictNode } from "./strict-node/strict-node.ts";

/** What is wrong with the server: every request is meant. */
const SERVER = [
  "error",
  "cut",
  /** Done, and cut before the answer. */
  "lost",
  "slow",
  /** Nothing comes, for longer than anybody waits. */
  "hanging",
  /** 429 with Retry-After. */
  "busy",
  /** One request in eight is answered with an error of the node. */
  "flaky",
  /** Half of the JSON. */
  "truncated",
] as const;
/** What is wrong with its word on the chain. */
const CHAIN = [
  "wrong-chain",
  "null-blocks",
  /** A few blocks behind the others. */
  "lagging",
  /** Its height goes backwards, further and further. */
  "syncing",
  /** Takes no more than a few blocks in one eth_getLogs. */
  "narrow",
  /** Leaves every third log out of the first answer that would have it. */
  "omits",
] as const;
/** What becomes of transactions that are handed in. */
const POOL = [
  /** In the pool, and the answer is lost. */
  "sent-lost",
  "sent-known",
  "sent-nonce-low",
  /** Refused as too cheap, or as a replacement that is too cheap. */
  "sent-underpriced",
  /** Accepted and forgotten. */
  "sent-dropped",
  /** Accepted, and in the pool later. */
  "sent-late",
  /** Accepted and kept back, until a transaction with a higher fee comes for the same nonce. */
  "sent-stuck",
] as const;
/** What a test asks for by name; a random choice has none of these. */
const BY_NAME = [
  /** Knows no logs of a block that is named by its hash. */
  "forgetful",
  /** Refuses every transaction that calls a contract for good, and takes empty ones. */
  "sent-refused",
] as const;
export const NODE_MODES = { server: SERVER, chain: CHAIN, pool: POOL };
export type NodeMode =
  | (typeof SERVER)[number]
  | (typeof CHAIN)[number]
  | (typeof POOL)[number]
  | (typeof BY_NAME)[number];

/** What a mode does to calls. */
type Acts = Pick<Rule, "call" | "answer">;
type Raw = `0x02${string}`;

const SLOW_MS = 1_500;
const LATE_MS = 1_500;
const LAG_BLOCKS = 6;
const NARROW_BLOCKS = 8;
const SEND = "eth_sendRawTransaction";

/** Each is made anew whenever the node takes its mode. @param ending aborts when the node is closed */
const actsOf = (ending: AbortSignal): Partial<Record<NodeMode, () => Acts>> => ({
  flaky() {
    let asked = 0;
    return { call: () => (asked++ % 8 === 7 ? { code: -32603, message: "internal error" } : null) };
  },
  "wrong-chain": () => ({ call: ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : null) }),
  "null-blocks"() {
    let asked = 0;
    const isBlock = /^eth_getBlockBy|^eth_getTransactionReceipt$/;
    return { answer: ({ method }) => (isBlock.test(method) && asked++ % 2 === 1 ? { result: null } : null) };
  },
  lagging: () => behind(() => LAG_BLOCKS),
  syncing() {
    const since = Date.now();
    return behind(() => Math.min(90, 3 + Math.floor((Date.now() - since) / 60)));
  },
  narrow: () =>
    logsRange(NARROW_BLOCKS, () => ({ code: -32005, message: `query exceeds max block range ${NARROW_BLOCKS}` })),
  omits: () => omitsLogs(3),
  forgetful: () => ({
    call: ({ method, params }) =>
      method === "eth_getLogs" && "blockHash" in (params[0] as object)
        ? { code: -32000, message: "unknown block" }
        : null,
  }),
  "sent-refused": () =>
    sending((raw) =>
      parseTransaction(raw).data === undefined ? null : { code: -32003, message: "exceeds block gas limit" },
    ),
  "sent-underpriced"() {
    let asked = 0;
    return sending(() => ({
      ...{ code: -32000, message: `${asked++ % 2 ? "replacement " : ""}transaction underpriced` },
    }));
  },
  "sent-dropped": () => sending(accepted),
  "sent-late": () =>
    sending((raw, view) => {
      void wait(LATE_MS, undefined, { signal: ending })
        .then(() => view.ask(SEND, [raw]))
        .catch(() => {});
      return accepted(raw);
    }),
  "sent-stuck"() {
    /** Fee of what is kept back, by sender and nonce. */
    const stuck = new Map<string, bigint>();
    return sending(async (raw) => {
      const { nonce, maxFeePerGas = 0n } = parseTransaction(raw);
      const key = `${await recoverTransactionAddress({ serializedTransaction: raw })} ${nonce}`;
      const offered = stuck.get(key);
      // It goes on when it offers more for its nonce than the first one did.
      if (offered !== undefined && maxFeePerGas > offered) return null;
      stuck.set(key, offered ?? maxFeePerGas);
      return accepted(raw);
    });
  },
  "sent-known": () => sending(sentAnd(() => ({ code: -32000, message: "already known" }))),
  "sent-nonce-low": () => sending(sentAnd(() => ({ code: -32003, message: "nonce too low" }))),
  "sent-lost": () =>
    sending(
      sentAnd(() => {
        throw new Error("no answer comes");
      }),
    ),
});

type Take = (raw: Raw, view: StrictView) => RuleResult | Promise<RuleResult>;
const sending = (take: Take): Acts => ({
  call: ({ method, params }, view) => (method === SEND ? take(params[0] as Raw, view) : null),
});
const accepted = (raw: Raw): RuleResult => ({ result: keccak256(raw) });
const sentAnd =
  (answer: () => RuleResult): Take =>
  async (raw, view) => {
    await view.ask(SEND, [raw]);
    return answer();
  };

/** The answers of a node that has not seen the newest blocks. */
const behind = (blocks: () => number): Acts => ({
  async call({ method, params = [] }, view) {
    const newest = Number((await view.ask("eth_blockNumber", [])).result);
    const head = Math.max(0, newest - blocks());
    if (method === "eth_blockNumber") return { result: hex(head) };
    const isNewest = (value: unknown) => value === "latest" || value === "pending" || value === "safe";
    const { result, error } = await view.ask(
      method,
      params.map((value) => (isNewest(value) ? hex(head) : value)),
    );
    if (error) return error;
    const above = (found: unknown) => {
      const { blockNumber, number } = (found ?? {}) as { blockNumber?: string; number?: string };
      return Number(blockNumber ?? number) > head;
    };
    if (Array.isArray(result)) return { result: result.filter((entry) => !above(entry)) };
    return { result: above(result) ? null : result };
  },
});

export type TroubledNode = Awaited<ReturnType<typeof startTroubledNode>>;

/** @param rpcUrl whom it asks */
export async function startTroubledNode(rpcUrl: string) {
  const ending = new AbortController();
  const acts = actsOf(ending.signal);
  const hanging = new Set<ServerResponse>();
  let mode: NodeMode | null = null;
  let now: Acts = {};
  const node = await startStrictNode({
    upstream: rpcUrl,
    profile: [
      {
        get name() {
          return mode ?? "clear";
        },
        call: (call, view) => now.call?.(call, view) ?? null,
        answer: (call, answer, view) => now.answer?.(call, answer, view) ?? null,
      },
    ],
    async meets(outgoing, answer) {
      if (mode === "cut") return void outgoing.destroy();
      if (mode === "error") return void outgoing.writeHead(502).end("bad gateway");
      if (mode === "busy") return void outgoing.writeHead(429, { "retry-after": "1" }).end("too many requests");
      if (mode === "hanging") return void hanging.add(outgoing);
      if (mode === "slow") await wait(SLOW_MS, undefined, { signal: ending.signal });
      await answer();
    },
    sends(outgoing, text) {
      if (mode === "lost") outgoing.destroy();
      else outgoing.end(mode === "truncated" ? text.slice(0, text.length / 2) : text);
    },
  });
  return {
    url: node.url,
    /** How often each mode has refused a call or changed an answer. */
    troubled: () => node.counts().refused,
    get mode() {
      return mode;
    },
    set mode(next: NodeMode | null) {
      mode = next;
      now = (next && acts[next]?.()) ?? {};
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    close(): void {
      ending.abort();
      node.close();
    },
  };
}

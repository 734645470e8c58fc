/** What a rule of a strict node is, and the limits of real endpoints as rules: what each refuses, in the words, code and HTTP status of its provider. */
import { type Hex, keccak256, parseTransaction, stringToHex } from "viem";
import { attempt } from "../../devnet/attempt.ts";

export type Call = { id: unknown; method: string; params: unknown[] };
export type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } };

/** An error in the provider's words. */
export type Refusal = {
  code: number;
  message: string;
  data?: unknown;
  /** HTTP status of a single call, or of a refused batch; 200 without one. */
  status?: number;
  headers?: Record<string, string>;
};

/** What a rule may know: the node behind the profile, and the time. */
export type StrictView = {
  /** One call to the node behind, uncounted. */
  ask(method: string, params: unknown[]): Promise<Answer>;
  /** Number of the newest block. */
  head(): Promise<number>;
  /** Milliseconds. */
  now(): number;
};

export type Rule = {
  /** The key of its count. */
  name: string;
  /** Refuses a whole HTTP request, with one error object. */
  request?(calls: Call[], isBatch: boolean, view: StrictView): Refusal | null;
  /** Refuses a call, or answers in place of the node. */
  call?(call: Call, view: StrictView): RuleResult | Promise<RuleResult>;
  /** Refuses or changes what the node answered. */
  answer?(call: Call, answer: Answer, view: StrictView): RuleResult | Promise<RuleResult>;
  /** Refuses an HTTP answer by its bytes, with one error object. */
  response?(bytes: number): Refusal | null;
};

/** A refusal, an answer in place of the node's, or nothing. */
export type RuleResult = Refusal | { result: unknown } | null;

type Filter = { fromBlock?: string; toBlock?: string; blockHash?: Hex };
/** A range of eth_getLogs as numbers, both ends included; words are made of it. */
export type Range = { from: number; to: number; blocks: number };

export const hex = (value: number): Hex => `0x${value.toString(16)}`;

/** More calls than `max` in one HTTP request are answered with one error object instead of a list. */
export const batches = (max: number, refusal: Refusal): Rule => ({
  name: `batch above ${max}`,
  request: (calls, isBatch) => (isBatch && calls.length > max ? refusal : null),
});

/** Methods that the endpoint does not serve; `pending` is a block that it does not serve either. */
export const unsupported = (methods: RegExp): Rule => ({
  name: "unsupported method",
  call({ method, params }) {
    if (methods.test(method)) return { code: -32601, message: "method not supported" };
    if (method === "eth_getBlockByNumber" && params[0] === "pending")
      return { code: -32014, message: "requested data not available" };
    return null;
  },
});

/** eth_getLogs over more than `max` blocks. */
export const logsRange = (max: number, words: (range: Range) => Refusal): Rule => ({
  name: `logs of more than ${max} blocks`,
  async call(call, view) {
    const range = await rangeOf(call, view);
    return range !== null && range.blocks > max ? words(range) : null;
  },
});

/** eth_getLogs that finds more than `max` logs. `fits` is the last block of the range that would not have. */
export const logsFound = (max: number, words: (range: Range & { fits: number }) => Refusal): Rule => ({
  name: `more than ${max} logs`,
  async answer(call, answer, view) {
    const range = await rangeOf(call, view);
    const found = answer.result as { blockNumber: Hex }[] | undefined;
    if (range === null || !Array.isArray(found) || found.length <= max) return null;
    return words({ ...range, fits: Math.max(range.from, Number(found[max]!.blockNumber) - 1) });
  },
});

/**
 * eth_getLogs that leaves one log in `every` out of the first answer that would have it, as one of several backends does
 * whose index of logs has a hole. Which ones follows from the log, so that a run can be repeated.
 */
export function omitsLogs(every: number): Rule {
  const omitted = new Set<string>();
  return {
    name: OMITS,
    answer({ method }, { result }) {
      if (method !== "eth_getLogs" || !Array.isArray(result)) return null;
      const left = (result as { blockHash: Hex; logIndex: Hex }[]).filter(({ blockHash, logIndex }) => {
        const place = `${blockHash} ${logIndex}`;
        if (omitted.has(place) || Number(`0x${keccak256(stringToHex(place)).slice(-8)}`) % every !== 0) return true;
        omitted.add(place);
        return false;
      });
      return left.length === result.length ? null : { result: left };
    },
  };
}

/** An HTTP answer of more than `max` bytes; a batch counts as one. */
export const answerBytes = (max: number, refusal: Refusal): Rule => ({
  name: "answer too large",
  response: (bytes) => (bytes > max ? refusal : null),
});

export type ComputeUnits = {
  perSecond: number;
  /** Units that a client may use at once after a pause. */
  burst: number;
  /** By method; `fallback` for the others. */
  weights: Record<string, number>;
  fallback: number;
  /** `waitS` is the time until there are units again. */
  words(waitS: number): Refusal;
  /** Refuses the whole HTTP request; otherwise the calls of a batch that find no units. */
  whole?: boolean;
};

/** A token bucket of compute units per second, each method with its weight. */
export function computeUnits({ perSecond, burst, weights, fallback, words, whole }: ComputeUnits): Rule {
  let units = burst;
  let at: number | null = null;
  const weight = ({ method }: Call) => weights[method] ?? fallback;
  const take = (wanted: number, now: number): Refusal | null => {
    units = Math.min(burst, units + ((now - (at ?? now)) / 1000) * perSecond);
    at = now;
    if (units < wanted) return words((wanted - units) / perSecond);
    units -= wanted;
    return null;
  };
  const name = "rate";
  if (!whole) return { name, call: (call, view) => take(weight(call), view.now()) };
  const sum = (calls: Call[]) =>
    Math.min(
      burst,
      calls.reduce((total, call) => total + weight(call), 0),
    );
  return { name, request: (calls, _isBatch, view) => take(sum(calls), view.now()) };
}

/** Position of the block among the parameters of methods that read the state. */
const STATE: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
};

/** Name of the rule of nodes that leave logs out. */
export const OMITS = "log left out";

/** Name of the rule of nodes without an archive. */
export const OLD_STATE = "old state";

/** Reads of a state more than `depth` blocks old. The refusals are given in turns: backends are of several kinds. */
export function prunedState(depth: number, refusals: ((block: number) => Refusal)[]): Rule {
  let turn = 0;
  return {
    name: OLD_STATE,
    async call({ method, params }, view) {
      const position = STATE[method];
      if (position === undefined) return null;
      const block = await numberOf(params[position], view);
      if (block === null) return null;
      const head = await view.head();
      return block >= head - depth ? null : refusals[turn++ % refusals.length]!(block);
    },
  };
}

/** Max gas limit of a transaction since EIP-7825: 2^24. */
const MAX_TRANSACTION_GAS = 16_777_216;

/** Gas limits of transactions and calls above the cap of EIP-7825, and of transactions above the block's. */
export const gasCaps = (): Rule => ({
  name: "gas cap",
  async call({ method, params }, view) {
    if (method === "eth_call" || method === "eth_estimateGas") {
      const { gas } = params[0] as { gas?: Hex };
      // revm's words for a gas limit above the cap.
      return Number(gas ?? 0) > MAX_TRANSACTION_GAS ? { code: -32000, message: "intrinsic gas too high" } : null;
    }
    if (method !== "eth_sendRawTransaction") return null;
    const gas = gasOf(params[0] as Hex);
    if (gas === null) return null;
    if (gas > MAX_TRANSACTION_GAS)
      return { code: -32000, message: `transaction gas limit too high (cap: ${MAX_TRANSACTION_GAS}, tx: ${gas})` };
    const latest = (await view.ask("eth_getBlockByNumber", ["latest", false])).result as { gasLimit: Hex };
    return gas > BigInt(latest.gasLimit) ? { code: -32000, message: "exceeds block gas limit" } : null;
  },
});

/**
 * One of `backends` backends behind the URL shows a block only `lagMs` after the others. Calls go to them in turns.
 * A block that it does not have is null, its receipts are null, its logs and its state are refused.
 */
export function backendBehind(lagMs: number, backends = 3): Rule {
  const seen: { block: number; at: number }[] = [];
  let turn = 0;
  let wordsTurn = 0;
  /** Heights of the newest backend and of the one behind. */
  const heads = async (view: StrictView) => {
    const block = await view.head();
    const now = view.now();
    if (seen.length === 0) seen.push({ block, at: now - lagMs });
    // A reorganisation takes blocks back.
    while (seen.length > 1 && seen.at(-1)!.block > block) seen.pop();
    if (seen.at(-1)!.block < block) seen.push({ block, at: now });
    while (seen.length > 1 && seen[1]!.at <= now - lagMs) seen.shift();
    return { newest: block, behind: Math.min(seen[0]!.block, block) };
  };
  const turns = new WeakMap<Call, number>();
  return {
    name: "block not found",
    async call(call, view) {
      if (turn++ % backends !== backends - 1) return null;
      const { newest, behind } = await heads(view);
      if (newest === behind) return null;
      turns.set(call, behind);
      if (call.method === "eth_blockNumber") return { result: hex(behind) };
      const named = { ...call, params: withLatest(call.params, hex(behind)) };
      const missing = await missingAt(named, behind, view);
      if (missing !== null) return missing;
      if (JSON.stringify(named.params) === JSON.stringify(call.params)) return null;
      const { result, error } = await view.ask(call.method, named.params);
      return error ?? { result };
    },
    answer(call, answer) {
      const behind = turns.get(call);
      if (behind === undefined || answer.result === null || typeof answer.result !== "object") return null;
      const { number, blockNumber } = answer.result as { number?: Hex; blockNumber?: Hex };
      if (Number(number ?? blockNumber ?? 0) <= behind) return null;
      // A transaction that is in a block of the others only is pending here.
      if (call.method === "eth_getTransactionByHash")
        return { result: { ...answer.result, blockNumber: null, blockHash: null, transactionIndex: null } };
      return { result: null };
    },
  };

  /** The refusal of logs or a state of a block that the backend does not have. */
  async function missingAt(call: Call, behind: number, view: StrictView): Promise<Refusal | null> {
    if (call.method === "eth_getLogs") {
      const { blockHash, toBlock } = call.params[0] as Filter;
      const last = blockHash === undefined ? Number(toBlock ?? 0) : await numberOf({ blockHash }, view);
      if (last === null || last <= behind) return null;
      // By hash go-ethereum's and reth's words; by range reth's.
      if (blockHash !== undefined)
        return { code: -32000, message: ["unknown block", "block not found"][wordsTurn++ % 2]! };
      return { code: -32602, message: "block range extends beyond current head block" };
    }
    const position = STATE[call.method];
    const block = position === undefined ? null : await numberOf(call.params[position], view);
    return block !== null && block > behind ? { code: -32000, message: "header not found" } : null;
  }
}

/** Parameters with the number of a block in place of `latest`, in a filter of logs too. */
function withLatest(params: readonly unknown[], number: Hex): unknown[] {
  return params.map((value) => {
    if (value === "latest") return number;
    const { fromBlock, toBlock } = (value ?? {}) as Filter;
    if (fromBlock !== "latest" && toBlock !== "latest") return value;
    return {
      ...(value as object),
      ...(fromBlock === "latest" && { fromBlock: number }),
      toBlock: toBlock === "latest" ? number : toBlock,
    };
  });
}

/** The gas limit of signed bytes; null when they are no transaction. */
const gasOf = (raw: Hex): bigint | null => attempt(() => parseTransaction(raw).gas ?? 0n, null);

/** @returns null when it is no eth_getLogs by range */
async function rangeOf({ method, params }: Call, view: StrictView): Promise<Range | null> {
  if (method !== "eth_getLogs") return null;
  const { blockHash, fromBlock = "latest", toBlock = "latest" } = params[0] as Filter;
  if (blockHash !== undefined) return null;
  const head = await view.head();
  const number = (value: string) => (value === "earliest" ? 0 : value.startsWith("0x") ? Number(value) : head);
  const [from, to] = [number(fromBlock), number(toBlock)];
  return { from, to, blocks: to - from + 1 };
}

/** The number of a block parameter; null for the newest, and for one that the node does not have. */
async function numberOf(value: unknown, view: StrictView): Promise<number | null> {
  if (value === "earliest") return 0;
  if (typeof value === "string") return value.length < 66 && value.startsWith("0x") ? Number(value) : null;
  const { blockHash, blockNumber } = (value ?? {}) as { blockHash?: Hex; blockNumber?: Hex };
  if (blockNumber !== undefined) return Number(blockNumber);
  if (blockHash === undefined) return null;
  const found = (await view.ask("eth_getBlockByHash", [blockHash, false])).result as { number: Hex } | null;
  return found === null || found === undefined ? null : Number(found.number);
}

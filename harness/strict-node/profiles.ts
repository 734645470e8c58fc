/** Kinds of endpoints as operators meet them: each profile is a row of rules with one provider's limits, in its words. */
import {
  answerBytes,
  backendBehind,
  batches,
  computeUnits,
  gasCaps,
  hex,
  logsFound,
  logsRange,
  OLD_STATE,
  omitsLogs,
  prunedState,
  type Rule,
  unsupported,
} from "./rules.ts";

/** Filters live in one backend; traces and the control of development nodes are not served. */
const NO_FILTERS = /^(eth_new|eth_getFilter|eth_uninstallFilter|eth_subscribe|debug_|trace_|anvil_|hardhat_|evm_)/;
const MEGABYTE = 1_048_576;
/** Blocks whose state is kept. Real nodes keep 128 or more; a development chain has fewer blocks than that. */
const STATE_BLOCKS = 32;
const LAG_MS = 600;

/** Compute units by method, as commercial providers bill them (Alchemy's table of 2026). */
const UNITS = {
  weights: {
    eth_chainId: 0,
    eth_blockNumber: 10,
    eth_feeHistory: 10,
    eth_maxPriorityFeePerGas: 10,
    eth_getTransactionReceipt: 20,
    eth_call: 26,
    eth_sendRawTransaction: 40,
    eth_getLogs: 60,
  },
  fallback: 20,
};

const retryAfter = (seconds: number) => ({ "retry-after": String(Math.max(1, Math.ceil(seconds))) });

/** Words of a state that is not kept, by kind of node. */
export const MISSING_STATE = [
  // go-ethereum with hash scheme
  (block: number) => ({
    code: -32000,
    message: `missing trie node ${block.toString(16).padStart(64, "0")} (path ) state 0x${block.toString(16).padStart(64, "0")} is not available, not found`,
  }),
  // go-ethereum with path scheme
  (block: number) => ({
    code: -32000,
    message: `historical state ${block.toString(16).padStart(64, "0")} is not available`,
  }),
  // a backend without the header
  () => ({ code: -32000, message: "header not found" }),
  // reth
  (block: number) => ({ code: 4444, message: `state at block #${block} is pruned` }),
  // op-reth's proofs, and proxies before it
  () => ({ code: -32602, message: "distance to target block exceeds maximum proof window" }),
  // nethermind
  (block: number) => ({ code: -32002, message: `No state available for block ${block}` }),
  // public gateways
  () => ({ code: -32000, message: "state not available" }),
  // publicnode
  () => ({ code: -32602, message: "Archive requests require a personal token" }),
];

/** Every profile: the rules of a new strict node. Rules keep counters of their own, so each node gets new ones. */
export const PROFILES = {
  /** A node of one's own: nothing is refused. For comparison. */
  own: () => [],

  /** mainnet.base.org: proxyd before several backends. */
  "public-base": () => [
    unsupported(NO_FILTERS),
    batches(10, { code: -32014, message: "maximum 10 calls in 1 batch" }),
    computeUnits({
      ...{ perSecond: 60, burst: 120, weights: {}, fallback: 1, whole: true },
      words: (waitS) => ({ code: -32016, message: "over rate limit", status: 429, headers: retryAfter(waitS) }),
    }),
    logsRange(2_000, () => ({ code: -32614, message: "eth_getLogs is limited to a 2,000 range", status: 413 })),
    prunedState(STATE_BLOCKS, MISSING_STATE),
    backendBehind(LAG_MS),
    gasCaps(),
    answerBytes(10 * MEGABYTE, { code: -32020, message: "backend response too large", status: 500 }),
  ],

  /** A commercial provider's free plan: Alchemy. */
  "logs-10": () => [
    logsRange(10, ({ from }) => ({
      code: -32600,
      message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + 9)}]. Upgrade to PAYG for expanded block range.`,
      status: 400,
    })),
    gasCaps(),
  ],

  /** Alchemy's earlier free plan; the range is named. */
  "logs-500": () => [
    logsRange(500, ({ from }) => ({
      code: -32600,
      message: `You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + 499)}]`,
    })),
    batches(100, { code: -32000, message: "batch limit 100 exceeded" }),
    gasCaps(),
  ],

  /** Hyperliquid's and several public gateways' words; batches of geth's own limit. */
  "logs-2000": () => [
    logsRange(2_000, () => ({ code: -32602, message: "query exceeds max block range 2000" })),
    batches(20, { code: -32600, message: "batch too large" }),
    prunedState(STATE_BLOCKS, MISSING_STATE.slice(0, 2)),
    gasCaps(),
  ],

  /** QuickNode: 10,000 blocks; HTTP 413. */
  "logs-10000": () => [
    logsRange(10_000, () => ({ code: -32614, message: "eth_getLogs is limited to a 10,000 range", status: 413 })),
    batches(100, { code: -32007, message: "100/batch request limit reached" }),
    gasCaps(),
  ],

  /** Infura: 10,000 logs, with the range that fits; ranges above 10,000 blocks by another code. */
  "logs-found": () => [
    logsRange(10_000, ({ blocks }) => ({ code: -32602, message: `range ${blocks} exceeds limit of 10000` })),
    logsFound(10_000, ({ from, fits }) => ({
      code: -32005,
      message: `query returned more than 10000 results. Try with this block range [${hex(from)}, ${hex(fits)}].`,
      data: { from: hex(from), limit: 10_000, to: hex(fits) },
    })),
    gasCaps(),
  ],

  /** Ankr's words: no number is named. */
  "logs-unnamed": () => [
    logsRange(1_000, () => ({ code: -32600, message: "block range is too wide" })),
    batches(1_000, { code: -32600, message: "batch size is too large" }),
    gasCaps(),
  ],

  /** Compute units per second: Alchemy; in a batch each call is refused for itself, under HTTP 200. */
  "compute-units": () => [
    computeUnits({
      ...{ perSecond: 2_000, burst: 4_000, ...UNITS },
      words: (waitS) => ({
        code: 429,
        message:
          "Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput",
        status: 429,
        headers: retryAfter(waitS),
      }),
    }),
    gasCaps(),
  ],

  /** Infura's credits: -32005 under HTTP 429. */
  credits: () => [
    computeUnits({
      ...{ perSecond: 2_000, burst: 2_000, ...UNITS, whole: true },
      words: (waitS) => ({
        code: -32005,
        message: "project ID request rate exceeded",
        data: { see: "https://infura.io/dashboard", rate: { backoff_seconds: Math.ceil(waitS) } },
        status: 429,
        headers: retryAfter(waitS),
      }),
    }),
    gasCaps(),
  ],

  /** reth's limit of one answer (jsonrpsee), set to 10 MB, and of a whole batch. */
  "answers-10mb": () => [
    answerBytes(10 * MEGABYTE, {
      code: -32008,
      message: "Response is too big",
      data: `Exceeded max limit of ${10 * MEGABYTE}`,
    }),
    gasCaps(),
  ],

  /** A full node without an archive. */
  pruned: () => [prunedState(STATE_BLOCKS, MISSING_STATE), gasCaps()],

  /** A backend whose index of logs has holes: one log in 500 is missing from the first answer, and nothing says so. */
  omits: () => [omitsLogs(500), gasCaps()],

  /** Several backends behind one URL, one of them a moment behind. */
  backends: () => [backendBehind(LAG_MS), gasCaps()],
} satisfies Record<string, () => Rule[]>;

export type ProfileName = keyof typeof PROFILES;

/** Whether an endpoint keeps the states of all blocks; an operator sets RPC_ARCHIVE to it. */
export const keepsState = (profile: ProfileName): boolean =>
  !PROFILES[profile]().some((rule: Rule) => rule.name === OLD_STATE);

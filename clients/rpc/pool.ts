/** The pool of JSON-RPC nodes of one chain: the one place that decides how a request reaches them. */
import { RPC_ROLES, type RpcNode, type RpcRole } from "../../core/operations/rpc-roles.ts";
import type { Proxies } from "../http/egress.ts";
import type { RpcNodeStats } from "../ports.ts";
import { readLogs } from "./logs.ts";
import { type Outcome, RpcNodeConnection } from "./node.ts";
import type { RpcCall } from "./post.ts";
import { filterOf, readsRange } from "./requests.ts";
import { type RequestErrors, Route } from "./route.ts";
import { WholeLogs } from "./whole-logs.ts";

export { RpcRequestError } from "./errors.ts";

export type RpcPool = {
  readonly chainId: number;
  /**
   * One request. The nodes with its role are tried in their order, then the others; batches, ranges of logs, gas of calls
   * and the rate follow what each node allows.
   * @throws RpcRequestError the nodes' own answer about the request: a revert, a refused transaction, a pruned state
   * @throws Failure upstream_unavailable when no node gave a usable answer. After eth_sendRawTransaction it is then unknown
   *   whether a node has the transaction
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Requests to each node, and what was learned of it, in the order of the configuration. */
  stats(): RpcNodeStats[];
  close(): void;
};

export type RpcPoolOptions = {
  chainId: number;
  /** The preferred node first. Entries of one URL are one node with the roles of all. */
  nodes: readonly RpcNode[];
  /** Max milliseconds of one HTTP request. */
  timeoutMs?: number;
  /** Max milliseconds that a request waits for nodes that are all paused for their rate. */
  maxWaitMs?: number;
  /** Max concurrent HTTP requests to one URL. */
  concurrency?: number;
  /** Max requests that wait for one URL. */
  queue?: number;
  maxBytes?: number;
  /**
   * Whether the logs of a range count only from a backend that has its last block: a backend that lags answers with the logs
   * that it has, or none, without an error. Near the head each eth_getLogs then travels with an eth_blockNumber.
   */
  logsNeedHead?: boolean;
  /**
   * Whether logs count only once they are shown to be whole (whole-logs.ts): ranges are then read at least twice, and what
   * an answer lacked is counted among its node's refusals.
   */
  wholeLogs?: boolean;
  /** Undefined: nodes are dialled directly. */
  proxies?: Proxies | undefined;
  /** Gets the outcome of every request to every node. */
  meter?: { asked(upstream: string, outcome: "answered" | "trouble" | "refused", ms: number): void } | undefined;
  /** Gets a sentence when a node serves another chain. */
  warn?: (sentence: string) => void;
  /** Milliseconds of a clock that only grows. */
  clock?: () => number;
};

const DEFAULTS = { timeoutMs: 5_000, maxWaitMs: 10_000, concurrency: 16, queue: 5_000, maxBytes: 32_000_000 };

/** Connects to nothing before the first request. Without a node every request fails. */
export function openRpcPool(options: RpcPoolOptions): RpcPool {
  const given = { ...DEFAULTS, ...options };
  const { chainId, meter, warn = () => {}, clock: now = () => performance.now() } = options;
  const nodes = merged(options.nodes).map((node) => new RpcNodeConnection({ ...given, ...node, now, warn }));
  /** The nodes with a role before the others. */
  const byRole = Object.fromEntries(RPC_ROLES.map((role) => [role, preferring(nodes, role)]));

  /**
   * Nodes in the order in which they are tried: those that do not answer at the end, those of another chain left out.
   * @param ordered the nodes with a role before the others
   */
  function* candidates(ordered: typeof byRole, role: RpcRole, met: RequestErrors): Generator<RpcNodeConnection> {
    const silent: RpcNodeConnection[] = [];
    let others = 0;
    for (const node of ordered[role]!) {
      if (!node.isOfChain(false)) continue;
      others++;
      if (node.pausedMs() > 0) met.busy = true;
      else if (node.admits()) yield node;
      else silent.push(node);
    }
    if (met.request) return;
    yield* silent;
    if (others === 0) for (const node of ordered[role]!) if (node.isOfChain(true)) yield node;
  }

  async function ask(node: RpcNodeConnection, call: RpcCall): Promise<Outcome> {
    const startedAt = performance.now();
    const outcome = await node.ask(call);
    meter?.asked(`rpc ${node.host}`, meaningOf(outcome), performance.now() - startedAt);
    return outcome;
  }

  const routeOver = (ordered: typeof byRole) =>
    new Route({
      candidates: (role, met) => candidates(ordered, role, met),
      ask,
      now,
      maxWaitMs: given.maxWaitMs,
      pausedMs: () => Math.min(...nodes.flatMap((node) => node.pausedMs() || [])),
    });
  const route = routeOver(byRole);
  const secondFirst = Object.fromEntries(RPC_ROLES.map((role) => [role, withSecondFirst(byRole[role]!, role)]));
  const whole = options.wholeLogs
    ? new WholeLogs({
        route,
        other: routeOver(secondFirst),
        omitted: (logs, way) => (way === "route" ? byRole : secondFirst).logs![0]?.omitted(logs),
      })
    : null;
  return {
    chainId,
    async request(method, params) {
      const call = { method, params };
      if (whole && method === "eth_getLogs") return whole.read(filterOf(params));
      if (whole && HEADERS.has(method)) {
        const { result } = await route.send(call);
        whole.noteHeader(result);
        return result;
      }
      return readsRange(call) ? readLogs(route, filterOf(params)) : (await route.send(call)).result;
    },
    stats: () => nodes.map((node) => node.stats()),
    close() {
      for (const node of nodes) node.close();
    },
  };
}

/** Methods whose answers are headers. */
const HEADERS = new Set(["eth_getBlockByNumber", "eth_getBlockByHash"]);

function meaningOf(outcome: Outcome): "answered" | "trouble" | "refused" {
  if (outcome.kind === "busy") return "refused";
  return outcome.kind === "silence" || (outcome.kind === "error" && outcome.fault === "node") ? "trouble" : "answered";
}

const preferring = (nodes: readonly RpcNodeConnection[], role: RpcRole): RpcNodeConnection[] =>
  [...nodes].sort((a, b) => Number(b.roles.includes(role)) - Number(a.roles.includes(role)));

/** The order of a second look: the next node with the role first. */
function withSecondFirst(nodes: readonly RpcNodeConnection[], role: RpcRole): RpcNodeConnection[] {
  const [first, second, ...others] = nodes;
  return first && second?.roles.includes(role) ? [second, first, ...others] : [...nodes];
}

/** One node for each URL, with the roles of all its entries, and a host that differs from the others'. */
function merged(nodes: readonly RpcNode[]): (RpcNode & { host: string })[] {
  const byUrl = Map.groupBy(nodes, ({ url }) => url);
  const hosts = new Map<string, number>();
  return [...byUrl].map(([url, entries]) => {
    const { host } = new URL(url);
    const nth = (hosts.get(host) ?? 0) + 1;
    hosts.set(host, nth);
    const roles = RPC_ROLES.filter((role) => entries.some((entry) => entry.roles.includes(role)));
    return { url, roles, host: nth === 1 ? host : `${host}#${nth}` };
  });
}

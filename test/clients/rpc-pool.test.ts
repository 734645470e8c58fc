/** The pool of JSON-RPC nodes: batches, ranges of logs, rates, roles, failover, and what a lost answer means. */
import { beforeEach, describe, expect, it } from "vitest";
import { openRpcPool, type RpcPool, type RpcPoolOptions, RpcRequestError } from "../../clients/rpc/pool.ts";
import { bloomOf } from "../../clients/rpc/whole-logs.ts";
import { Failure } from "../../core/errors.ts";
import { RPC_ROLES, type RpcRole } from "../../core/operations/rpc-roles.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { endedPerTest } from "../support/started.ts";
import { type Asked, error, type RpcServer, rpcServer } from "./support/rpc-server.ts";

const ended = endedPerTest();
let now = 0;
beforeEach(() => {
  now = 1_000_000;
});

/** @param one what it answers to a single call */
async function started(one?: RpcServer["one"]): Promise<RpcServer> {
  const node = ended(await rpcServer());
  return one ? Object.assign(node, { one }) : node;
}

/** Where roles are not said, a node has all of them. */
function poolOf(over: (RpcServer | [RpcServer, ...RpcRole[]])[], options: Partial<RpcPoolOptions> = {}): RpcPool {
  const entries = over.map((entry) => {
    const [node, ...roles] = Array.isArray(entry) ? entry : [entry, ...RPC_ROLES];
    return { url: node.url, roles };
  });
  return ended(openRpcPool({ chainId: 8453, nodes: entries, timeoutMs: LONG, ...options }));
}

const answered = (answer: unknown) => new Error(`answered ${JSON.stringify(answer)}`);
const reason = (asked: Promise<unknown>): Promise<unknown> => asked.then(answered, (thrown) => thrown);
const unavailable = async (asked: Promise<unknown>): Promise<Failure> => {
  const thrown = await reason(asked);
  if (!(thrown instanceof Failure) || thrown.code !== "upstream_unavailable") throw thrown;
  return thrown;
};
const refused = async (asked: Promise<unknown>): Promise<RpcRequestError> => {
  const thrown = await reason(asked);
  if (!(thrown instanceof RpcRequestError)) throw thrown;
  return thrown;
};
const quantity = (value: number) => `0x${value.toString(16)}`;
/** One log in each block of the range, named by its block. */
const logsOf = (call: Asked) => {
  const from = Number((call.params[0] as { fromBlock: string }).fromBlock);
  return Array.from({ length: spanOf(call) }, (_, n) => ({ blockNumber: quantity(from + n) }));
};
const spanOf = ({ params }: Asked) => {
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  return Number(toBlock) - Number(fromBlock) + 1;
};
const logsIn = (pool: RpcPool, from: number, to: number | "latest") =>
  pool.request("eth_getLogs", [{ fromBlock: quantity(from), toBlock: to === "latest" ? to : quantity(to) }]);
const isOne = (body: Asked | Asked[], method: string) => !Array.isArray(body) && body.method === method;
/** Answers the question for the chain's id as ever, and everything else so. */
const butItsChain = (answer: ReturnType<RpcServer["post"]>) => (body: Asked | Asked[]) =>
  isOne(body, "eth_chainId") ? undefined : answer;
const limited = { status: 429, headers: { "retry-after": "0" }, body: "too many requests" };
const headerOf = ({ params }: Asked, head: number) => {
  const number = params[0] === "latest" ? head : Number(params[0]);
  return number > head ? null : { number: quantity(number), hash: quantity(number + 0xa000) };
};

describe("batches", () => {
  it("have 10 requests at most, and fewer where a node takes fewer; every request is answered by its id", async () => {
    const node = await started(({ params }) => params[0]);
    const few = { code: -32014, message: "maximum 3 calls in 1 batch" };
    node.post = (body) =>
      Array.isArray(body) && body.length > 3
        ? { status: 200, body: { jsonrpc: "2.0", id: null, error: few } }
        : undefined;
    const sizes = () => node.posts.map((post) => (Array.isArray(post) ? post.length : 1));
    const pool = poolOf([node]);
    const asked = Array.from({ length: 25 }, (_, n) => pool.request("eth_getBalance", [quantity(n), "latest"]));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 25 }, (_, n) => quantity(n)));
    expect(Math.max(...sizes())).toBe(10);
    expect(pool.stats()[0]).toMatchObject({ batch: 2, state: "ready", host: new URL(node.url).host });
    node.posts.length = 0;
    await Promise.all(Array.from({ length: 6 }, (_, n) => pool.request("eth_getBalance", [quantity(n), "latest"])));
    expect(sizes()).toEqual([2, 2, 2]);
  });

  it("answered in another order, and with an error for one request, concern each request alone", async () => {
    const node = await started();
    const reverted = { code: 3, message: "execution reverted", data: "0xabcd" };
    node.one = ({ params }) => (params[0] === "0x2" ? error(3, "execution reverted", "0xabcd") : params[0]);
    const answer = ({ id, params }: Asked) => {
      const { to } = params[0] as { to: string };
      return { id, ...(to === "0x2" ? { error: reverted } : { result: to }) };
    };
    node.post = (body) => (Array.isArray(body) ? { body: body.map(answer).reverse() } : undefined);
    const pool = poolOf([node]);
    const calls = ["0x1", "0x2", "0x3"].map((to) => pool.request("eth_call", [{ to }, "latest"]));
    expect(await calls[0]).toBe("0x1");
    expect(await refused(calls[1]!)).toMatchObject({ code: 3, data: "0xabcd", details: "execution reverted" });
    expect(await calls[2]).toBe("0x3");
  });

  it("never hold a transaction or logs", async () => {
    const node = await started();
    const pool = poolOf([node]);
    await Promise.all([
      pool.request("eth_blockNumber", []),
      pool.request("eth_sendRawTransaction", ["0x02"]),
      pool.request("eth_getLogs", [{ fromBlock: "0x1", toBlock: "0x2" }]),
      pool.request("eth_maxPriorityFeePerGas", []),
    ]);
    const batches = node.posts.filter((post) => Array.isArray(post));
    expect(batches.flat().map(({ method }) => method)).toEqual(["eth_blockNumber", "eth_maxPriorityFeePerGas"]);
  });
});

describe("ranges of logs", () => {
  it.each([
    ["eth_getLogs is limited to a 500 range", 500],
    ["query exceeds max block range 500", 500],
    ["You can make eth_getLogs requests with up to a 500 block range. this block range should work: [0x0, 0x1f3]", 500],
    ["block range is too wide", 450],
    ["ranges over 500 blocks are not supported on freetier", 500],
    ["exceed maximum block range: 500", 500],
  ])("refused with %j are split, joined in order, and split at once the next time", async (words, range) => {
    const node = await started((call) => {
      if (call.method === "eth_getBlockByNumber") return headerOf(call, 5_000);
      return spanOf(call) > 500 ? error(-32005, words) : logsOf(call);
    });
    const pool = poolOf([node]);
    const expected = Array.from({ length: 1_800 }, (_, n) => ({ blockNumber: quantity(n + 1) }));
    expect(await logsIn(pool, 1, 1_800)).toEqual(expected);
    expect(pool.stats()[0]!.logsRange).toBe(range);
    node.posts.length = 0;
    expect(await logsIn(pool, 1, 1_800)).toEqual(expected);
    expect(node.asked("eth_getLogs").every((call) => spanOf(call) <= 500)).toBe(true);
  });

  it("up to the newest block are split too", async () => {
    const node = await started((call) => {
      if (call.method === "eth_getBlockByNumber") return headerOf(call, 100);
      if (Number.isNaN(spanOf(call)) || spanOf(call) > 10) return error(-32600, "limited to a 10 blocks range");
      return logsOf(call);
    });
    expect(await logsIn(poolOf([node]), 1, "latest")).toHaveLength(100);
  });

  it("with too many logs are halved where they are dense, down to single blocks", async () => {
    const node = await started((call) => {
      if (call.method === "eth_getBlockByNumber") return headerOf(call, 5_000);
      const { fromBlock } = call.params[0] as { fromBlock: string };
      const isDense = Number(fromBlock) < 4;
      return isDense && spanOf(call) > 1 ? error(-32005, "query returned more than 10000 results") : logsOf(call);
    });
    const logs = await logsIn(poolOf([node]), 1, 64);
    expect(logs).toEqual(Array.from({ length: 64 }, (_, n) => ({ blockNumber: quantity(n + 1) })));
  });

  it("are read again when the chain was reorganised between two of their parts", async () => {
    const node = await started();
    let fork = 0;
    let reads = 0;
    node.one = (call) => {
      if (call.method === "eth_getBlockByNumber") return { number: call.params[0], hash: `0x${fork}` };
      if (spanOf(call) > 10) return error(-32005, "query exceeds max block range 10");
      if (++reads === 2) fork = 1;
      return [{ fork }];
    };
    const pool = poolOf([node]);
    expect(await logsIn(pool, 1, 20)).toEqual([{ fork: 1 }, { fork: 1 }]);
    expect(reads).toBe(4);
    node.one = (call) => {
      if (call.method === "eth_getBlockByNumber") return { number: call.params[0], hash: `0x${fork++}` };
      return spanOf(call) > 10 ? error(-32005, "query exceeds max block range 10") : [];
    };
    await unavailable(logsIn(pool, 1, 20));
  });

  it("without an end are bounded: a node that refuses a single block ends the request", async () => {
    const node = await started();
    node.one = (call) =>
      call.method === "eth_getBlockByNumber" ? headerOf(call, 5_000) : error(-32005, "query exceeds max block range 0");
    await unavailable(logsIn(poolOf([node]), 1, 8));
    expect(node.asked("eth_getLogs").length).toBeLessThan(60);
  });
});

describe("rates", () => {
  it("refused are waited for as the node says; the others of the same moment lower the rate once", async () => {
    const node = await started();
    let left = 3;
    node.post = (body) => (isOne(body, "eth_getLogs") && left-- > 0 ? limited : undefined);
    node.one = () => [];
    const pool = poolOf([node]);
    await Promise.all(Array.from({ length: 6 }, (_, n) => logsIn(pool, n, n)));
    const [stats] = pool.stats();
    expect(stats!.refused.rate).toBe(3);
    expect(stats!.perSecond).toBeGreaterThanOrEqual(1);
  });

  it("refused with compute units inside an answer are a rate, and another node takes the request meanwhile", async () => {
    const first = await started(() => error(429, "Your app has exceeded its compute units per second capacity"));
    const second = await started(() => "0x2");
    const pool = poolOf([first, second]);
    expect(await pool.request("eth_blockNumber", [])).toBe("0x2");
    expect(await pool.request("eth_blockNumber", [])).toBe("0x2");
    expect(first.asked("eth_blockNumber")).toHaveLength(1);
    expect(pool.stats()[0]).toMatchObject({ perSecond: 5, refused: { rate: 1 } });
  });

  it("paused beyond the patience fail at once", async () => {
    const node = await started();
    node.post = () => ({ status: 429, headers: { "retry-after": "60" }, body: "" });
    await unavailable(poolOf([node]).request("eth_blockNumber", []));
    expect(node.posts).toHaveLength(1);
  });

  it("never keep more than the queue's bound waiting", async () => {
    const node = await started();
    node.post = butItsChain({ hang: true });
    const pool = poolOf([node], { queue: 5, concurrency: 1, maxWaitMs: 0, timeoutMs: NEVER });
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => reason(pool.request("eth_getLogs", [{ n }]))));
    expect(all.every((thrown) => thrown instanceof Failure)).toBe(true);
    expect(node.posts.length).toBeLessThan(20);
  });
});

describe("roles", () => {
  it("decide which node is asked first; one that fails is followed by the others", async () => {
    const [head, logs, archive] = [await started(), await started(), await started()];
    const all = [head, logs, archive];
    for (const [n, node] of all.entries()) node.one = ({ method }) => (method === "eth_getLogs" ? [n] : quantity(n));
    const pool = poolOf([
      [head, "head"],
      [logs, "logs"],
      [archive, "archive"],
    ]);
    const filter = { fromBlock: "0x1", toBlock: "0x2" };
    expect(await pool.request("eth_blockNumber", [])).toBe("0x0");
    expect(await pool.request("eth_getLogs", [filter])).toEqual([1]);
    expect(await pool.request("eth_getLogs", [{ blockHash: "0x1" }])).toEqual([0]);
    expect(await pool.request("eth_call", [{ to: "0x1" }, "latest"])).toBe("0x0");
    expect(await pool.request("eth_call", [{ to: "0x1" }, "0x10"])).toBe("0x2");
    archive.one = () => error(-32000, "missing trie node 12ab");
    expect(await pool.request("eth_getBalance", ["0x1", "0x10"])).toBe("0x0");
    await logs.close();
    expect(await pool.request("eth_getLogs", [filter])).toEqual([0]);
  });

  it("of two entries of one URL are those of one node", async () => {
    const node = await started();
    const pool = poolOf([
      [node, "head"],
      [node, "logs"],
    ]);
    expect(pool.stats().map(({ roles }) => roles)).toEqual([["head", "logs"]]);
  });
});

describe("old state", () => {
  it.each([
    "missing trie node 0a1b (path ) state 0x12 is not available",
    "historical state 0x12 is not available",
    "state at block #1 is pruned",
    "No state available for block 0x1",
    "old data not available due to pruning",
    "World state unavailable",
    "header not found",
    "BlockOutOfRangeError: block height is 900 but requested was 1",
    "archive requests require a paid plan",
  ])("refused with %j is read at another node; when none has it, the caller gets the node's words", async (words) => {
    const pruned = await started(() => error(-32000, words));
    const archive = await started(() => "0x7");
    expect(await poolOf([pruned, archive]).request("eth_getBalance", ["0x1", "0x10"])).toBe("0x7");
    expect((await refused(poolOf([pruned]).request("eth_getBalance", ["0x1", "0x10"]))).details).toBe(words);
  });
});

describe("a block right behind the head", () => {
  it("that another backend does not have yet is asked for again, for a moment", async () => {
    const node = await started();
    let missing = 2;
    node.one = ({ method, params }) => {
      if (method === "eth_blockNumber") return "0x64";
      return missing-- > 0 ? null : { number: params[0], hash: "0xaa" };
    };
    const pool = poolOf([node]);
    await pool.request("eth_blockNumber", []);
    expect(await pool.request("eth_getBlockByNumber", ["0x64", false])).toEqual({ number: "0x64", hash: "0xaa" });
    missing = Infinity;
    expect(await pool.request("eth_getBlockByNumber", ["0x64", false])).toBe(null);
    node.posts.length = 0;
    expect(await pool.request("eth_getBlockByNumber", ["0x65", false])).toBe(null);
    expect(node.posts).toHaveLength(1);
  });
});

describe("nodes that fail", () => {
  it("that do not answer within the limit are silent", async () => {
    const node = await started();
    node.post = () => ({ hang: true });
    const pool = poolOf([node], { timeoutMs: NEVER });
    await unavailable(pool.request("eth_blockNumber", []));
    expect(pool.stats()[0]).toMatchObject({ state: "silent" });
  });

  it("that are silent are left out while others answer, and tried again after 5 s, then 10 s", async () => {
    const [first, second] = [await started(), await started()];
    first.post = () => ({ drop: true });
    second.one = () => "0x2";
    const pool = poolOf([first, second], { clock: () => now });
    expect(await pool.request("eth_blockNumber", [])).toBe("0x2");
    expect(pool.stats()[0]).toMatchObject({ state: "silent" });
    const triedAt = async (ms: number) => {
      now += ms;
      const before = first.posts.length;
      expect(await pool.request("eth_blockNumber", [])).toBe("0x2");
      return first.posts.length > before;
    };
    expect(await triedAt(4_900)).toBe(false);
    expect(await triedAt(200)).toBe(true);
    expect(await triedAt(9_900)).toBe(false);
    expect(await triedAt(200)).toBe(true);
    first.post = () => undefined;
    first.one = () => "0x1";
    now += 300_000;
    expect(await pool.request("eth_blockNumber", [])).toBe("0x1");
    expect(pool.stats()[0]).toMatchObject({ state: "ready", since: null });
  });

  it("of another chain are left out, said once, and tried again after an hour", async () => {
    const [first, second] = [await started(), await started()];
    Object.assign(first, { ownChainId: true });
    first.one = () => "0x1";
    second.one = () => "0x2";
    const sentences: string[] = [];
    const pool = poolOf([first, second], { clock: () => now, warn: (sentence) => sentences.push(sentence) });
    for (let n = 0; n < 3; n++) expect(await pool.request("eth_blockNumber", [])).toBe("0x2");
    expect(first.posts).toHaveLength(1);
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).not.toContain("secret-key");
    expect(pool.stats()[0]).toMatchObject({ state: "wrong_chain" });
    now += 3_600_001;
    expect(await pool.request("eth_blockNumber", [])).toBe("0x2");
    expect(first.posts).toHaveLength(2);
    Object.assign(first, { ownChainId: false });
    now += 3_600_001;
    expect(await pool.request("eth_blockNumber", [])).toBe("0x1");
    expect(sentences).toHaveLength(1);
  });

  it("answer too much: the answer is refused at the bound, and the next node is asked", async () => {
    const first = await started(({ method }) => (method === "eth_chainId" ? "0x2105" : "f".repeat(200_000)));
    const second = await started(() => "0x2");
    expect(await poolOf([first, second], { maxBytes: 100_000 }).request("eth_gasPrice", [])).toBe("0x2");
  });

  it.each([
    ["no JSON", { body: "<html>" }],
    ["half of the JSON", { body: '{"jsonrpc":"2.0","id":0,"resu' }],
    ["an empty object", { body: {} }],
    ["status 502", { status: 502, body: "bad gateway" }],
    ["a cut connection", { drop: true as const }],
    ["an internal error", { body: { id: 0, error: { code: -32603, message: "internal error" } } }],
    ["an unknown method", { body: { id: 0, error: { code: -32601, message: "the method does not exist" } } }],
  ])("that answer %s are followed by the next one; alone they are an outage", async (_, answer) => {
    const [first, second] = [await started(), await started()];
    first.post = butItsChain(answer);
    second.one = () => "0x2";
    expect(await poolOf([first, second]).request("eth_gasPrice", [])).toBe("0x2");
    await unavailable(poolOf([first]).request("eth_gasPrice", []));
  });

  it("a revert is every node's answer: only one is asked", async () => {
    const [first, second] = [await started(), await started()];
    first.one = () => error(-32000, "execution reverted: no");
    const call = poolOf([first, second]).request("eth_call", [{ to: "0x1" }, "latest"]);
    expect((await refused(call)).details).toBe("execution reverted: no");
    expect(second.posts).toHaveLength(0);
  });
});

describe("the gas of a call", () => {
  it("above a node's cap is lowered to the cap that the node names, or to 2^24", async () => {
    const node = await started(({ params }) => {
      const gas = Number((params[0] as { gas: string }).gas);
      const cap = "transaction gas limit too high (cap: 16777216, tx: 20000000)";
      return gas > 16_777_216 ? error(-32000, cap) : quantity(gas);
    });
    const pool = poolOf([node]);
    const call = { to: "0x1", gas: quantity(20_000_000) };
    expect(await pool.request("eth_call", [call, "latest"])).toBe(quantity(16_777_216));
    expect(await pool.request("eth_estimateGas", [call])).toBe(quantity(16_777_216));
    expect(node.posts).toHaveLength(4);
  });

  it("that the execution itself needs is no cap", async () => {
    const node = await started(() => error(-32000, "gas required exceeds allowance (5000000)"));
    await refused(poolOf([node]).request("eth_estimateGas", [{ to: "0x1", gas: quantity(5_000_000) }]));
    expect(node.asked("eth_estimateGas")).toHaveLength(1);
  });
});

describe("a transaction", () => {
  const send = (pool: RpcPool) => pool.request("eth_sendRawTransaction", ["0x02"]);

  it("refused by every node has the node's words, whatever their code", async () => {
    const first = await started(() => error(-32001, "Nonce too low"));
    const second = await started(() => error(-32000, "exceeds block gas limit"));
    expect((await refused(send(poolOf([first, second])))).details).toBe("Nonce too low");
    first.one = () => error(-32000, "replacement transaction underpriced");
    second.one = () => "0xhash";
    expect(await send(poolOf([first, second]))).toBe("0xhash");
  });

  it("whose answer was lost is unknown, whatever another node says of it", async () => {
    const [first, second] = [await started(), await started()];
    first.post = butItsChain({ drop: true });
    second.one = () => error(-32000, "insufficient funds for gas * price + value");
    await unavailable(send(poolOf([first, second])));
    second.one = () => error(-32000, "already known");
    expect((await refused(send(poolOf([first, second])))).details).toBe("already known");
    second.one = () => "0xhash";
    expect(await send(poolOf([first, second]))).toBe("0xhash");
  });

  it("that a node could not even be sent to is decided by the others", async () => {
    const [first, second] = [await started(), await started()];
    await first.close();
    second.one = () => error(-32000, "exceeds block gas limit");
    expect((await refused(send(poolOf([first, second])))).details).toBe("exceeds block gas limit");
  });

  it("refused for the rate was not taken: it is sent when the pause is over", async () => {
    const node = await started();
    let left = 1;
    node.post = (body) => (isOne(body, "eth_sendRawTransaction") && left-- > 0 ? limited : undefined);
    node.one = () => "0xhash";
    expect(await send(poolOf([node]))).toBe("0xhash");
    expect(node.asked("eth_sendRawTransaction")).toHaveLength(2);
  });
});

it("what a pool shows of a node names its host and never its path", async () => {
  const node = await started();
  const pool = poolOf([node]);
  await pool.request("eth_blockNumber", []);
  expect(JSON.stringify(pool.stats())).not.toContain("secret-key");
  expect(pool.stats()[0]).toMatchObject({ requests: { eth_chainId: 1, eth_blockNumber: 1 }, posts: 2, retried: 0 });
});

describe("logs that need their last block", () => {
  const filter = { fromBlock: "0x64", toBlock: "0xc8" };
  const lagging = async (heads: number[]) => {
    const node = await started();
    let head = 0;
    node.one = (call) => {
      if (call.method === "eth_blockNumber") {
        head = heads.shift() ?? head;
        return quantity(head);
      }
      // What a node without the later blocks answers: the logs that it has.
      const { toBlock } = call.params[0] as { toBlock: string };
      return logsOf({ ...call, params: [{ ...filter, toBlock: quantity(Math.min(head, Number(toBlock))) }] });
    };
    return node;
  };

  it("are asked again of a backend that has not reached it", async () => {
    const node = await lagging([150, 199, 200]);
    const pool = poolOf([node], { logsNeedHead: true });
    expect(await pool.request("eth_getLogs", [filter])).toHaveLength(101);
    expect(node.asked("eth_getLogs")).toHaveLength(3);
  });

  it("come from another node, or fail, when none has it", async () => {
    const [behind, ready] = [await lagging([150]), await lagging([200])];
    expect(await poolOf([behind, ready], { logsNeedHead: true }).request("eth_getLogs", [filter])).toHaveLength(101);
    const { details } = await refused(poolOf([behind], { logsNeedHead: true }).request("eth_getLogs", [filter]));
    expect(details).toContain("has not reached block 200");
  });

  it("are asked with the head in one HTTP request, or one after the other where batches are refused", async () => {
    const node = await lagging([200]);
    const pool = poolOf([node], { logsNeedHead: true });
    await pool.request("eth_getLogs", [filter]);
    expect(node.posts.at(-1)).toMatchObject([{ method: "eth_blockNumber" }, { method: "eth_getLogs" }]);
    const none = { body: { error: { code: -32014, message: "no batches" } } };
    node.post = (body) => (Array.isArray(body) ? none : undefined);
    expect(await pool.request("eth_getLogs", [filter])).toHaveLength(101);
  });

  it("need no question far below a head that the node has named", async () => {
    const node = await lagging([1_000_000]);
    const pool = poolOf([node], { logsNeedHead: true });
    for (let n = 0; n < 3; n++) expect(await pool.request("eth_getLogs", [filter])).toHaveLength(101);
    expect(node.asked("eth_blockNumber")).toHaveLength(1);
  });
});

describe("logs that must be whole", () => {
  const ADDRESS = `0x${"a9".repeat(20)}` as const;
  const topic = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as const;
  /** Three logs in each block; the last one's topics are the first one's, so that the bloom does not miss it. */
  const inBlock = (block: number) =>
    [1, 2, 1].map((n, index) => ({
      ...{ address: ADDRESS, topics: [topic(n)], data: "0x" },
      ...{ blockNumber: quantity(block), blockHash: topic(block), logIndex: quantity(index) },
    }));
  const header = (block: number) => {
    const logsBloom = `0x${Buffer.from(bloomOf(inBlock(block))).toString("hex")}`;
    return { number: quantity(block), hash: topic(block), logsBloom };
  };
  type Log = ReturnType<typeof inBlock>[number];
  /** A node of blocks 0 to 99. @param leavesOut whether the nth answer to eth_getLogs lacks a log */
  async function nodeThat(leavesOut: (log: Log, nth: number) => boolean, { receipts = true } = {}): Promise<RpcServer> {
    const node = await started();
    let nth = 0;
    node.one = ({ method, params }) => {
      if (method === "eth_blockNumber") return quantity(99);
      if (method === "eth_getBlockByNumber" || method === "eth_getBlockByHash") return header(Number(params[0]));
      if (method === "eth_getBlockReceipts")
        return receipts ? inBlock(Number(params[0])).map((log) => ({ logs: [log] })) : error(-32601, "no such method");
      const { blockHash, fromBlock, toBlock } = params[0] as Record<string, string>;
      const [from, to] = blockHash === undefined ? [Number(fromBlock), Number(toBlock)] : [+blockHash, +blockHash];
      nth++;
      return range(from, to).filter((log) => !leavesOut(log, nth));
    };
    return node;
  }
  const whole = (over: RpcServer[]) => poolOf(over, { wholeLogs: true });
  const isLog = (block: number, index: number) => (log: Log) =>
    Number(log.blockNumber) === block && Number(log.logIndex) === index;
  const omissions = (pool: RpcPool) => pool.stats().map(({ refused }) => refused.omission ?? 0);
  const ofBlock = (pool: RpcPool, block: number) => pool.request("eth_getLogs", [{ blockHash: topic(block) }]);
  const ofRange = (pool: RpcPool, from: number, to: number) =>
    pool.request("eth_getLogs", [{ address: ADDRESS, fromBlock: quantity(from), toBlock: quantity(to) }]);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => inBlock(from + n)).flat();

  it.each([0, 1])("a block's log %i that one answer lacks is asked for again", async (index) => {
    const node = await nodeThat((log, nth) => nth === 1 && isLog(5, index)(log));
    const pool = whole([node]);
    expect(await ofBlock(pool, 5)).toEqual(inBlock(5));
    expect(omissions(pool)).toEqual([1]);
  });

  it("another node is asked for it first, and receipts have what every answer lacks", async () => {
    const [lacks, has] = [await nodeThat(isLog(5, 1)), await nodeThat(() => false)];
    const pool = whole([lacks, has]);
    expect(await ofBlock(pool, 5)).toEqual(inBlock(5));
    expect([lacks.asked("eth_getLogs").length, has.asked("eth_getLogs").length]).toEqual([1, 1]);
    const alone = whole([lacks]);
    expect(await ofBlock(alone, 5)).toEqual(inBlock(5));
    expect(lacks.asked("eth_getBlockReceipts")).toHaveLength(1);
  });

  it("a block whose logs nobody has whole is not answered", async () => {
    const node = await nodeThat(isLog(5, 1), { receipts: false });
    expect(await reason(ofBlock(whole([node]), 5))).toBeInstanceOf(Error);
    expect(await ofBlock(whole([node]), 6)).toEqual(inBlock(6));
  });

  it("a header that was asked for is not asked for again", async () => {
    const node = await nodeThat(() => false);
    const pool = whole([node]);
    await pool.request("eth_getBlockByNumber", [quantity(7), true]);
    await ofBlock(pool, 7);
    expect(node.asked("eth_getBlockByHash")).toEqual([]);
  });

  it("a range is read again until a look adds nothing; what a look lacked is told of its node", async () => {
    const node = await nodeThat((log, nth) => nth === 1 && (isLog(20, 2)(log) || isLog(31, 0)(log)));
    const pool = whole([node]);
    expect(await ofRange(pool, 10, 40)).toEqual(range(10, 40));
    expect(omissions(pool)).toEqual([2]);
    expect(node.asked("eth_getLogs")).toHaveLength(3);
    const second = await nodeThat((log, nth) => nth === 2 && isLog(20, 2)(log));
    expect(await ofRange(whole([second]), 10, 40)).toEqual(range(10, 40));
  });

  it("the second look at a range goes to another node", async () => {
    const [lacks, has] = [await nodeThat(isLog(20, 2)), await nodeThat(() => false)];
    const pool = whole([lacks, has]);
    expect(await ofRange(pool, 10, 40)).toEqual(range(10, 40));
    // The third look, which had to add nothing, lacked it too.
    expect(omissions(pool)).toEqual([2, 0]);
  });

  it("the blocks of a narrow range are read one by one, with a proof for each", async () => {
    const node = await nodeThat(isLog(20, 1));
    const pool = whole([node]);
    expect(await ofRange(pool, 19, 21)).toEqual(range(19, 21));
    const other = { address: `0x${"00".repeat(20)}`, fromBlock: quantity(19), toBlock: quantity(21) };
    expect(await pool.request("eth_getLogs", [other])).toEqual([]);
    const second = { topics: [[topic(2), topic(3)]], fromBlock: quantity(19), toBlock: quantity(21) };
    const expected = range(19, 21).filter(({ logIndex }) => logIndex === "0x1");
    expect(await pool.request("eth_getLogs", [second])).toEqual(expected);
  });
});

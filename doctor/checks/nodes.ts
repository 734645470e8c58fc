/** Checks of each JSON-RPC node alone: its chain, its clock, the history of states that it keeps. */
import type { LearnedLimits } from "../../clients/ports.ts";
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import { firstBlockWhere } from "../../core/first-block.ts";
import { serverSettings } from "../../db/operations/server-health.ts";
import { type Check, error, type Finding, ok, reasonOf, skipped, warning } from "../check.ts";
import type { World } from "../world.ts";

type Node = World["nodes"][number];

/** One finding for each node; a node that does not answer is one as well. */
async function eachNode({ nodes }: World, find: (node: Node) => Promise<Finding>): Promise<Finding[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const finding = await find(node).catch((thrown: unknown) =>
        error(
          reasonOf(thrown),
          "Check its URL and key in RPC_URL or RPC_URLS; the service uses the other nodes meanwhile.",
        ),
      );
      return { subject: node.host, ...finding };
    }),
  );
}

/** The result of a request. @throws Error with the node's words when it refuses */
async function answerOf(node: Node, method: string, params: unknown[]): Promise<unknown> {
  const answer = await node.request(method, params);
  if (answer.ok) return answer.result;
  throw new Error(`${method}: ${answer.message} (${answer.code})`);
}

const chainId: Check = {
  name: "chain id",
  async run(world) {
    const wanted = world.config.chain.id;
    const judged = (found: number, variable: string): Finding =>
      found === wanted
        ? ok(`chain ${found}`)
        : error(
            `chain ${found}, but CHAIN_ID is ${wanted}`,
            `Correct ${variable} or CHAIN_ID: a node of another chain is never used.`,
          );
    const findings = await eachNode(world, async (node) =>
      judged(Number(await answerOf(node, "eth_chainId", [])), "RPC_URL"),
    );
    if (world.wsChainId) {
      const subject = "RPC_WS_URL";
      const finding = await world.wsChainId().then(
        (id) => judged(id, "RPC_WS_URL"),
        (thrown: unknown) => error(reasonOf(thrown), "Correct RPC_WS_URL, or unset it: the indexer polls then."),
      );
      findings.push({ subject, ...finding });
    }
    return findings.length > 0 ? findings : skipped("no node is configured");
  },
};

/** Seconds that a head may be old, and that clocks may differ. */
const OLD_HEAD_SECONDS = 60;
const SKEW_SECONDS = 5;

type Head = { number: string; timestamp: string };
const headOf = async (node: Node) => (await answerOf(node, "eth_getBlockByNumber", ["latest", false])) as Head;

const head: Check = {
  name: "head",
  needs: ["node"],
  async run(world) {
    const blocks = await Promise.all(
      world.nodes.map((node) =>
        headOf(node).then(
          ({ number }) => Number(number),
          () => null,
        ),
      ),
    );
    const highest = Math.max(...blocks.map((block) => block ?? 0));
    return eachNode(world, async (node) => {
      const { number, timestamp } = await headOf(node);
      const age = Math.round(world.now() / 1000 - Number(timestamp));
      const shown = `block ${Number(number)}, ${Math.abs(age)} s ${age < 0 ? "in the future" : "old"}`;
      if (age < -SKEW_SECONDS) return warning(shown, "Set the clock of this machine (NTP): it is behind the chain's.");
      if (highest - Number(number) > 10)
        return warning(
          `${shown}, ${highest - Number(number)} blocks behind another node`,
          "Leave it out until it has caught up.",
        );
      if (age > OLD_HEAD_SECONDS)
        return warning(shown, "The node has stopped following the chain, or this machine's clock is ahead.");
      return ok(shown);
    });
  },
};

async function oldestState(node: Node): Promise<number> {
  const head = Number((await headOf(node)).number);
  const keeps = async (block: number) =>
    (await node.request("eth_getBalance", [ZERO_ADDRESS, `0x${block.toString(16)}`])).ok;
  return firstBlockWhere(0, head, keeps);
}

const archive: Check = {
  name: "archive depth",
  needs: ["node"],
  limitMs: 60_000,
  run: (world) =>
    eachNode(world, async (node) => {
      const { contracts, chain } = world.config;
      const oldest = await oldestState(node);
      const first = Math.min(
        ...Object.values(contracts).map((each) => ("startBlock" in each ? each.startBlock : Infinity)),
      );
      if (oldest <= first) return ok(oldest === 0 ? "state of every block" : `state since block ${oldest}`);
      const head = Number((await headOf(node)).number);
      const shown = `state since block ${oldest}, the last ${head - oldest + 1} blocks; the index begins at ${first}`;
      if (!chain.archive) return ok(`${shown}; RPC_ARCHIVE is false`);
      return warning(
        shown,
        "Set RPC_ARCHIVE=false, or name a node with all states in RPC_URLS: a backfill reads old state where events do not carry a value.",
      );
    }),
};

/** Blocks of one eth_getLogs below which a backfill of a year takes more than 100,000 requests. */
const NARROW_RANGE = 150;

const limits: Check = {
  name: "limits",
  needs: ["node"],
  limitMs: 30_000,
  run: ({ limits }) =>
    Promise.all(
      limits.map(async ({ host: subject, learn }) => {
        const limits = await learn().catch((thrown: unknown) => reasonOf(thrown));
        if (typeof limits === "string")
          return error(
            limits,
            "The node does not answer as the service needs it: check its URL, key and plan.",
            subject,
          );
        return { subject, ...limitsFinding(limits) };
      }),
    ),
};

function limitsFinding(found: LearnedLimits): Finding {
  const { logsRange, asked, batch, perSecond, measuredPerSecond, refused, logsFailure } = found;
  const range = logsRange === null ? `${asked} blocks and more` : `${logsRange} blocks`;
  const rate = perSecond === null ? "no limit met" : `limited to ${perSecond.toFixed(1)} a second`;
  const refusals = Object.entries(refused).map(([what, times]) => `${times} ${what}`);
  const shown = [
    `eth_getLogs of ${range}`,
    `batches of ${batch}`,
    `${Math.round(measuredPerSecond)} requests a second (${rate})`,
    ...(refusals.length > 0 ? [`refused: ${refusals.join(", ")}`] : []),
  ].join("; ");
  if (logsFailure !== undefined)
    return error(
      `${shown}; logs cannot be read: ${logsFailure}`,
      "Name a node that gives logs, with the role logs (RPC_URLS).",
    );
  if (logsRange !== null && logsRange < NARROW_RANGE)
    return warning(
      shown,
      "The service keeps to these limits by itself. A backfill over this node takes very many requests: name one with wider ranges, with the role logs (RPC_URLS=https://…#logs).",
    );
  return ok(`${shown}; the service finds and uses the same`);
}

const clock: Check = {
  name: "clock",
  async run({ serverDate, config, db, unmet, now }) {
    const sources: [subject: string, ask: () => Promise<{ at: number; sentAt: number; receivedAt: number }>][] = [
      [
        new URL(config.upstreams.proofPlatforms.github.url).host,
        () => serverDate(config.upstreams.proofPlatforms.github.url),
      ],
      [new URL(config.upstreams.ethos.url).host, () => serverDate(config.upstreams.ethos.url)],
    ];
    if ((await unmet("database")) === null)
      sources.push([
        "Postgres",
        async () => {
          const sentAt = now();
          const { now: at } = await serverSettings(db);
          return { at: at.getTime(), sentAt, receivedAt: now() };
        },
      ]);
    return Promise.all(
      sources.map(async ([subject, ask]) => {
        try {
          const { at, sentAt, receivedAt } = await ask();
          // A Date header has whole seconds, and was written at some time between request and answer.
          const behind = at - receivedAt;
          const ahead = sentAt - at - 1_000;
          const skew = Math.max(behind, ahead, 0) / 1000;
          if (skew <= SKEW_SECONDS) return ok(`within ${SKEW_SECONDS} s`, subject);
          return warning(
            `this machine's clock is ${Math.round(skew)} s ${behind > 0 ? "behind" : "ahead"}`,
            "Synchronise the clock (NTP): credentials, payments and receipts carry times.",
            subject,
          );
        } catch (thrown) {
          return skipped(reasonOf(thrown), subject);
        }
      }),
    );
  },
};

export const NODE_CHECKS: readonly Check[] = [chainId, head, limits, archive, clock];

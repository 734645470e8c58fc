/**
 * `npm run census -- [--estimate] [--from BLOCK] [--to BLOCK] [--histories N] [--requests N]`: figures of all reviews of the canonical
 * ERC-8004 registry from the nodes of RPC_URL, without a database, compared with those that arXiv 2606.26028 gives for Base.
 */
import { parseArgs } from "node:util";
import { createChain } from "../clients/chain.ts";
import { openRpcPool } from "../clients/rpc/pool.ts";
import { loadConfig } from "../config/config.ts";
import { RULES_VERSION } from "../core/reviews/rules.ts";
import { type Census, censusOf, censusRequests, readCensus } from "./census/registry.ts";
import { operatorCommand } from "./operator-command.ts";

/** Max milliseconds of one request: a range of logs is large. */
const TIMEOUT_MS = 15_000;
const count = (n: number): string => n.toLocaleString("en");
const share = (part: number, of: number): string => (of === 0 ? "–" : `${((100 * part) / of).toFixed(1)} %`);

function wholeNumber(name: string, written: string | undefined, otherwise: number): number {
  if (written === undefined) return otherwise;
  if (!/^\d{1,12}$/.test(written)) throw new Error(`--${name} ${written} is no whole number.`);
  return Number(written);
}

/** The figures as lines, with the study's where it has them. */
function lines(agents: number, census: Census): string[] {
  const { rated, reviews, revoked, reviewers, marked, affected, emptied, entriesToMove } = census;
  return [
    `agents ${count(agents)}, rated ${count(rated)}; reviews ${count(reviews)}, taken back ${count(revoked)}`,
    `reviewers ${count(reviewers)}, in a cluster or on the agent's side ${count(marked)}: ${share(marked, reviewers)} (the study: 90.6 %)`,
    `rated agents with a review by one of them ${count(affected)}: ${share(affected, rated)} (the study: 96.8 %)`,
    `rated agents with no other review ${count(emptied)}: ${share(emptied, rated)} (the study: 89.4 %)`,
    `reviews by one account that move a mean by twenty points, in the median: ${entriesToMove ?? "–"}`,
  ];
}

await operatorCommand(async (args) => {
  const option = { type: "string" } as const;
  const options = {
    estimate: { type: "boolean" },
    from: option,
    to: option,
    histories: option,
    requests: option,
  } as const;
  const { values } = parseArgs({ args, options });
  const { chain: of, contracts, proxies } = loadConfig();
  if (of.nodes.length === 0) throw new Error("RPC_URL is not set and no local stack is running (npm start).");
  const pool = openRpcPool({ chainId: of.id, nodes: of.nodes, proxies, timeoutMs: TIMEOUT_MS, warn: console.error });
  try {
    const chain = createChain(pool);
    const { erc8004Identity: identity, erc8004Reputation: reputation } = contracts;
    const options = {
      ...{ identity: identity.address, reputation: reputation.address },
      from: wholeNumber("from", values.from, identity.startBlock),
      to: wholeNumber("to", values.to, await chain.headBlock()),
      histories: wholeNumber("histories", values.histories, 0),
      requests: wholeNumber("requests", values.requests, 100_000),
    };
    const { logs, histories } = censusRequests(options);
    console.log(
      `Blocks ${count(options.from)} to ${count(options.to)}: ${count(logs)} requests for logs (of 2,000 blocks), one for each block whose time the node does not say with its logs, and at most ${count(histories)} for ${count(options.histories)} histories. It stops at ${count(options.requests)} (--requests).`,
    );
    if (values.estimate) return;
    const { agents, facts, requests, histories: read } = await readCensus(chain, options);
    console.log(`${count(requests)} requests, ${count(read)} histories; rules ${RULES_VERSION}\n`);
    for (const line of lines(agents, censusOf(facts))) console.log(line);
  } finally {
    pool.close();
  }
});

/** The oracle: without faults, what the chain says, what the index serves, what both APIs answer, the directory and the ledger are one. */
import { isDeepStrictEqual } from "node:util";
import { checksumAddress } from "viem";
import { identityAbi } from "../../abis/identity.ts";
import { closeBooks, type Treasury, unlikeOutcomes } from "../books.ts";
import { type AgentTruth, agentsOfChain, servedAgents } from "../chain-truth.ts";
import { LONG } from "../patience.ts";
import type { Outcome } from "../payment-load/customers.ts";
import { staleScores } from "../under-way.ts";
import { leftWrong } from "../until.ts";
import type { Json } from "./client.ts";
import { unlikeEvidence } from "./evidence.ts";
import type { World } from "./world.ts";

/** What the books of all rounds of a world begin with. */
export type Ledger = {
  outcomes: Outcome[];
  payees: Record<string, `0x${string}`>;
  base: Treasury;
  /** The agent of the canonical registry that is reviewed, paid and hired. */
  hired: bigint;
};

/** What is asked about follows the chain a moment later. */
const FOLLOW = { timeoutMs: 180_000, everyMs: 300 };
/** Agents whose answers are read from both APIs, in addition to those of the round. */
const SAMPLE = 12;

/** Asks everything. @returns differences, each a sentence; none is truth */
export async function consult(world: World, ledger: Ledger): Promise<string[]> {
  const { db, identity } = world;
  const truth = await agentsOfChain(world.chain.chain, identity);
  const tokenIds = truth.map(({ token_id }) => token_id);
  const differences = unlike("the agents of the index and of the chain", await servedAgents(db), truth);
  differences.push(...(await history(world)));
  differences.push(...(await leftWrong(() => staleScores(db, tokenIds), FOLLOW)));
  differences.push(...(await leftWrong(() => answers(world, truth), FOLLOW)));
  differences.push(...(await leftWrong(() => unlikeEvidence(world, ledger.hired), FOLLOW)));
  differences.push(...(await keysAndMessages(world)));
  const { payees, base, outcomes } = ledger;
  const closed = await closeBooks({ db, payees, base, identity });
  differences.push(...closed.differences, ...unlikeOutcomes(outcomes, closed));
  differences.push(...world.processes.surprises());
  return differences;
}

function unlike(what: string, ours: readonly unknown[], theirs: readonly unknown[]): string[] {
  if (isDeepStrictEqual(ours, theirs)) return [];
  const at = ours.findIndex((one, index) => !isDeepStrictEqual(one, theirs[index]));
  const first = at < 0 ? ours.length : at;
  const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 500);
  return [
    `${what} differ (${ours.length} and ${theirs.length}) at ${first}: ${shown(ours[first])} and ${shown(theirs[first])}`,
  ];
}

/** Events that are rows of their own, one for each log. */
async function history({ chain, identity, db }: World): Promise<string[]> {
  const read = { address: identity, abi: identityAbi, fromBlock: 0n } as const;
  const transfers = await chain.chain.getContractEvents({ ...read, eventName: "Transfer" });
  const awards = await chain.chain.getContractEvents({ ...read, eventName: "PointsAwarded" });
  const rows = async (sql: string) => (await db.query(sql)).rows.map((row) => JSON.stringify(row));
  const moved = await rows(`select token_id::int as id, "from", "to", tx_hash as tx from onchain.transfer
    where contract = lower('${identity}') order by 1, 2, 3, 4`);
  const given = await rows("select token_id as id, amount::text, reason, tx_hash as tx from onchain.points_award");
  return [
    ...unlike(
      "the transfers of the index and of the chain",
      moved.toSorted(),
      transfers
        .map(({ args, transactionHash: tx }) =>
          JSON.stringify({ id: Number(args.tokenId), from: args.from!.toLowerCase(), to: args.to!.toLowerCase(), tx }),
        )
        .toSorted(),
    ),
    ...unlike(
      "the points of the index and of the chain",
      given.map((row) => row.replace(/"id":"(\d+)"/, '"id":$1')).toSorted(),
      awards
        .map(({ args, transactionHash: tx }) =>
          JSON.stringify({ id: Number(args.tokenId), amount: String(args.amount), reason: args.reason, tx }),
        )
        .toSorted(),
    ),
  ];
}

type Shown = { agents: Json[]; total: number; stats?: { total: number } };

/** Both APIs about the newest agents: by id, in the list and in the directory. */
async function answers(world: World, truth: readonly AgentTruth[]): Promise<string[]> {
  const differences: string[] = [];
  const equal = (what: string, shown: unknown, meant: unknown) => {
    if (!isDeepStrictEqual(shown, meant))
      differences.push(`${what} is ${JSON.stringify(shown)} and not ${JSON.stringify(meant)}`);
  };
  const newest = truth.slice(-SAMPLE);
  const { rows } = await world.db.query("select token_id::int as id, score from offchain.cred");
  const scores = new Map(rows.map(({ id, score }) => [id as number, score as number]));
  for (const [part, url] of Object.entries(world.urls)) {
    const get = async <T = Json>(path: string): Promise<T> =>
      (await (await fetch(url + path, { signal: AbortSignal.timeout(LONG) })).json()) as T;
    equal(`${part}: /ready`, (await get("/ready")).ready, true);
    equal(`${part}: agents in the list`, (await get<Shown>("/api/v2/agents?limit=1")).total, truth.length);
    const directory = await get<Shown>("/api/terminal/agents?limit=100&sort=created_at");
    // The agent of the canonical registry as well.
    equal(`${part}: agents in the directory`, directory.stats?.total, truth.length + 1);
    for (const agent of newest) {
      const who = `${part}: agent ${agent.token_id}`;
      const shown = await get(`/api/v2/agent/${agent.token_id}`);
      equal(
        who,
        {
          name: shown.name,
          owner: String(shown.owner),
          agentAddress: String(shown.agentAddress),
          verified: shown.verified,
          points: shown.points,
          credScore: shown.credScore,
        },
        {
          name: agent.name,
          owner: checksumAddress(agent.owner as `0x${string}`),
          agentAddress: checksumAddress(agent.agent_address as `0x${string}`),
          verified: agent.verified,
          points: Number(agent.points),
          credScore: scores.get(agent.token_id),
        },
      );
      const row = directory.agents.find(({ tokenId }) => tokenId === agent.token_id);
      equal(`${who} in the directory`, [row?.name, row?.cred_score], [agent.name, scores.get(agent.token_id)]);
    }
  }
  return differences;
}

/** Messages are numbered without a gap; no mint is done twice for one request. */
async function keysAndMessages({ db }: World): Promise<string[]> {
  const gaps = await db.query(`
    select group_id, count(*)::int as n, max(message_id)::int as last from offchain.message
    group by group_id having count(*) <> max(message_id)`);
  const twice = await db.query(`
    select registrant, count(*)::int as n from offchain.mint where state = 'minted' group by registrant having count(*) > 1`);
  return [
    ...gaps.rows.map(({ group_id, n, last }) => `the group ${group_id} has ${n} messages, the last is ${last}`),
    ...twice.rows.map(({ registrant, n }) => `${registrant} is registered ${n} times`),
  ];
}

/** Agents as the indexer would have left them, for tests of what reads them. */
import type pg from "pg";
import { plantRows } from "../../../harness/onchain.ts";
import { plant } from "../../support/plant.ts";

export type PlantedAgent = Partial<{
  tokenId: number;
  name: string;
  agentAddress: `0x${string}`;
  owner: `0x${string}`;
  framework: string;
  verified: boolean;
  verifiedWallet: `0x${string}`;
  mintedTo: `0x${string}`;
  soulbound: boolean;
  origin: number;
  points: number;
  agentName: string;
  mintedAt: number;
  updatedBlock: number;
  personality: Record<string, string | number>;
  personalityAt: number;
  narrative: Record<string, string>;
  narrativeAt: number;
  /** Name and category. */
  traits: [string, string][];
  /** A stored score, made only of points. */
  score: number;
}>;

/** Leaves score and row of the directory as workers leave them once they have followed an agent to a block. */
export const plantFollowed = (
  pool: pg.Pool,
  { tokenId, block, scored = block }: { tokenId: number; block: number; scored?: number },
) =>
  pool.query(
    `insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative, origin, soulbound, seen_block, computed_at)
     values (${tokenId}, 0, 0, 0, 0, 0, 0, 0, 0, 0, ${scored}, now())
     on conflict (token_id) do update set seen_block = excluded.seen_block;
     insert into offchain.directory_item (source, source_id, platform, agent_id, raw, digest, fetched_at, sweep)
     values ('helixa', '${tokenId}', 'helixa', '${tokenId}', '{}', '${block}', now(), 0)
     on conflict (source, source_id) do update set digest = excluded.digest`,
  );

/** The wallet of a planted agent, unless it was given one: the token id, repeated. */
export const walletOf = (tokenId: number): `0x${string}` =>
  `0x${(tokenId + 10).toString(16).padStart(4, "a").repeat(10).slice(0, 40)}`;

export async function plantAgents(pool: pg.Pool, agents: PlantedAgent[]): Promise<void> {
  for (const [i, { traits = [], score, ...agent }] of agents.entries()) {
    const tokenId = agent.tokenId ?? i;
    const wallet = agent.agentAddress ?? walletOf(tokenId);
    await plantRows(pool, "agent", [
      {
        tokenId,
        agentAddress: wallet,
        owner: wallet,
        name: `Agent ${tokenId}`,
        framework: "custom",
        mintedAt: 1_790_000_000 + tokenId * 60,
        mintedBlock: 900,
        mintTx: `0x${"1".repeat(64)}`,
        verified: false,
        soulbound: false,
        origin: 1,
        generation: 0,
        parentId: 0,
        mutationCount: 0,
        version: "1.0",
        points: 100,
        traitCount: traits.length,
        updatedBlock: 950,
        ...agent,
      },
    ]);
    await plantRows(
      pool,
      "trait",
      traits.map(([name, category], position) => ({
        tokenId,
        position,
        name,
        category,
        addedAt: 1_790_000_100,
        txHash: `0x${"2".repeat(64)}`,
      })),
    );
    if (agent.agentName !== undefined)
      await plantRows(pool, "agentName", [
        { name: agent.agentName.toLowerCase(), tokenId, displayName: agent.agentName, registeredAt: 1_790_000_200 },
      ]);
    if (score !== undefined) await plant(pool, "cred", { token_id: tokenId, score });
  }
}

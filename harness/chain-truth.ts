/** Two things to be held against each other: what the identity contract says of its tokens, and what the index serves. */
import type pg from "pg";
import type { Address, PublicActions } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { cleanText, indexedText, MAX_LABEL } from "../src/event-facts.ts";

const words = (text: string) => cleanText(text, MAX_LABEL);

export type AgentTruth = Awaited<ReturnType<typeof agentsOfChain>>[number];

/** Reads every token from the contract, in the shape of `servedAgents`. */
export async function agentsOfChain(chain: Pick<PublicActions, "readContract">, identity: Address) {
  const read = { address: identity, abi: identityAbi } as const;
  const total = Number(await chain.readContract({ ...read, functionName: "totalAgents" }));
  return Promise.all(
    Array.from({ length: total }, async (_, tokenId) => {
      const args = [BigInt(tokenId)] as const;
      const [agent, owner, points, name, traits] = await Promise.all([
        chain.readContract({ ...read, functionName: "getAgent", args }),
        chain.readContract({ ...read, functionName: "ownerOf", args }),
        chain.readContract({ ...read, functionName: "points", args }),
        chain.readContract({ ...read, functionName: "nameOf", args }),
        chain.readContract({ ...read, functionName: "getTraits", args }),
      ]);
      return {
        token_id: tokenId,
        agent_address: agent.agentAddress.toLowerCase(),
        owner: owner.toLowerCase(),
        name: indexedText(agent.name),
        framework: indexedText(agent.framework),
        minted_at: Number(agent.mintedAt),
        verified: agent.verified,
        soulbound: agent.soulbound,
        origin: agent.origin,
        mutation_count: agent.mutationCount,
        version: agent.currentVersion,
        points: points.toString(),
        agent_name: name === "" ? null : name,
        traits: traits.map(({ name, category, addedAt }) => `${words(name)}/${words(category)}/${addedAt}`),
      };
    }),
  );
}

/** The agents of the served index. */
export async function servedAgents(db: pg.Pool): Promise<AgentTruth[]> {
  const { rows } = await db.query(`
    select token_id::int, agent_address, owner, name, framework, minted_at::int, verified, soulbound, origin,
           mutation_count, version, points::text, agent_name,
           array(select t.name || '/' || t.category || '/' || t.added_at from onchain.trait t
                 where t.token_id = a.token_id order by t.position) as traits
    from onchain.agent a order by a.token_id`);
  return rows;
}

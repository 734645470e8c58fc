/** The world the web terminal is tested in: agents with awkward names, and a directory of several pages. */
import type pg from "pg";
import { randomAgents } from "../support/agents.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "../support/plant-agents.ts";

/** Would set `window.pwned` if anything of it were ever taken for markup. */
export const HOSTILE = `"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
export const HOSTILE_ID = 2;

/** Rows that are no identities, beside those that are. */
const FOREIGN = 130;
const DAY_MS = 86_400_000;

export async function plantWorld(pool: pg.Pool): Promise<void> {
  const now = Date.now();
  const agents = randomAgents(6, new Date(now), 42);
  agents[0]!.facts.name = "Meridian";
  const { facts } = agents[HOSTILE_ID]!;
  facts.name = HOSTILE;
  facts.framework = HOSTILE;
  facts.traits = facts.traits.map((trait, i) => ({ ...trait, name: `${HOSTILE}${i}`, category: HOSTILE }));
  facts.onchainNarrative = { origin: HOSTILE, mission: HOSTILE, lore: HOSTILE, manifesto: HOSTILE };
  await plantAgents(pool, agents);
  await plantDirectory(pool, [
    ...agents.map(({ facts: f }, i) => ({
      platform: "helixa",
      agent_id: String(f.tokenId),
      token_id: f.tokenId,
      name: f.name,
      cred_score: 95 - i * 12,
      address: f.agentAddress,
      owner_address: f.owner,
      wallet_proven: f.verified,
      created_at: new Date(now - (i + 1) * DAY_MS).toISOString(),
    })),
    ...Array.from({ length: FOREIGN }, (_, i) => ({
      platform: i % 2 === 0 ? "erc8004" : "virtuals",
      agent_id: String(1000 + i),
      name: i === 7 ? HOSTILE : `Foreign ${String(i).padStart(3, "0")}`,
      description: HOSTILE,
      cred_score: (i * 7) % 34,
      x402_supported: i % 10 === 0,
      token_symbol: i % 2 === 1 ? (i === 7 ? HOSTILE.slice(0, 30) : `T${i}`) : null,
      market_cap_usd: i % 2 === 1 ? i * 1000 : null,
      created_at: new Date(now - (i + 10) * DAY_MS).toISOString(),
    })),
  ]);
}

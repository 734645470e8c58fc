/** The agents whose payments, jobs and reviews tests of evidence read. */
import type pg from "pg";
import type { incomeStats } from "../../../workers/income/recompute-due.ts";
import { plantDirectory } from "../../support/directory.ts";

export const wallet = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`;

/** Of the canonical registry: 31, with wallet `a1`, and 33, which has nothing; of another registry 32; and own agent 7. */
export const AGENT = wallet("a1");
export const OWNER = wallet("a0");

export const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

/** Weighs what is stored of agents' money. */
export const recomputed = ({ run }: Pick<typeof incomeStats, "run">, db: pg.Pool, now: Date) =>
  run(
    { db, clock: () => now, log: { warn: console.error }, config: { contracts: { usdc: { address: USDC } } } } as never,
    {},
  );

/** @param own the owner of agent 7 */
export const plantEarners = (pool: pg.Pool, own = OWNER): Promise<void> =>
  plantDirectory(pool, [
    ...[AGENT, wallet("a3")].map((address, i) => ({
      ...{ platform: "erc8004", agent_id: String(31 + 2 * i), token_id: 31 + 2 * i, name: `Paid ${i}`, cred_score: 20 },
      ...{ address, owner_address: OWNER, wallet_proven: true },
    })),
    { platform: "virtuals", agent_id: "32", name: "Of another registry", cred_score: 20, address: wallet("a2") },
    {
      ...{ platform: "helixa", agent_id: "7", token_id: 7, name: "Own", cred_score: 20, owner_address: own },
      ...{ address: wallet("a7"), wallet_confirmed: true },
    },
  ]);

/** Compares the index of ERC-8004 agents with 8004scan's: a difference tells an operator that one of both has missed something. */
import type { Queryable } from "../transaction.ts";

/** @returns one sentence about the differences; null when there are none @param source whose items are compared */
export async function compareErc8004(db: Queryable, source: string): Promise<string | null> {
  const { rows } = await db.query<{ unknown: number; unlisted: number; otherwise: number }>(
    `with listed as (
       select agent_id::numeric as agent_id, lower(raw->>'owner_address') as owner from offchain.directory_item where source = $1)
     select count(*) filter (where a.agent_id is null)::float8 as unknown,
       count(*) filter (where l.agent_id is null)::float8 as unlisted,
       count(*) filter (where l.owner <> a.owner)::float8 as otherwise
     from listed l full join onchain.erc8004_agent a on a.agent_id = l.agent_id`,
    [source],
  );
  const { unknown, unlisted, otherwise } = rows[0]!;
  const found = [
    ...(unknown > 0 ? [`lists ${agents(unknown)} that the index has not`] : []),
    ...(unlisted > 0 ? [`does not list ${agents(unlisted)} that the index has`] : []),
    ...(otherwise > 0 ? [`names another owner of ${agents(otherwise)}`] : []),
  ];
  if (found.length === 0) return null;
  const last = found.pop();
  return `${source} ${found.length > 0 ? `${found.join(", ")} and ` : ""}${last}.`;
}

const agents = (n: number) => `${n} ${n === 1 ? "agent" : "agents"}`;

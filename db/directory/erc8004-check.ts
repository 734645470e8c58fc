/** Compares the index of ERC-8004 agents with 8004scan's: a difference shows an operator that one of the two has missed something. */
import { int8, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

const COMPARE = statement({
  name: "erc8004-compare",
  params: { source: text },
  text: `
    with listed as (
      select agent_id::numeric as agent_id, lower(raw->>'owner_address') as owner
      from offchain.directory_item where source = $source)
    select count(*) filter (where a.agent_id is null) as unknown,
      count(*) filter (where l.agent_id is null) as unlisted,
      count(*) filter (where l.owner <> a.owner) as otherwise
    from listed l full join onchain.erc8004_agent a on a.agent_id = l.agent_id`,
  columns: { unknown: int8, unlisted: int8, otherwise: int8 },
});

/** @returns one sentence about the differences; null when there are none @param source whose items are compared */
export async function compareErc8004(db: Queryable, source: string): Promise<string | null> {
  const { unknown, unlisted, otherwise } = await COMPARE.one(db, { source });
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

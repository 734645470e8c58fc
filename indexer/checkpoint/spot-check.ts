/** Compares some owners in an index, drawn at random, with what the chain itself says. */
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import type { RpcPool } from "../../clients/rpc/pool.ts";
import type { Config } from "../../config/config.ts";
import { narrow, text } from "../../db/sql/columns.ts";
import { family, type Row } from "../../db/sql/statement.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { view } from "../completeness.ts";
import { EXAMPLE_SCHEMA } from "../ponder-tables.ts";

/** At most 24 rows of each kind. */
const DRAWN = "order by random() limit 24";

const OWNERS = family({
  name: "checkpoint-owners",
  text: ({ schema, identity }: { schema: string; identity: string }, $) => `
    (select ${$(identity)}::text as contract, token_id::text as id, owner from "${schema}".agent
     where owner <> '${zeroAddress}' ${DRAWN})
    union all (select registry, agent_id::text, owner from "${schema}".erc8004_agent
     where owner <> '${zeroAddress}' ${DRAWN})`,
  columns: { contract: narrow<Hex>(text), id: text, owner: text },
  examples: [{ schema: EXAMPLE_SCHEMA, identity: zeroAddress }],
});
type Compared = { pool: Pick<RpcPool, "request">; indexed: Config["indexed"]; block: number };

/**
 * @param compared.block of the rows
 * @returns how an owner differs from the chain's; null where none does
 * @throws NoJudgement when the nodes do not say
 */
export async function differenceIn(db: Queryable, schema: string, compared: Compared): Promise<string | null> {
  const owners = await OWNERS.rows(db, { schema, identity: compared.indexed.Identity.address });
  const found = await Promise.all(owners.map((row) => difference(row, compared)));
  return found.find((each) => each !== null) ?? null;
}

/** Whether a node has the state in which owners are compared. */
export const tellsOwners = (compared: Compared): Promise<boolean> =>
  ownerOf({ contract: compared.indexed.Identity.address, id: "0" }, compared).then(
    () => true,
    () => false,
  );

async function difference({ owner, ...token }: Row<typeof OWNERS>, compared: Compared): Promise<string | null> {
  const said = (await ownerOf(token, compared)) ?? "nobody";
  return said === owner
    ? null
    : `it says that ${owner} owns token ${token.id} of ${token.contract}, and the chain ${said}`;
}

function ownerOf({ contract, id }: { contract: Hex; id: string }, compared: Compared): Promise<string | null> {
  const call = { abi: erc8004IdentityAbi, functionName: "ownerOf" } as const;
  const data = encodeFunctionData({ ...call, args: [BigInt(id)] });
  return view(compared, { to: contract, data }, (data) => decodeFunctionResult({ ...call, data }).toLowerCase());
}

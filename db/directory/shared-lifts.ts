/** How many other agents share what lifts the score of a foreign one. */
import { type SharedCounts, UNSHARED } from "../../core/agents/reservations.ts";
import { othersAttested, othersLifted } from "../agents/shared-sql.ts";
import { int8, statement } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { holdsIdentity } from "./score-sql.ts";

const SHARED = statement({
  name: "directory-shared",
  params: { id: int8 },
  text: `
    select
      case when d.coinbase then ${othersAttested("d.owner_address", (f) => `${f}.id <> d.id`)} else 0 end as attestation,
      case when ${holdsIdentity("d")} then ${othersLifted("d")} else 0 end as identity
    from offchain.directory d where d.id = $id`,
  columns: { attestation: int8, identity: int8 },
  prepared: true,
});

/** @param id of a foreign row of the directory @throws the driver's error while there is no index (see `isNoIndex`) */
export const sharedOf = async (db: Queryable, id: number): Promise<SharedCounts> =>
  (await SHARED.maybeOne(db, { id })) ?? UNSHARED;

/** Figures of agents that follow from what was read of the chain, each with the items that it weighs: how they are stored and forgotten. */
import { type Column, int8, jsonb, statement, text, timestamptz } from "../sql/statement.ts";

/**
 * The statements of a table of figures, one row for an agent, and of a table of what was weighed.
 * @param of.seen type of the state of what was read that figures were computed from
 * @param of.still SQL of whether the agent of figures `g` has any still
 */
export function agentFigures<Figures, Seen>(of: {
  name: string;
  figures: string;
  items: string;
  seen: Column<unknown, Seen>;
  still: string;
}) {
  return {
    store: statement({
      name: `${of.name}-figures-store`,
      params: { id: int8, wallet: text, seen: of.seen, figures: jsonb<Figures>(), now: timestamptz },
      text: `
        insert into offchain.${of.figures} (directory_id, wallet, seen, figures, computed_at)
        select d.id, $wallet, $seen, $figures, $now from offchain.directory d where d.id = $id
        on conflict (directory_id) do update set wallet = excluded.wallet, seen = excluded.seen, figures = excluded.figures,
          computed_at = excluded.computed_at`,
    }),
    gone: statement({
      name: `${of.name}-figures-gone`,
      text: `
        with gone as (delete from offchain.${of.figures} g where not (${of.still}) returning g.directory_id),
        items as (delete from offchain.${of.items} i using gone where i.directory_id = gone.directory_id)
        select gone.directory_id as id from gone`,
      columns: { id: int8 },
    }),
  };
}

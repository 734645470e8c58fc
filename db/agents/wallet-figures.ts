/** The figures of what an own agent's wallet was paid and hired for. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { walletConfirmed } from "./wallets.ts";

/**
 * SQL of the figures of an own agent's payments, as `StoredFigures`, or of its jobs, as `StoredJobFigures`; null where none
 * are known. @param a alias of an own agent
 */
export const walletFigures = (a: string, table: "income_figures" | "commerce_figures"): string => `(
  select g.figures from offchain.${table} g
  join offchain.directory d on d.id = g.directory_id
  where g.wallet = ${a}.agent_address and d.platform = '${OWN_PLATFORM}' and d.token_id = ${a}.token_id
    and ${walletConfirmed(a)})`;

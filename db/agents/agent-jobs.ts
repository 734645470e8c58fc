/** The figures of an own agent's jobs. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { walletConfirmed } from "./wallets.ts";

/** SQL of the figures of an own agent's jobs, as `StoredJobFigures`; null where none are known. @param a alias of an own agent */
export const jobFiguresOf = (a: string): string => `(
  select g.figures from offchain.commerce_figures g
  join offchain.directory d on d.id = g.directory_id
  where g.wallet = ${a}.agent_address and d.platform = '${OWN_PLATFORM}' and d.token_id = ${a}.token_id
    and ${walletConfirmed(a)})`;

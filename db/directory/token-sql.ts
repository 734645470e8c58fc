/**
 * SQL of a row's token: whether sorts and filters count it, and which figures of its market they count. A caller chooses
 * the token it links, so a linked one counts only where a tie to the linking wallet was found (workers/directory/token-ties.ts)
 * and that wallet still is the agent's owner or wallet.
 */
import { LAUNCHING_PLATFORMS, OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { PRICED_FROM_USD } from "../../core/directory/token.ts";

/** Whether the token of a row counts. A registry that launches tokens says which of its agents each belongs to. */
export const tokenCounts = (row: string): string => `
  case when ${row}.platform = '${OWN_PLATFORM}' then exists (
         select from offchain.token_link l
         where l.token_id = ${row}.token_id and l.token_address = ${row}.token_address and l.tie is not null
           and l.wallet in (${row}.owner_address, ${row}.address))
       else ${row}.platform in (${LAUNCHING_PLATFORMS.map((key) => `'${key}'`).join(", ")})
         and (${row}.token_address is not null or ${row}.token_symbol is not null) end`;

/** The change of the price on the market `m`; on a market too small to have a price there is none. */
export const PRICE_CHANGE = `case when m.liquidity_usd >= ${PRICED_FROM_USD} then m.price_change_24h end`;

/** The counted figures of a row whose token has the market `m`, by column. @param counts SQL: whether the token counts */
export const countedMarket = (counts: string) => ({
  market_cap_usd: `case when ${counts} then m.market_cap_usd end`,
  price_change_24h: `case when ${counts} then ${PRICE_CHANGE} end`,
  volume_24h_usd: `case when ${counts} then m.volume_24h_usd end`,
  liquidity_usd: `case when ${counts} then m.liquidity_usd end`,
});

/** SQL of the order of `trending` in each of its windows; core/directory/filters.ts publishes the formula. */
import type { TrendWindow } from "../../core/directory/filters.ts";

/** The dollars that a row `d` traded in a window. Of 24 hours they are in the generated column `trend` already. */
const VOLUME: Record<Exclude<TrendWindow, "24h">, string> = {
  "7d": "greatest(d.volume_24h_usd, d.volume_7d_usd)",
  "30d": "greatest(d.volume_24h_usd, d.volume_7d_usd, d.volume_30d_usd)",
};

export const trendSql = (window: TrendWindow): string =>
  window === "24h"
    ? "d.trend"
    : `round(1000 * (log(1 + greatest(0, coalesce(${VOLUME[window]}, 0))) + log(1 + greatest(0, d.uses)::float8)))::int4`;

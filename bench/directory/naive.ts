/** The directory as anybody would write it first: no index but the key, OFFSET, and the totals computed with every page. */
import type pg from "pg";
import { boundsOf, type DirectoryNarrowing, type DirectorySort } from "../../core/directory/filters.ts";
import type { DirectoryQuery } from "../../db/directory/question-sql.ts";

const KEYS: Record<DirectorySort, string> = {
  cred_score: "cred_score",
  name: "lower(name)",
  created_at: "created_at",
  platform: "platform",
  token_market_cap: "market_cap_usd",
  volume_24h: "volume_24h_usd",
  price_change_24h: "price_change_24h",
  liquidity_usd: "liquidity_usd",
  ethos_score: `coalesce((select score from offchain.ethos_score where wallet = address and wallet_confirmed is not false),
    (select score from offchain.ethos_score where wallet = owner_address))`,
  updated_at: "updated_at",
  trend: "trend",
  trend_7d:
    "round(1000 * (log(1 + greatest(0, coalesce(greatest(volume_24h_usd, volume_7d_usd), 0))) + log(1 + uses::float8)))",
  trend_30d:
    "round(1000 * (log(1 + greatest(0, coalesce(greatest(volume_24h_usd, volume_7d_usd, volume_30d_usd), 0))) + log(1 + uses::float8)))",
};

/** Conditions of a question, written apart from those of the service; names as their search column has them. */
export function naiveWhere({ q, now, ...narrowing }: DirectoryNarrowing & Pick<DirectoryQuery, "q" | "now">): {
  where: string;
  values: unknown[];
} {
  const { platform, chain, speaks, verified, hasToken } = narrowing;
  const { x402, scores, createdSince, createdUntil, activeSince, price } = boundsOf(narrowing, now);
  const where = ["removed_at is null"];
  const values: unknown[] = [];
  const $ = (value: unknown) => `$${values.push(value)}`;
  if (x402) where.push("x402_supported");
  if (platform) where.push(`platform in (${platform.map((key) => $(key)).join(", ")})`);
  if (chain) where.push(`chain_id in (${chain.join(", ")})`);
  for (const protocol of speaks ?? []) where.push(`${$(protocol)} = any(protocols)`);
  for (const kind of verified ?? [])
    where.push(kind === "wallet" ? "wallet_proven" : kind === "coinbase" ? "coinbase" : `${$(kind)} = any(proofs)`);
  if (hasToken !== undefined) where.push(`(coalesce(token_address, token_symbol) is not null) = ${hasToken}`);
  for (const { from, to } of scores) where.push(`cred_score between ${from} and ${to}`);
  for (const since of createdSince) where.push(`created_at >= ${$(new Date(since))}`);
  if (createdUntil !== undefined) where.push(`created_at <= ${$(new Date(createdUntil))}`);
  if (activeSince !== undefined) where.push(`greatest(used_at, traded_at) >= ${$(new Date(activeSince))}`);
  if (price) where.push(price === "up" ? "price_change_24h > 0" : "price_change_24h < 0");
  if (q !== undefined) {
    const text = $(q.toLowerCase());
    const plain = $(
      q
        .normalize("NFKD")
        .replace(/[\u0300-\u036f]/g, "")
        .toLowerCase(),
    );
    where.push(
      `(search_name like '%' || ${plain} || '%' or address like ${text} || '%' or owner_address like ${text} || '%' or lower(agent_id) = ${text} or lower(token_symbol) = ${text})`,
    );
  }
  return { where: where.join(" and "), values };
}

/** The exact total of a question. */
export async function countNaively(db: Pick<pg.Pool, "query">, question: Parameters<typeof naiveWhere>[0]) {
  const { where, values } = naiveWhere(question);
  const { rows } = await db.query(`select count(*)::int8 as total from offchain.directory where ${where}`, values);
  return Number(rows[0].total);
}

/** The page, its total and the totals of all, as naively. @returns the exact total of the question */
export async function askNaively(pool: pg.Pool, query: DirectoryQuery): Promise<number> {
  const { where, values } = naiveWhere(query);
  const { sort, descending, offset, limit } = query;
  const client = await pool.connect();
  try {
    await client.query(
      "begin; set local enable_indexscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off; set local work_mem = '64MB'",
    );
    await client.query(
      `select * from offchain.directory where ${where}
       order by ${KEYS[sort]} ${descending ? "desc" : "asc"} nulls last, id limit ${limit} offset ${offset}`,
      values,
    );
    const total = await countNaively(client, query);
    await client.query(
      "select count(*), avg(cred_score), count(*) filter (where x402_supported) from offchain.directory",
    );
    await client.query("rollback");
    return total;
  } finally {
    client.release();
  }
}

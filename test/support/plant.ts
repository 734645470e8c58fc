/** Rows of the service's own tables, as it would have written them: a test names what it is about. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { SIGNALS } from "../../core/signals/signals.ts";

type Row = Record<string, unknown>;

/** What a row of a table has that a test says nothing of. */
const USUAL = {
  allowance: () => ({ per_second: 0 }),
  cred: () => ({ ...Object.fromEntries(SIGNALS.map(({ key }) => [key, 0])), seen_block: 950, computed_at: new Date() }),
  cred_history: () => ({ cause: "age", block: 1, at: new Date() }),
  exchange_verification: () => ({ expires_at: 0, verified_at: new Date() }),
  job_run: () => ({ last_started_at: new Date(), next_run_at: new Date() }),
  mint: ({ wallet }: Row) => ({
    ...{ mint_id: randomUUID(), recipient: wallet, name: "Ada", framework: "custom", soulbound: false, origin: 1 },
    ...{ fingerprint: wallet, state: "minted" },
  }),
  offer: () => ({ kind: "skill", source: "registry", position: 0 }),
  payment: ({ payer }: Row) => ({
    ...{ payment_id: randomUUID(), method: "x402", operation: "agentMint", payee: payer, chain_id: 8453, asset: payer },
    ...{ fingerprint: "f", since_block: 1 },
  }),
  profile_field: () => ({}),
  registration_file: () => ({ uri: "", status: "parsed", fetched_at: new Date() }),
  reviewer_history: () => ({}),
  /** Out of funds. */
  sender_state: () => ({ address: "0x00", balance_wei: 0, funded: false, checked_at: new Date() }),
  webhook: () => ({ events: [], finality: "any", created_at: new Date(), from_position: 0 }),
} satisfies Record<string, (row: Row) => object>;

/** Inserts rows by column: lists are arrays, times are dates, and jsonb is whatever it holds. */
export async function plant(db: Pick<pg.Pool, "query">, table: keyof typeof USUAL, ...rows: Row[]): Promise<void> {
  for (const row of rows) {
    const whole = { ...USUAL[table](row), ...row };
    const columns = Object.keys(whole).join(", ");
    await db.query(
      `insert into offchain.${table} (${columns})
       select ${columns} from jsonb_populate_record(null::offchain.${table}, $1)`,
      [JSON.stringify(whole)],
    );
  }
}

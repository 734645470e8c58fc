/** A chain as the indexer would have left it, and the service's own dispatcher, scores and sequencer over it, one step at a time. */
import type { LoggedEvent } from "../../../core/events/events.ts";
import { recomputeCred } from "../../../db/cred/cred.ts";
import { eventLog, eventsAfter } from "../../../db/events/events.ts";
import { testLog } from "../../../harness/log.ts";
import { plantCheckpoint, plantOnchain, plantRows } from "../../../harness/onchain.ts";
import { until } from "../../../harness/until.ts";
import type { ChangeKind } from "../../../ponder.schema.ts";
import { dispatch } from "../../../workers/events/dispatcher.ts";
import { sequence } from "../../../workers/events/event-log.ts";
import type { NewJob } from "../../../workers/operations/queue.ts";
import { plantAgents } from "../../api/support/agents.ts";
import { testDatabase } from "../../support/database.ts";

/** When the world's blocks are: within the log's time. */
export const NOW = new Date("2026-11-01T12:00:00Z");
const SECONDS = NOW.getTime() / 1000;
export const ATTESTATION_SCHEMA = `0x${"f".repeat(64)}` as const;

export async function eventWorld() {
  const database = await testDatabase();
  const db = database.pool;
  await plantOnchain(db, { block: 1000, finalized: 900 });
  let outboxIds = 0;

  const context = {
    db,
    clock: () => NOW,
    log: testLog(),
    fault: (_point: string) => {},
    config: {
      ...{ attestationSchemas: [ATTESTATION_SCHEMA], eventRetentionMs: 7 * 86_400_000 },
      service: { publicUrl: "https://agents.test" },
    },
    queue: {
      async add(name: string, jobs: NewJob[]) {
        if (name !== "score") return;
        for (const { data } of jobs) {
          const { tokenIds, cause } = data as { tokenIds: number[]; cause: string };
          await recomputeCred(db, { tokenIds }, { now: NOW, cause });
        }
      },
    },
  };

  const world = {
    db,
    context,
    /** Agents minted a moment ago, unless said otherwise. */
    agents: (...agents: Parameters<typeof plantAgents>[1]) =>
      plantAgents(
        db,
        agents.map((agent) => ({ mintedAt: SECONDS, ...agent })),
      ),
    /** One row of `index_changes`. @returns its id */
    async indexChange(
      kind: ChangeKind,
      {
        block = 950,
        branch = "",
        secondsAgo = 0,
        ...over
      }: Record<string, unknown> & { block?: number; branch?: string; secondsAgo?: number },
    ): Promise<string> {
      const id = (over.id as string) ?? String(++outboxIds).padStart(8, "0");
      await plantRows(db, "indexChanges", [
        {
          id,
          kind,
          tokenId: null,
          wallet: null,
          agentId: null,
          block,
          blockHash: `0xb${block}${branch}`,
          blockAt: SECONDS - secondsAgo,
          txHash: `0x${id.padStart(64, "7")}`,
          ...over,
        },
      ]);
      return id;
    },
    vanish: (id: string) => db.query("delete from onchain.index_changes where id = $1", [id]),
    reach: (block: number, finalized: number) => plantCheckpoint(db, { block, finalized }),
    /** Everything there is to do, done. */
    async settle() {
      await dispatch(context);
      await sequence(context);
    },
    /** Lets things happen, and the process die and start again over each of them. @param points where it dies */
    async dying(points: readonly string[], happenings: (() => Promise<unknown>)[]) {
      let left = 0;
      const fault = (point: string) => {
        if (points.includes(point) && left-- > 0) throw new Error("killed");
      };
      for (const [n, happens] of happenings.entries()) {
        await happens();
        left = n % 3;
        await until("a pass that lived", async () => {
          await dispatch({ ...context, fault });
          await sequence({ ...context, fault });
          return true;
        });
      }
    },
    async log(part: { after?: number; final?: boolean } = {}): Promise<LoggedEvent[]> {
      const { head } = await eventLog(db);
      return (await eventsAfter(db, { after: 0, head, limit: 10_000, ...part })).events;
    },
    /** The log in short: type, token, and what is asked for of the rest. */
    async told(part: { after?: number; final?: boolean } = {}) {
      return (await world.log(part)).map(({ type, tokenId }) => `${type} ${tokenId}`);
    },
    /** Nothing has happened yet. */
    async reset() {
      await db.query(`
        truncate onchain.agent, onchain.index_changes, onchain.transfer, offchain.cred, offchain.cred_history,
          offchain.cred_correction, offchain.dispatch, offchain.dispatcher_state, offchain.event, offchain.proof;
        update offchain.event_log set head = 0, kept_after = 0,
          cred_after = (select last_value - (not is_called)::int4 from offchain.cred_history_id_seq);
        update onchain.index_state set schema = 'index_test_0'`);
      await world.reach(1000, 900);
    },
    drop: () => database.drop(),
  };
  return world;
}

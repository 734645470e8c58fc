/** The indexer's own work while it is not done: rates, time left, each contract's share, and the nodes it asks. */
import type { Status } from "../api/types.ts";
import { count, decimals, duration } from "../formats.ts";
import { Table } from "../parts/table.tsx";

/** The states of the indexer in sentences. */
const BACKFILL_STATES = {
  starting: "The indexer starts.",
  running: "The indexer reads the chain's history.",
  stalled: "The indexer makes no progress.",
  stopped: "No indexer runs.",
  done: "The history is indexed.",
} as const;

type BackfillStatus = NonNullable<Status["backfill"]>;

export function Backfill({ of }: { of: BackfillStatus }) {
  return (
    <section className="panel wide">
      <div className="panel-head">
        <h2>Backfill</h2>
      </div>
      <p className="muted">{BACKFILL_STATES[of.state]}</p>
      <p className="progress">
        <progress aria-label="Progress of the backfill" max={1} value={of.progress} /> {decimals(of.progress * 100, 1)}{" "}
        %
      </p>
      {of.state === "running" && (
        <p className="muted">
          {count(Math.round(of.eventsPerSecond))} events/s, {count(Math.round(of.requestsPerSecond))} requests/s,{" "}
          {of.secondsLeft === null ? "time left not known" : `${duration(of.secondsLeft)} left`}
        </p>
      )}
      <Table
        label="Backfill"
        of={of.contracts}
        columns={[
          ["Contract", ({ name }) => name],
          ["From block", ({ fromBlock }) => count(fromBlock), "number"],
          ["Fetched", (one) => `${decimals((100 * one.fetchedBlocks) / Math.max(1, one.totalBlocks), 1)} %`, "number"],
          ["Events", ({ events }) => count(events), "number"],
        ]}
      />
      {of.nodes.length > 0 && (
        <Table
          label="Nodes it asks"
          of={of.nodes}
          columns={[
            ["Node", ({ host }) => <bdi>{host}</bdi>],
            ["State", ({ state }) => state],
            ["Requests", ({ requests }) => count(requests), "number"],
            ["Failed", ({ failed }) => count(failed), ({ failed }) => (failed > 0 ? "number warn-text" : "number")],
          ]}
        />
      )}
    </section>
  );
}

/** The indexer's own work while it is not done: rates, time left, each contract's share, and the nodes it asks. */
import type { Status } from "../api/types.ts";
import { count, decimals, duration } from "../formats.ts";
import { Heads, Scroll } from "../parts/panel.tsx";

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
      <Scroll label="Backfill">
        <table className="plain-table fits">
          <Heads texts={["Contract"]} numbers={["From block", "Fetched", "Events"]} />
          <tbody>
            {of.contracts.map((contract) => (
              <tr key={contract.name}>
                <th scope="row">{contract.name}</th>
                <td className="number">{count(contract.fromBlock)}</td>
                <td className="number">
                  {decimals((100 * contract.fetchedBlocks) / Math.max(1, contract.totalBlocks), 1)} %
                </td>
                <td className="number">{count(contract.events)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {of.nodes.length > 0 && <Nodes of={of.nodes} />}
    </section>
  );
}

const Nodes = ({ of }: { of: BackfillStatus["nodes"] }) => (
  <Scroll label="Nodes it asks">
    <table className="plain-table fits">
      <Heads texts={["Node", "State"]} numbers={["Requests", "Failed"]} />
      <tbody>
        {of.map((node) => (
          <tr key={node.host}>
            <th scope="row">
              <bdi>{node.host}</bdi>
            </th>
            <td>{node.state}</td>
            <td className="number">{count(node.requests)}</td>
            <td className={node.failed > 0 ? "number warn-text" : "number"}>{count(node.failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

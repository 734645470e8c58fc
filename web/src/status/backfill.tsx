/** The indexer's own work while it is not done: rates, time left, each contract's share, and the nodes it asks. */
import type { Status } from "../api/types.ts";
import { count, decimals, duration } from "../formats.ts";
import { Heads, Scroll } from "../parts/panel.tsx";
import { say } from "../say.tsx";

type BackfillStatus = NonNullable<Status["backfill"]>;

export function Backfill({ of }: { of: BackfillStatus }) {
  return (
    <section className="panel wide">
      <div className="panel-head">
        <h2>{say("status.backfill")}</h2>
      </div>
      <p className="muted">{say(`status.backfill.${of.state}`)}</p>
      <p className="progress">
        <progress aria-label={say("status.progressOfTheBackfill")} max={1} value={of.progress} />{" "}
        {decimals(of.progress * 100, 1)} %
      </p>
      {of.state === "running" && (
        <p className="muted">
          {say("status.eventsSRequestsS", {
            eventsPerSecond: count(Math.round(of.eventsPerSecond)),
            requestsPerSecond: count(Math.round(of.requestsPerSecond)),
            left:
              of.secondsLeft === null
                ? say("status.timeLeftNotKnown")
                : say("status.left", { time: duration(of.secondsLeft) }),
          })}
        </p>
      )}
      <Scroll label={say("status.backfill")}>
        <table className="plain-table fits">
          <Heads
            texts={[say("status.contract")]}
            numbers={[say("status.fromBlock"), say("status.fetched"), say("status.events")]}
          />
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
  <Scroll label={say("status.nodes")}>
    <table className="plain-table fits">
      <Heads
        texts={[say("status.node"), say("status.state")]}
        numbers={[say("status.requests"), say("status.failed")]}
      />
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

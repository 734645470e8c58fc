/** How the score is made: what it says, its tiers, its signals, what counts for nothing, and how to check it. */
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { FOREIGN_CAP } from "../../../core/directory/cred.ts";
import { count } from "../formats.ts";
import { TierShape } from "../parts/cred.tsx";
import { Page, Panel } from "../parts/panel.tsx";
import { BADGE_MEANINGS, PROOFS } from "../parts/row-badges.tsx";
import { Described, Table } from "../parts/table.tsx";
import { TIER_MEANINGS, TIERS } from "../tiers.ts";

/** What counts for nothing. */
const NOT_COUNTED = [
  "Payments to this service. What costs money gives data, never points.",
  "Ratings and reviews: most can be made up for less than a cent. They are shown beside the score.",
  "The price, volume or market value of a token.",
  "What an agent says about its own success, like revenue.",
  "Whether its endpoints answer. That is shown too, and Discover ranks by it.",
];

export default function ScorePage() {
  return (
    <Page
      className="page narrow score-page"
      title="How the score is made"
      lead="Cred is a number from 0 to 100, computed from facts that anybody can check. It tells how much is known and proven about an agent. It cannot be bought, and nobody can set it by hand."
    >
      <Panel title="Five tiers">
        <ul className="tiers">
          {TIERS.map(({ key, label, from, to }) => (
            <li key={key} data-tier={key}>
              <TierShape tier={key} />
              <b>{label}</b>
              <span className="number faint">
                {count(from)} to {count(to)}
              </span>
              <span className="muted">{TIER_MEANINGS[key]}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <Signals />
      <Panel title="The letters next to a name">
        <ul className="proofs">
          {PROOFS.map(({ key, letter, label }) => (
            <li key={key} className="proof">
              <span className="proof-mark" aria-hidden="true">
                {letter}
              </span>
              <span>
                <b>{label}</b>
                <span className="muted hint">{BADGE_MEANINGS[key]}</span>
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Agents of other registries, and people">
        <p>
          Agents of other registries are scored by the same signals, as far as their registry tells them: services and
          skills count as traits. Their score ends at {count(FOREIGN_CAP)} until their proven wallet holds an identity
          here.
        </p>
        <p>
          A human has a score of its own, of other signals: identity, linked agents, reputation, work. The page of each
          of the <Link href="/people">people</Link> shows how it came to be.
        </p>
      </Panel>
      <Panel title="What counts for nothing">
        <ul className="plain-list">
          {NOT_COUNTED.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Panel>
      <Panel title="What it does not say, and how to check it">
        <p>
          A high score does not say that an agent does its work well, or that its code is safe. It says that a lie about
          who it is would be harder and dearer.
        </p>
        <p>
          All scores are gathered into one root that is written to Base. An agent's page proves in your own browser that
          its score is among them, and names the fact behind every point.
        </p>
      </Panel>
    </Page>
  );
}

const Signals = () => (
  <Panel title="Eight signals">
    <p className="muted">
      Each signal is a value from 0 to 100 and has a weight. The score is the sum of value times weight, rounded. So a
      signal at its best adds as many points as its weight.
    </p>
    <Table
      of={SIGNALS}
      columns={[
        ["Signal", (signal) => <Described {...signal} />],
        ["Points at most", ({ weight }) => count(weight), "number"],
      ]}
      foot={
        <>
          <th scope="row">All together</th>
          <td className="number">
            <b>{count(SIGNALS.reduce((sum, { weight }) => sum + weight, 0))}</b>
          </td>
        </>
      }
    />
    <p className="muted">
      An agent's page shows what each signal adds. Is it yours? <Link href="/me">My agents</Link> shows what would lift
      it.
    </p>
  </Panel>
);

/** How the score is made: what it says, its tiers, its signals, what counts for nothing, and how to check it. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { FOREIGN_CAP } from "../../../core/directory/cred.ts";
import { count } from "../formats.ts";
import { TierShape } from "../parts/cred.tsx";
import { Heads, Panel } from "../parts/panel.tsx";
import { PROOFS } from "../parts/row-badges.tsx";
import { Say, say } from "../say.tsx";
import { TIERS } from "../tiers.ts";

export default function ScorePage() {
  return (
    <div className="page narrow score-page">
      <div className="page-head">
        <div>
          <h1>{say("score.title")}</h1>
          <p>{say("score.lead")}</p>
        </div>
      </div>
      <Panel title={say("score.tiers")}>
        <ul className="tiers">
          {TIERS.map(({ key, label, from, to }) => (
            <li key={key} data-tier={key}>
              <TierShape tier={key} />
              <b>{label}</b>
              <span className="number faint">{say("score.range", { from, to })}</span>
              <span className="muted">{say(`score.tier.${key}`)}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <Signals />
      <Panel title={say("score.marks")}>
        <ul className="proofs">
          {PROOFS.map(({ key, letter, label }) => (
            <li key={key} className="proof">
              <span className="proof-mark" aria-hidden="true">
                {letter}
              </span>
              <span>
                <b>{label}</b>
                <span className="muted hint">{say(`score.mark.${key}`)}</span>
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title={say("score.others")}>
        <p>{say("score.foreign", { n: FOREIGN_CAP })}</p>
        <p>
          <Say k="score.humans" people={linkTo("/people")} />
        </p>
      </Panel>
      <Panel title={say("score.nothing")}>
        <ul className="plain-list">
          {(["paid", "reviews", "token", "said", "alive"] as const).map((key) => (
            <li key={key}>{say(`score.not.${key}`)}</li>
          ))}
        </ul>
      </Panel>
      <Panel title={say("score.limits")}>
        <p>{say("score.limitsText")}</p>
        <p>{say("score.check")}</p>
      </Panel>
    </div>
  );
}

const Signals = () => (
  <Panel title={say("score.signals")}>
    <p className="muted">{say("score.formula")}</p>
    <table className="plain-table fits">
      <Heads texts={[say("score.signal")]} numbers={[say("score.most")]} />
      <tbody>
        {SIGNALS.map(({ key, label, description, weight }) => (
          <tr key={key}>
            <th scope="row">
              {label}
              <span className="faint hint">{description}</span>
            </th>
            <td className="number">{count(weight)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{say("score.all")}</th>
          <td className="number">
            <b>{count(SIGNALS.reduce((sum, { weight }) => sum + weight, 0))}</b>
          </td>
        </tr>
      </tfoot>
    </table>
    <p className="muted">
      <Say k="score.lift" me={linkTo("/me")} />
    </p>
  </Panel>
);

const linkTo =
  (to: string) =>
  (text: string): ReactNode => <Link href={to}>{text}</Link>;

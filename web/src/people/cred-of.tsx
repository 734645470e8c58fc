/** The breakdown of a human's cred: eight signals, each with what it was read from. */
import type { HumanCred } from "../api/types.ts";
import { age, count, counted, date, decimals } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";

/** Names of the signals. */
const SIGNAL_LABELS = {
  verifiedIdentity: "Verified identity",
  linkedAgents: "Linked agents",
  socialReputation: "Social reputation",
  onchainHistory: "On-chain history",
  workHistory: "Work history",
  networkEndorsements: "Endorsements",
  profileCompleteness: "Complete profile",
  longevity: "Longevity",
} as const;

type Signal = keyof HumanCred["breakdown"];

/** What each signal was read from, in a sentence. */
const FROM: Record<Signal, (sources: HumanCred["sources"]) => string> = {
  verifiedIdentity: ({ exchangeAttestation, provenAccounts }) =>
    `The exchange attests ${exchangeAttestation?.attested ? "the wallet" : "nothing about the wallet"}. ${counted(provenAccounts.length, "proven account of a linked agent", "proven accounts of linked agents")}.`,
  linkedAgents: ({ linkedAgents }) =>
    linkedAgents.length === 0
      ? "No agent is linked."
      : `The best linked agent has ${count(Math.max(...linkedAgents.map(({ credScore }) => credScore)))}.`,
  socialReputation: ({ ethos: { score, fetchedAt } }) =>
    score === null || fetchedAt === null
      ? "No score at Ethos is known."
      : `Ethos score ${count(score)}, read ${age(fetchedAt)} ago.`,
  onchainHistory: ({ transactions: { count, fetchedAt } }) =>
    count === null || fetchedAt === null
      ? "The wallet's transactions are not counted yet."
      : `${counted(count, "transaction", "transactions")}, counted ${age(fetchedAt)} ago.`,
  workHistory: ({ sessions }) => `${counted(sessions.success, "session", "sessions")} that ended in success.`,
  networkEndorsements: ({ referrals }) => `${counted(referrals.total, "agent", "agents")} came by its agents' codes.`,
  profileCompleteness: ({ profile: { missing } }) =>
    missing.length === 0 ? "Every part is given." : `Missing: ${missing.join(", ")}.`,
  longevity: ({ registeredAt }) => `Registered ${date(registeredAt)}.`,
};

export function CredOf({ cred }: { cred: HumanCred }) {
  const heads: [string, boolean][] = [
    ["Signal", false],
    ["Raw", true],
    ["Weight", true],
    ["Adds", true],
  ];
  return (
    <table className="plain-table">
      <caption className="unseen">The signals of a human's cred</caption>
      <thead>
        <tr>
          {heads.map(([key, isNumber]) => (
            <th key={key} scope="col" className={isNumber ? "number" : undefined}>
              {key}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(Object.keys(FROM) as Signal[]).map((key) => {
          const { weight, raw, contribution, known } = cred.breakdown[key];
          return (
            <tr key={key}>
              <th scope="row">
                {SIGNAL_LABELS[key]}
                <span className="faint hint">{FROM[key](cred.sources)}</span>
              </th>
              <td className="number">{known ? raw : <NoData reason="its source was not heard yet" />}</td>
              <td className="number faint">{count(weight)} %</td>
              <td className="number">
                <b>{decimals(contribution, 2)}</b>
              </td>
            </tr>
          );
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Score, rounded half up</th>
          <td />
          <td />
          <td className="number">
            <b>{cred.score}</b>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The breakdown of a human's cred: eight signals, each with what it was read from. */
import type { HumanCred } from "../api/types.ts";
import { age, count, counted, date, decimals } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";
import { Described, Table } from "../parts/table.tsx";

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

export const CredOf = ({ cred: { breakdown, sources, score } }: { cred: HumanCred }) => (
  <Table
    className="plain-table"
    caption="The signals of a human's cred"
    of={Object.keys(FROM) as Signal[]}
    keyOf={(key) => key}
    columns={[
      ["Signal", (key) => <Described label={SIGNAL_LABELS[key]} description={FROM[key](sources)} />],
      [
        "Raw",
        (key) => (breakdown[key].known ? breakdown[key].raw : <NoData reason="its source was not heard yet" />),
        "number",
      ],
      ["Weight", (key) => `${count(breakdown[key].weight)} %`, "number faint"],
      ["Adds", (key) => <b>{decimals(breakdown[key].contribution, 2)}</b>, "number"],
    ]}
    foot={
      <>
        <th scope="row">Score, rounded half up</th>
        <td />
        <td />
        <td className="number">
          <b>{score}</b>
        </td>
      </>
    }
  />
);

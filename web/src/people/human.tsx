/** A human's page: what it states, its agents, and how its cred came to be. */
import { useQuery } from "@tanstack/react-query";
import { asked, discovery } from "../api/queries.ts";
import type { Human, HumanCred } from "../api/types.ts";
import { age, count, counted, date, decimals } from "../formats.ts";
import { Address } from "../parts/copy.tsx";
import { NamedAgent, NoData, ScoreRing } from "../parts/cred.tsx";
import { PageNotYet, Panel } from "../parts/panel.tsx";
import { NotYet } from "../parts/states.tsx";
import { Described, Table } from "../parts/table.tsx";
import { addressRef } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { Description, placesOf, Stated, Words } from "./parts.tsx";

const humanPath = (id: string) => `/api/v2/human/${encodeURIComponent(id)}`;

export default function HumanPage() {
  const path = humanPath(addressRef());
  const { data: answer, error, refetch } = useQuery(asked<Human>(path));
  const cred = useQuery(asked<HumanCred>(`${path}/cred`));
  const explorer = useQuery(discovery).data?.data.explorer;
  const human = answer?.data;
  if (!human) return <PageNotYet error={error} refetch={refetch} />;
  const places = { ...human.linkedAccounts, ...placesOf(human.services) };
  return (
    <div className="page">
      <div className="page-head">
        <div className="agent-cell">
          <ScoreRing score={human.humanCred.score} of="person" size={88} />
          <div>
            <h1>
              <bdi>{human.name}</bdi>
            </h1>
            <p>
              {human.organization && (
                <>
                  <bdi>{human.organization}</bdi> ·{" "}
                </>
              )}
              {human.walletAddress ? <Address address={human.walletAddress} explorer={explorer} /> : "without a wallet"}{" "}
              · since {date(human.createdAt)}
            </p>
          </div>
        </div>
        <ApiButton paths={[path, `${path}/cred`]} />
      </div>
      <div className="agent-grid">
        <div className="column">
          <Panel title="How the score came to be">
            {cred.data ? <CredOf cred={cred.data.data} /> : <NotYet {...cred} rows={8} />}
          </Panel>
        </div>
        <div className="column">
          <Panel title="Stated by themselves">
            <div className="stack">
              <Description text={human.description} />
              <Words of={[...human.skills, ...human.domains]} />
              <Stated of={places} />
              {!human.description && human.skills.length + human.domains.length + Object.keys(places).length === 0 && (
                <p className="muted">Nothing more is stated.</p>
              )}
            </div>
          </Panel>
          <Panel title="Linked agents">
            <LinkedAgents human={human} />
          </Panel>
        </div>
      </div>
    </div>
  );
}

const LinkedAgents = ({ human }: { human: Human }) =>
  human.linkedAgents.length === 0 ? (
    <p className="muted">None. An agent is linked by the owner of its token.</p>
  ) : (
    <ul className="person-agents">
      {human.linkedAgents.map((agent) => (
        <li key={agent.tokenId} className="agent-cell">
          <NamedAgent agent={agent} size={32} />
          <b>{agent.credScore}</b>
        </li>
      ))}
    </ul>
  );

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

const CredOf = ({ cred: { breakdown, sources, score } }: { cred: HumanCred }) => (
  <Table
    className="plain-table"
    caption="The signals of a human's cred"
    of={Object.keys(FROM) as Signal[]}
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

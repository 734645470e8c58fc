/** A human's page: what it states, its agents, and how its cred came to be. */

import { useQuery } from "@tanstack/react-query";
import { get } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import type { Human, HumanCred } from "../api/types.ts";
import { date } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { ScoreRing } from "../parts/cred.tsx";
import { Named } from "../parts/named.tsx";
import { Panel } from "../parts/panel.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { addressRef } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { CredOf } from "./cred-of.tsx";
import { Description, placesOf, Stated, Words } from "./parts.tsx";

const humanPath = (id: string) => `/api/v2/human/${encodeURIComponent(id)}`;

export default function HumanPage() {
  const path = humanPath(addressRef());
  const { data: answer, error, refetch } = useQuery({ queryKey: [path], queryFn: get<Human>(path) });
  const cred = useQuery({ queryKey: [`${path}/cred`], queryFn: get<HumanCred>(`${path}/cred`) });
  const explorer = useQuery(discovery).data?.data.explorer;
  const human = answer?.data;
  if (!human)
    return (
      <div className="page">
        {error ? <ProblemNote instead error={error} retry={() => void refetch()} /> : <Loading rows={8} />}
      </div>
    );
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
            {cred.data ? (
              <CredOf cred={cred.data.data} />
            ) : cred.error ? (
              <ProblemNote error={cred.error} retry={() => void cred.refetch()} />
            ) : (
              <Loading rows={8} />
            )}
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
          <Sigil seed={`helixa:${agent.tokenId}`} score={agent.credScore} size={32} />
          <Named className="clip" href={`/agent/${agent.tokenId}`} name={agent.name} />
          <b>{agent.credScore}</b>
        </li>
      ))}
    </ul>
  );

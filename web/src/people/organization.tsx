/** An organization's page: what it states, its members, and who registered it. */
import { useQuery } from "@tanstack/react-query";
import { agent, asked, discovery } from "../api/queries.ts";
import type { Human, Organization } from "../api/types.ts";
import { date } from "../formats.ts";
import { Named, NamedAgent, Sigil } from "../parts/cred.tsx";
import { PageNotYet, Panel } from "../parts/panel.tsx";
import { Party } from "../parts/party.tsx";
import { addressRef } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { Description, placesOf, Stated, Words } from "./parts.tsx";

export default function OrganizationPage() {
  const path = `/api/v2/org/${encodeURIComponent(addressRef())}`;
  const { data: answer, error, refetch } = useQuery(asked<Organization>(path));
  const explorer = useQuery(discovery).data?.data.explorer;
  const organization = answer?.data;
  if (!organization) return <PageNotYet error={error} refetch={refetch} />;
  const { displayName, slug, organizationType, members, registeredBy } = organization;
  return (
    <div className="page">
      <div className="page-head">
        <div className="agent-cell">
          <Sigil seed={organization.id} score={null} size={64} />
          <div>
            <h1>
              <bdi>{displayName}</bdi>
            </h1>
            <p>
              <bdi>{slug}</bdi>
              {organizationType && (
                <>
                  {" "}
                  · <bdi>{organizationType}</bdi>
                </>
              )}{" "}
              · since {date(organization.createdAt)}
            </p>
          </div>
        </div>
        <ApiButton paths={[path]} />
      </div>
      <div className="agent-grid">
        <div className="column">
          <Panel title="Stated by themselves">
            <div className="stack">
              <Description text={organization.description} />
              <Words of={[...organization.roles, ...organization.skills, ...organization.domains]} />
              <Stated of={{ ...organization.links, ...placesOf(organization.services) }} />
              {registeredBy && (
                <p className="muted">
                  Registered by <Registrant id={registeredBy} />.
                </p>
              )}
            </div>
          </Panel>
        </div>
        <div className="column">
          <Panel title="Members, as the organization states them">
            {members.length === 0 ? (
              <p className="muted">It names none.</p>
            ) : (
              <ul className="person-agents">
                {members.map((member) => (
                  <li key={member}>
                    {typeof member === "number" ? (
                      <Member id={member} />
                    ) : (
                      <Party address={member} explorer={explorer} />
                    )}
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        </div>
      </div>
    </div>
  );
}

/** Who registered it, by the name as soon as that is known. */
function Registrant({ id }: { id: string }) {
  const human = useQuery(asked<Human>(`/api/v2/human/${encodeURIComponent(id)}`)).data?.data;
  return <Named href={`/human/${id}`} name={human?.name ?? "a human"} />;
}

/** An agent among the members, by its name as soon as that is known. */
function Member({ id }: { id: number }) {
  const known = useQuery(agent(String(id))).data?.data;
  return (
    <span className="agent-cell">
      <NamedAgent agent={known ?? { tokenId: id, name: `#${id}`, credScore: null }} size={32} />
      {known && <b>{known.credScore}</b>}
    </span>
  );
}

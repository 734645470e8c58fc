/** Registered humans and organizations: stated data, proofs, and their agents. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { asked } from "../api/queries.ts";
import type { Humans, Organizations } from "../api/types.ts";
import { count, counted, date, short } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { Cred, Named, Sigil } from "../parts/cred.tsx";
import { Page } from "../parts/panel.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { Description, placesOf, Stated, Words } from "./parts.tsx";

const PAGE_SIZE = 50;
const KINDS = { humans: "Humans", organizations: "Organizations" } as const;
type Kind = keyof typeof KINDS;

const listPath = (kind: Kind, page: number) => `/api/v2/${kind}?limit=${PAGE_SIZE}${page > 1 ? `&page=${page}` : ""}`;
const list = <T,>(kind: Kind, page: number, enabled: boolean) =>
  queryOptions({ ...asked<T>(listPath(kind, page)), placeholderData: keepPreviousData, enabled });

export default function PeoplePage() {
  const [params, setParams] = useSearchParams();
  const kind: Kind = params.get("of") === "organizations" ? "organizations" : "humans";
  const page = Math.max(1, Number.parseInt(params.get("page") ?? "1", 10) || 1);
  const humans = useQuery(list<Humans>("humans", page, kind === "humans"));
  const organizations = useQuery(list<Organizations>("organizations", page, kind === "organizations"));
  const { data: answer, error, refetch } = kind === "humans" ? humans : organizations;
  const show = (of: Kind, at = 1) =>
    setParams({ ...(of === "organizations" && { of }), ...(at > 1 && { page: String(at) }) });
  return (
    <Page
      title="Humans and organizations"
      lead="Who stands behind agents. Names and accounts are stated by themselves; linked agents are proven by their owner's key."
      beside={
        <span className="actions">
          <span className="segments">
            {(Object.keys(KINDS) as Kind[]).map((each) => (
              <button key={each} type="button" aria-pressed={each === kind} onClick={() => show(each)}>
                {KINDS[each]}
              </button>
            ))}
          </span>
          <Link className="button" href="/people/join">
            Your own page
          </Link>
          <ApiButton paths={[listPath(kind, page)]} />
        </span>
      }
    >
      {!answer ? (
        <NotYet error={error} refetch={refetch} rows={8} />
      ) : answer.data.total === 0 ? (
        <Empty title={kind === "humans" ? "No human has registered yet" : "No organization has registered yet"}>
          <p className="muted">It takes a wallet's signature, or an account at the service's identity provider.</p>
        </Empty>
      ) : (
        <ul className="people">
          {kind === "humans"
            ? humans.data?.data.humans.map((human) => <Human key={human.id} human={human} />)
            : organizations.data?.data.organizations.map((each) => <Organization key={each.id} organization={each} />)}
        </ul>
      )}
      {answer && answer.data.pages > 1 && (
        <nav className="pager" aria-label="Pages">
          <Button disabled={page <= 1} onClick={() => show(kind, page - 1)}>
            Previous
          </Button>
          <span className="muted">
            Page {count(page)} of {count(answer.data.pages)}
          </span>
          <Button disabled={page >= answer.data.pages} onClick={() => show(kind, page + 1)}>
            Next
          </Button>
        </nav>
      )}
    </Page>
  );
}

const Human = ({ human }: { human: Humans["humans"][number] }) => (
  <li className="panel person">
    <div className="person-head">
      <span className="agent-cell">
        <Sigil seed={human.id} score={human.humanCred.score} size={40} />
        <span className="agent-words">
          <Named href={`/human/${human.id}`} className="person-link clip" name={human.name} />
          <span className="agent-id clip">
            {human.organization && (
              <>
                <bdi>{human.organization}</bdi> ·{" "}
              </>
            )}
            {human.walletAddress ? short(human.walletAddress) : "without a wallet"} · since {date(human.createdAt)}
          </span>
        </span>
      </span>
      <Cred score={human.humanCred.score} of="person" />
    </div>
    <Description text={human.description} />
    <Words of={[...human.skills, ...human.domains]} />
    {human.linkedAgents.length > 0 && (
      <p className="tags">
        {human.linkedAgents.map((agent) => (
          <Link key={agent.tokenId} href={`/agent/${agent.tokenId}`} className="tag">
            <bdi>{agent.name}</bdi> {agent.credScore}
          </Link>
        ))}
      </p>
    )}
    <Stated of={{ ...human.linkedAccounts, ...placesOf(human.services) }} />
  </li>
);

const Organization = ({ organization }: { organization: Organizations["organizations"][number] }) => (
  <li className="panel person">
    <div className="person-head">
      <span className="agent-cell">
        <Sigil seed={organization.id} score={null} size={40} />
        <span className="agent-words">
          <Named
            href={`/org/${encodeURIComponent(organization.slug)}`}
            className="person-link clip"
            name={organization.displayName}
          />
          <span className="agent-id clip">
            <bdi>{organization.slug}</bdi>
            {organization.organizationType && (
              <>
                {" "}
                · <bdi>{organization.organizationType}</bdi>
              </>
            )}{" "}
            · since {date(organization.createdAt)}
          </span>
        </span>
      </span>
      <span className="faint">{counted(organization.members.length, "member", "members")}</span>
    </div>
    <Description text={organization.description} />
    <Words of={[...organization.roles, ...organization.skills, ...organization.domains]} />
    <Stated of={{ ...organization.links, ...placesOf(organization.services) }} />
  </li>
);

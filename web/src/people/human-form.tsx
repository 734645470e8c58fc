/** The profile of a human and the organizations of one as forms: registration the first time, changes after it. */
import type { Human, Organization, OwnHuman } from "../api/types.ts";
import { type FieldEntry, fieldsOf, wholeBodyOf } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { membersOf, placesFrom, placesText } from "../parts/written.ts";
import { OperationForm, useOperation } from "../wallet/operation.tsx";
import { PublicPage } from "./parts.tsx";

const PRINCIPALS = "/api/v2/principals";
/** Where one's own page is read. */
export const ME = `${PRINCIPALS}/human/me`;

const wordsOf = (words: readonly (string | number)[] | undefined): string => words?.join(", ") ?? "";

const PLACES = { rows: 3, max: 4_000, hint: "one a line: github: ada", read: placesFrom };
const WORDS = { max: 1_000, hint: "words, separated by commas" };
const CONTACT = { hint: "shown to you alone" };

const humanFields = (human: OwnHuman | null): FieldEntry[] =>
  fieldsOf("human", {
    name: { first: human?.name },
    description: { first: human?.description, rows: 3 },
    image: { label: "Picture", first: human?.image ?? "", hint: "https: or ipfs:" },
    organization: { first: human?.organization },
    skills: { first: wordsOf(human?.skills), ...WORDS },
    domains: { first: wordsOf(human?.domains), ...WORDS },
    linkedAccounts: { label: "Accounts elsewhere", first: placesText(human?.linkedAccounts ?? {}), ...PLACES },
    "contact.email": { label: "E-mail", first: human?.contact.email ?? "", ...CONTACT },
    "contact.telegram": { first: human?.contact.telegram ?? "", ...CONTACT },
  });

const saved = <p role="status">Saved.</p>;

export function HumanForm({ human, who }: { human: OwnHuman | null; who: string }) {
  const op = useOperation<{ principal: Human }>({ name: `human.${who}`, caller: "human", changes: ME });
  const fields = humanFields(human);
  return (
    <Panel title={human ? human.name : "Register"}>
      {!human && <p className="muted">You are not registered yet. A name is enough to begin.</p>}
      {/* Another human is another form, while the outcome of what was sent stays; a change of this one keeps what is typed. */}
      <OperationForm
        op={op}
        formKey={human?.id ?? "new"}
        fields={fields}
        request={(text) => ({ path: `${PRINCIPALS}/human/register`, body: wholeBodyOf(fields, text) })}
        does={human ? "Save the changes" : "Register"}
        beside={human && <PublicPage href={`/human/${human.id}`} />}
        done={() => human && saved}
      />
    </Panel>
  );
}

type OwnOrganization = OwnHuman["organizations"][number];

/** The organizations of a human: registered and changed by forms. */
export const Organizations = ({ human }: { human: OwnHuman }) => (
  <Panel title="Your organizations">
    {human.organizations.map((organization) => (
      <details key={organization.id}>
        <summary>
          <bdi>Change {organization.displayName}</bdi>
        </summary>
        <OrganizationForm organization={organization} />
      </details>
    ))}
    <details>
      <summary>Register an organization</summary>
      <OrganizationForm organization={null} known={human.organizations.length} />
    </details>
  </Panel>
);

const organizationFields = (of: OwnOrganization | null): FieldEntry[] =>
  fieldsOf("organization", {
    displayName: { label: "Name", first: of?.displayName },
    ...(of ? {} : { slug: { label: "Address", hint: "made of the name without one; fixed once registered" } }),
    description: { first: of?.description, rows: 3 },
    organizationType: { label: "Type", first: of?.organizationType, hint: "company, collective, …" },
    roles: { first: wordsOf(of?.roles), ...WORDS },
    links: { first: placesText(of?.links ?? {}), ...PLACES },
    "contact.email": { label: "E-mail", first: of?.contact.email ?? "", ...CONTACT },
    members: {
      ...{ first: wordsOf(of?.members), max: 4_000, read: membersOf },
      hint: "wallets or token ids, separated by commas",
    },
  });

/** @param props.known of a new one, how many there are: the next one begins with empty fields */
function OrganizationForm({ organization, known }: { organization: OwnOrganization | null; known?: number }) {
  const name = `organization.${organization?.id ?? "new"}`;
  const op = useOperation<{ principal: Organization }>({ name, caller: "human", changes: ME });
  const fields = organizationFields(organization);
  return (
    <OperationForm
      op={op}
      formKey={known}
      fields={fields}
      request={(text) => {
        const { slug = organization?.slug, ...body } = wholeBodyOf(fields, text);
        return { path: `${PRINCIPALS}/organization/register`, body: { ...body, ...(slug !== "" && { slug }) } };
      }}
      does={organization ? "Save the changes" : "Register an organization"}
      beside={organization && <PublicPage href={`/org/${encodeURIComponent(organization.slug)}`} />}
      done={() => saved}
    />
  );
}

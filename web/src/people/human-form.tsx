/** The profile of a human and the organizations of one as forms: registration the first time, changes after it. */
import type { Human, Organization, OwnHuman } from "../api/types.ts";
import { type FieldEntry, Form, type FormText, wholeBodyOf } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { listOf, membersOf, placesFrom, placesText } from "./fields.ts";
import { PublicPage } from "./parts.tsx";

const REGISTER = "/api/v2/principals";

const wordsOf = (words: readonly (string | number)[] | undefined): string => words?.join(", ") ?? "";
const orNull = (text: string) => text || null;

const PLACES = { rows: 3, max: 4_000, hint: "one a line: github: ada", optional: true, read: placesFrom };
const WORDS = { max: 1_000, hint: "words, separated by commas", optional: true, read: listOf };
const CONTACT = { hint: "shown to you alone", optional: true, read: orNull };

const humanFields = (human: OwnHuman | null): FieldEntry[] => [
  { name: "name", label: "Name", first: human?.name, max: 64 },
  { name: "description", label: "Description", first: human?.description, rows: 3, max: 512, optional: true },
  {
    ...{ name: "image", label: "Picture", first: human?.image ?? "", max: 2_000 },
    ...{ hint: "https: or ipfs:", optional: true, read: orNull },
  },
  { name: "organization", label: "Organization", first: human?.organization, max: 128, optional: true },
  { name: "skills", label: "Skills", first: wordsOf(human?.skills), ...WORDS },
  { name: "domains", label: "Domains", first: wordsOf(human?.domains), ...WORDS },
  { name: "linkedAccounts", label: "Accounts elsewhere", first: placesText(human?.linkedAccounts ?? {}), ...PLACES },
  { name: "email", path: "contact.email", label: "E-mail", first: human?.contact.email ?? "", max: 254, ...CONTACT },
  {
    ...{ name: "telegram", path: "contact.telegram", label: "Telegram", ...CONTACT },
    ...{ first: human?.contact.telegram ?? "", max: 64 },
  },
];

export function HumanForm({ human, who, changed }: { human: OwnHuman | null; who: string; changed: () => void }) {
  const op = useOperation<{ principal: Human }>({ name: `human.${who}`, caller: "human" });
  const fields = humanFields(human);
  const submit = async (text: FormText) => {
    await op.run({ method: "POST", path: `${REGISTER}/human/register`, body: wholeBodyOf(fields, text) });
    changed();
  };
  return (
    <Panel title={human ? human.name : "Register"}>
      {!human && <p className="muted">You are not registered yet. A name is enough to begin.</p>}
      {/* Another human is another form, while the outcome of what was sent stays; a change of this one keeps what is typed. */}
      <Form
        key={human?.id ?? "new"}
        fields={fields}
        faults={op.faults}
        submit={submit}
        does={human ? "Save the changes" : "Register"}
        busy={op.busy}
        beside={human && <PublicPage href={`/human/${human.id}`} />}
      />
      <OperationSteps op={op} done={() => human && <p role="status">Saved.</p>} />
    </Panel>
  );
}

type OwnOrganization = OwnHuman["organizations"][number];

/** The organizations of a human: registered and changed by forms. */
export const Organizations = ({ human, changed }: { human: OwnHuman; changed: () => void }) => (
  <Panel title="Your organizations">
    {human.organizations.map((organization) => (
      <details key={organization.id}>
        <summary>
          <bdi>Change {organization.displayName}</bdi>
        </summary>
        <OrganizationForm organization={organization} changed={changed} />
      </details>
    ))}
    <details>
      <summary>Register an organization</summary>
      <OrganizationForm organization={null} known={human.organizations.length} changed={changed} />
    </details>
  </Panel>
);

const SLUG: FieldEntry = {
  ...{ name: "slug", label: "Address", max: 48, optional: true },
  hint: "made of the name without one; fixed once registered",
};
const MEMBERS = { max: 4_000, hint: "wallets or token ids, separated by commas", optional: true, read: membersOf };

const organizationFields = (of: OwnOrganization | null): FieldEntry[] => [
  { name: "displayName", label: "Name", first: of?.displayName, max: 64 },
  ...(of ? [] : [SLUG]),
  { name: "description", label: "Description", first: of?.description, rows: 3, max: 512, optional: true },
  {
    ...{ name: "organizationType", label: "Type", first: of?.organizationType, max: 64 },
    ...{ hint: "company, collective, …", optional: true },
  },
  { name: "roles", label: "Roles", first: wordsOf(of?.roles), ...WORDS },
  { name: "links", label: "Links", first: placesText(of?.links ?? {}), ...PLACES },
  { name: "email", path: "contact.email", label: "E-mail", first: of?.contact.email ?? "", max: 254, ...CONTACT },
  { name: "members", label: "Members", first: wordsOf(of?.members), ...MEMBERS },
];

type FormProps = {
  organization: OwnOrganization | null;
  /** Of a new one, how many there are: the next one begins with empty fields. */
  known?: number;
  changed: () => void;
};

function OrganizationForm({ organization, known, changed }: FormProps) {
  const name = `organization.${organization?.id ?? "new"}`;
  const op = useOperation<{ principal: Organization }>({ name, caller: "human" });
  const fields = organizationFields(organization);
  const submit = async (text: FormText) => {
    const { slug = organization?.slug, ...body } = wholeBodyOf(fields, text);
    await op.run({
      method: "POST",
      path: `${REGISTER}/organization/register`,
      body: { ...body, ...(slug !== "" && { slug }) },
    });
    changed();
  };
  return (
    <>
      {/* The outcome stays when the fields are emptied. */}
      <Form
        key={known}
        fields={fields}
        faults={op.faults}
        submit={submit}
        does={organization ? "Save the changes" : "Register an organization"}
        busy={op.busy}
        beside={organization && <PublicPage href={`/org/${encodeURIComponent(organization.slug)}`} />}
      />
      <OperationSteps op={op} done={() => <p role="status">Saved.</p>} />
    </>
  );
}

/** The organizations of a human: registered and changed by forms. */
import type { FormEvent } from "react";
import type { Organization, OwnHuman } from "../api/types.ts";
import { Button } from "../parts/button.tsx";
import { faultsIn, fieldsWith, TextArea, TextField } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { listOf, membersOf, placesFrom, placesText } from "./fields.ts";
import { PublicPage } from "./parts.tsx";

const REGISTER = "/api/v2/principals/organization/register";
type OwnOrganization = OwnHuman["organizations"][number];

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

type FormProps = {
  organization: OwnOrganization | null;
  /** Of a new one, how many there are: the next one begins with empty fields. */
  known?: number;
  changed: () => void;
};

function OrganizationForm({ organization, known, changed }: FormProps) {
  const op = useOperation<{ principal: Organization }>({
    name: `organization.${organization?.id ?? "new"}`,
    caller: "human",
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    await op.run({ method: "POST", path: REGISTER, body: bodyOf(form, organization?.slug) });
    changed();
  };
  const field = fieldsWith(faultsIn(op.state));
  const list = (words: readonly (string | number)[] | undefined) => words?.join(", ") ?? "";
  return (
    <>
      {/* The outcome stays when the fields are emptied. */}
      <form key={known} className="form" onSubmit={(event) => void submit(event)}>
        <TextField {...field("displayName", "Name", organization?.displayName ?? "", 64)} optional={false} />
        {!organization && (
          <TextField {...field("slug", "Address", "", 48)} hint="made of the name without one; fixed once registered" />
        )}
        <TextArea {...field("description", "Description", organization?.description ?? "", 512)} />
        <TextField
          {...field("organizationType", "Type", organization?.organizationType ?? "", 64)}
          hint="company, collective, …"
        />
        <TextField {...field("roles", "Roles", list(organization?.roles), 1_000)} hint="words, separated by commas" />
        <TextArea
          {...field("links", "Links", placesText(organization?.links ?? {}), 4_000)}
          hint="one a line: github: ada"
        />
        <TextField
          {...field("email", "E-mail", organization?.contact.email ?? "", 254)}
          path="contact.email"
          hint="shown to you alone"
        />
        <TextField
          {...field("members", "Members", list(organization?.members), 4_000)}
          hint="wallets or token ids, separated by commas"
        />
        <p className="actions">
          <Button type="submit" strong disabled={op.state.at === "working"}>
            {organization ? "Save the changes" : "Register an organization"}
          </Button>
          {organization && <PublicPage href={`/org/${encodeURIComponent(organization.slug)}`} />}
        </p>
      </form>
      <OperationSteps op={op} done={() => <p role="status">Saved.</p>} />
    </>
  );
}

/** @param slug of the organization that is changed */
function bodyOf(form: FormData, slug: string | undefined) {
  const text = (key: string) => String(form.get(key) ?? "").trim();
  const named = slug ?? text("slug");
  return {
    displayName: text("displayName"),
    ...(named && { slug: named }),
    description: text("description"),
    organizationType: text("organizationType"),
    roles: listOf(text("roles")),
    links: placesFrom(text("links")),
    contact: { email: text("email") || null },
    members: membersOf(text("members")),
  };
}

/** The accounts that an agent states: written by its token's owner, by one signed line of text. They count for nothing. */
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { Agent } from "../api/types.ts";
import { short } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { TextField } from "../parts/form.tsx";
import { NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { type Change, Changes, useDraft } from "./changes.tsx";
import { type Profile, profileOf } from "./profile.ts";
import type { SectionProps } from "./section-props.ts";
import { fieldLabel } from "./storage.tsx";
import { explorerOf, Outcome, useProfileWrite } from "./write.tsx";

const FIELDS = ["twitter", "github", "website"] as const;
type Draft = Partial<Record<(typeof FIELDS)[number], string>>;
const MAX_CLAIM_LENGTH = 256;

export default function AccountsSection({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useQuery(profileOf(agent.tokenId));
  return (
    <NeedsWallet addresses={[agent.owner]} who={`the token's owner ${short(agent.owner)}`}>
      {answer ? (
        <AccountsForm agent={agent} profile={answer.data} />
      ) : (
        <NotYet error={error} refetch={refetch} rows={4} />
      )}
    </NeedsWallet>
  );
}

function AccountsForm({ agent, profile }: { agent: Agent; profile: Profile }) {
  const [draft, setDraft] = useDraft<Draft>(`accounts.${agent.tokenId}`);
  const write = useProfileWrite(agent, "accounts", () => setDraft(null));
  const shown = (field: string) => String(profile.fields.find((one) => one.field === `social.${field}`)?.value ?? "");
  const changes = FIELDS.filter((field) => (draft?.[field] ?? shown(field)).trim() !== shown(field)).map(
    (field): Change => ({
      field,
      label: fieldLabel(`social.${field}`),
      before: shown(field),
      after: draft?.[field]?.trim() ?? "",
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const social = Object.fromEntries(changes.map(({ field, after }) => [field, after]));
    write.save({ social }, { bySignature: true });
  };
  return (
    <>
      <form className="panel form" onSubmit={submit} aria-label="Accounts">
        <h2>Accounts</h2>
        <p className="muted">
          Shown as stated, beside what is proven. They count for nothing; a proven account counts.
        </p>
        {FIELDS.map((field) => (
          <TextField
            key={field}
            name={field}
            path={`social.${field}`}
            label={fieldLabel(`social.${field}`)}
            faults={write.faults}
            value={draft?.[field] ?? shown(field)}
            max={MAX_CLAIM_LENGTH}
            optional
            onChange={({ target }) => setDraft({ ...draft, [field]: target.value })}
          />
        ))}
        <Changes changes={changes} />
        <p className="muted">
          The owner's wallet signs one line of text that names the agent and the time. It is good for five minutes and
          for this change only.
        </p>
        <Action type="submit" strong disabled={changes.length === 0 || write.busy}>
          Sign and save
        </Action>
      </form>
      <Outcome write={write} explorer={explorerOf(agent)} />
    </>
  );
}

/** The accounts that an agent states: written by its token's owner, by one signed line of text. They count for nothing. */
import { useQuery } from "@tanstack/react-query";
import type { Agent } from "../api/types.ts";
import { short } from "../formats.ts";
import { NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Changes, changesOf, useDraft } from "./changes.tsx";
import { fieldLabel } from "./storage.tsx";
import { type Profile, ProfileForm, profileOf, type SectionProps, useProfileWrite } from "./write.tsx";

const FIELDS = ["twitter", "github", "website"].map((name) => ({
  name,
  path: `social.${name}`,
  label: fieldLabel(`social.${name}`),
  max: 256,
  optional: true,
}));

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
  const [draft, setDraft] = useDraft<Record<string, string>>(`accounts.${agent.tokenId}`);
  const write = useProfileWrite(agent, "accounts", () => setDraft(null));
  const shown = Object.fromEntries(
    FIELDS.map(({ name, path }) => [name, String(profile.fields.find(({ field }) => field === path)?.value ?? "")]),
  );
  const typed = { ...shown, ...draft };
  const changes = changesOf(FIELDS, shown, typed);
  const social = () => Object.fromEntries(changes.map(({ field, after }) => [field, after]));
  return (
    <ProfileForm
      agent={agent}
      write={write}
      title="Accounts"
      lead="Shown as stated, beside what is proven. They count for nothing; a proven account counts."
      fields={FIELDS}
      values={typed}
      change={(name, value) => setDraft({ ...draft, [name]: value })}
      save={changes.length > 0 ? () => write.save({ social: social() }, { bySignature: true }) : null}
      does="Sign and save"
    >
      <Changes changes={changes} />
      <p className="muted">
        The owner's wallet signs one line of text that names the agent and the time. It is good for five minutes and for
        this change only.
      </p>
    </ProfileForm>
  );
}

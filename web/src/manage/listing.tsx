/** What an agent lists: its services, skills, domains, accepted payments and further metadata. None of it counts for the score. */
import { useMemo } from "react";
import { placeOf } from "../../../core/agents/listing.ts";
import type { Agent } from "../api/types.ts";
import { fieldLabel, NO_OBJECT } from "../parts/form.tsx";
import { useDraft } from "../parts/typed.tsx";
import { objectIn } from "../parts/written.ts";
import { type Change, Changes } from "./changes.tsx";
import { OFFERED, Services, servicesOf, type TypedService } from "./profile-fields.tsx";
import { ProfileForm, type SectionProps, useProfileWrite } from "./write.tsx";

/** As it is typed: lists have one item per line, metadata is JSON. */
type Draft = { services: TypedService[] } & Record<"skills" | "domains" | "metadata" | typeof PAYMENTS, string>;
const PAYMENTS = "metadata.acceptedPayments";

const linesOf = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);

/** The listing as the form shows it. */
function draftOf({ services, skills, domains, metadata }: Agent): Draft {
  const { acceptedPayments = [], ...rest } = metadata;
  return {
    services: Object.entries(services).map(([name, service]) => ({ name, place: placeOf(service) ?? "" })),
    skills: skills.join("\n"),
    domains: domains.join("\n"),
    [PAYMENTS]: acceptedPayments.join("\n"),
    metadata: Object.keys(rest).length === 0 ? "" : JSON.stringify(rest, null, 2),
  };
}

/** The fields of an update that differ from the present listing; null while the metadata is no JSON object. */
function updateOf(draft: Draft, agent: Agent): Record<string, unknown> | null {
  const rest = objectIn(draft.metadata);
  if (rest === null) return null;
  const payments = linesOf(draft[PAYMENTS]);
  const wanted: Record<string, unknown> = {
    services: servicesOf(draft.services, agent.services),
    skills: linesOf(draft.skills),
    domains: linesOf(draft.domains),
    metadata: { ...rest, ...(payments.length > 0 && { acceptedPayments: payments }) },
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => !isSame(value, agent[field as "services"])),
  );
}

/** Whether two JSON values are equal; the order of an object's members does not count. */
const isSame = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other);
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const inWords = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(", ")
    : Object.entries(value as object)
        .map(([name, inner]) => `${name}: ${wordsOf(inner)}`)
        .join("\n");
const wordsOf = (value: unknown): string =>
  (typeof value === "object" && value !== null && !Array.isArray(value)
    ? placeOf(value as Record<string, unknown>)
    : null) ?? (typeof value === "string" ? value : JSON.stringify(value));

const FIELDS = [
  ...OFFERED.slice(0, -1),
  { ...OFFERED[0]!, name: PAYMENTS, label: "Accepted payments", hint: "one per line" },
  ...OFFERED.slice(-1),
];

export default function ListingSection({ agent }: SectionProps) {
  const [kept, setDraft] = useDraft<Draft>(`listing.${agent.tokenId}`);
  const write = useProfileWrite(agent, "listing", () => setDraft(null));
  const shown = useMemo(() => draftOf(agent), [agent]);
  const draft = kept ?? shown;
  const { services, ...texts } = draft;
  const update = updateOf(draft, agent);
  const changes = Object.entries(update ?? {}).map(
    ([field, value]): Change => ({
      field,
      label: fieldLabel(field),
      before: inWords(agent[field as "services"]),
      after: inWords(value),
    }),
  );
  return (
    <ProfileForm
      agent={agent}
      write={write}
      title="What it offers"
      lead="Shown as you state it, and published in the agent's registration file. None of it counts for the score. It is kept off chain."
      before={
        <Services of={services} set={(rows) => setDraft({ ...draft, services: rows })} faults={write.op.faults} />
      }
      fields={FIELDS}
      faults={update === null ? NO_OBJECT : write.op.faults}
      values={texts}
      change={(name, value) => setDraft({ ...draft, [name]: value })}
      save={update !== null && changes.length > 0 ? () => write.save(update) : null}
      does="Save"
      discard={kept && (() => setDraft(null))}
    >
      <Changes changes={changes} />
    </ProfileForm>
  );
}

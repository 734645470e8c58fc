/** What an agent lists: its services, skills, domains, accepted payments and further metadata. None of it counts for the score. */
import { useMemo } from "react";
import { placeOf } from "../../../core/agents/listing.ts";
import type { Agent } from "../api/types.ts";
import { NO_OBJECT, objectIn } from "../parts/form.tsx";
import { webAddress } from "../parts/out-link.tsx";
import { type Change, Changes, type PairFields, Pairs, useDraft } from "./changes.tsx";
import { fieldLabel } from "./storage.tsx";
import { ProfileForm, type SectionProps, useProfileWrite } from "./write.tsx";

type Service = { name: string; place: string };
/** As it is typed: lists have one item per line, metadata is JSON. */
type Draft = { services: Service[]; skills: string; domains: string; payments: string; metadata: string };
const EMPTY: Service = { name: "", place: "" };
const MAX_SERVICES = 24;

const linesOf = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);

/** The listing as the form shows it. */
function draftOf({ services, skills, domains, metadata }: Agent): Draft {
  const { acceptedPayments = [], ...rest } = metadata;
  return {
    services: Object.entries(services).map(([name, service]) => ({ name, place: placeOf(service) ?? "" })),
    skills: skills.join("\n"),
    domains: domains.join("\n"),
    payments: acceptedPayments.join("\n"),
    metadata: Object.keys(rest).length === 0 ? "" : JSON.stringify(rest, null, 2),
  };
}

/** Fields of a service that locate it, in the order in which they count. */
const PLACES = ["url", "endpoint", "address", "handle", "name", "id"];

/** The services to store: those that are known keep their other fields. */
function servicesOf(typed: readonly Service[], known: Agent["services"]): Record<string, object> {
  const listed = typed.filter(({ name, place }) => name.trim() !== "" && place.trim() !== "");
  return Object.fromEntries(
    listed.map(({ name, place }) => {
      const before: Record<string, unknown> | undefined = known[name.trim()];
      const text = place.trim();
      if (before && placeOf(before) === text) return [name.trim(), before];
      const { url: _, ...others } = before ?? {};
      const field = webAddress(text)
        ? "url"
        : (PLACES.find((one) => one !== "url" && typeof others[one] === "string") ?? "handle");
      return [name.trim(), { ...others, [field]: text }];
    }),
  );
}

/** The fields of an update that differ from the present listing; null while the metadata is no JSON object. */
function updateOf(draft: Draft, agent: Agent): Record<string, unknown> | null {
  const rest = objectIn(draft.metadata);
  if (rest === null) return null;
  const payments = linesOf(draft.payments);
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

/** The lists and the metadata, as the form takes them. */
const LIST = { hint: "one per line", rows: 3, optional: true };
const FIELDS = [
  { name: "skills", label: fieldLabel("skills"), ...LIST },
  { name: "domains", label: fieldLabel("domains"), ...LIST },
  { name: "payments", path: "metadata.acceptedPayments", label: "Accepted payments", ...LIST },
  { name: "metadata", label: fieldLabel("metadata"), hint: "a JSON object", rows: 4, optional: true },
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
        <fieldset className="rows">
          <legend className="label">{fieldLabel("services")}</legend>
          <Pairs
            of={services.length > 0 ? services : [EMPTY]}
            empty={EMPTY}
            max={MAX_SERVICES}
            set={(rows) => setDraft({ ...draft, services: rows })}
            faults={write.faults}
            fields={serviceFields}
          />
        </fieldset>
      }
      fields={FIELDS}
      faults={update === null ? NO_OBJECT : write.faults}
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

function serviceFields(row: Service, i: number): PairFields<Service> {
  const path = `services.${row.name.trim()}`;
  const name = { of: "name", name: `service${i}`, path, max: 64, optional: true } as const;
  const place = { of: "place", name: `place${i}`, path: `${path}.url`, optional: true } as const;
  return [
    { ...name, label: "Service", hint: "mcp, a2a, web, email …" },
    { ...place, label: "Where", hint: "URL, or another place" },
  ];
}

/** What an agent lists: its services, skills, domains, accepted payments and further metadata. None of it counts for the score. */
import { type FormEvent, useMemo } from "react";
import { placeOf } from "../../../core/agents/listing.ts";
import type { Agent } from "../api/types.ts";
import { count } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { TextArea, TextField } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { webAddress } from "../parts/out-link.tsx";
import { type Change, Changes, useDraft } from "./changes.tsx";
import type { SectionProps } from "./section-props.ts";
import { fieldLabel } from "./storage.tsx";
import { explorerOf, Outcome, useProfileWrite } from "./write.tsx";

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

/** The JSON object of a text; null when it is none. */
function objectOf(text: string): Record<string, unknown> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The fields of an update that differ from the present listing; null while the metadata is no JSON object. */
function updateOf(draft: Draft, agent: Agent): Record<string, unknown> | null {
  const rest = objectOf(draft.metadata);
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

export default function ListingSection({ agent }: SectionProps) {
  const [kept, setDraft] = useDraft<Draft>(`listing.${agent.tokenId}`);
  const write = useProfileWrite(agent, "listing", () => setDraft(null));
  const shown = useMemo(() => draftOf(agent), [agent]);
  const draft = kept ?? shown;
  const update = updateOf(draft, agent);
  const changes = Object.entries(update ?? {}).map(
    ([field, value]): Change => ({
      field,
      label: fieldLabel(field),
      before: inWords(agent[field as "services"]),
      after: inWords(value),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (update) write.save(update);
  };
  const area = (field: "skills" | "domains" | "payments") => (
    <TextArea
      name={field}
      path={field === "payments" ? "metadata.acceptedPayments" : field}
      label={field === "payments" ? "Accepted payments" : fieldLabel(field)}
      hint="one per line"
      faults={write.faults}
      value={draft[field]}
      optional
      onChange={({ target }) => setDraft({ ...draft, [field]: target.value })}
    />
  );
  return (
    <>
      <form className="panel form" onSubmit={submit} aria-label="What it offers">
        <h2>What it offers</h2>
        <p className="muted">
          Shown as you state it, and published in the agent's registration file. None of it counts for the score. It is
          kept off chain.
        </p>
        <Services draft={draft} setDraft={setDraft} faults={write.faults} />
        {area("skills")}
        {area("domains")}
        {area("payments")}
        <TextArea
          name="metadata"
          label={fieldLabel("metadata")}
          hint="a JSON object"
          faults={update === null ? new Map([["metadata", "must be a JSON object"]]) : write.faults}
          value={draft.metadata}
          rows={4}
          optional
          onChange={({ target }) => setDraft({ ...draft, metadata: target.value })}
        />
        <Changes changes={changes} />
        <p className="actions">
          <Button type="submit" strong disabled={changes.length === 0 || write.busy}>
            Save
          </Button>
          {kept && (
            <Button disabled={write.busy} onClick={() => setDraft(null)}>
              Discard changes
            </Button>
          )}
        </p>
      </form>
      <Outcome write={write} explorer={explorerOf(agent)} />
    </>
  );
}

type ServicesProps = { draft: Draft; setDraft: (draft: Draft) => void; faults: ReadonlyMap<string, string> };

function Services({ draft, setDraft, faults }: ServicesProps) {
  const rows = draft.services.length > 0 ? draft.services : [EMPTY];
  const set = (services: Service[]) => setDraft({ ...draft, services });
  const change = (i: number, part: Partial<Service>) =>
    set(rows.map((row, at) => (at === i ? { ...row, ...part } : row)));
  return (
    <fieldset className="rows">
      <legend className="label">{fieldLabel("services")}</legend>
      {rows.map((row, i) => (
        <div key={i} className="pair">
          <TextField
            name={`service${i}`}
            path={`services.${row.name.trim()}`}
            label="Service"
            hint="mcp, a2a, web, email …"
            faults={faults}
            value={row.name}
            max={64}
            optional
            onChange={({ target }) => change(i, { name: target.value })}
          />
          <TextField
            name={`place${i}`}
            path={`services.${row.name.trim()}.url`}
            label="Where"
            hint="URL, or another place"
            faults={faults}
            value={row.place}
            optional
            onChange={({ target }) => change(i, { place: target.value })}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove row ${count(i + 1)}`}
            onClick={() => set(rows.filter((_, at) => at !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {rows.length < MAX_SERVICES && (
        <p>
          <Button onClick={() => set([...rows, EMPTY])}>Add a row</Button>
        </p>
      )}
    </fieldset>
  );
}

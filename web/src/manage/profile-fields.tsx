/** The fields in which an agent describes itself and lists what it offers, as registration and management have them. */
import { PLACES, placeOf } from "../../../core/agents/listing.ts";
import { NARRATIVE_FIELDS, PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "../../../core/agents/profile.ts";
import type { Agent } from "../api/types.ts";
import { type Faults, fieldsOf } from "../parts/form.tsx";
import { webAddress } from "../parts/out-link.tsx";
import { type PairFields, Pairs } from "../parts/typed.tsx";

const at = (part: string, names: readonly string[], words: object) =>
  fieldsOf("mint", Object.fromEntries(names.map((name) => [`${part}.${name}`, words])));

export const NARRATIVE = at("narrative", NARRATIVE_FIELDS, { rows: 3 });
export const TEXTS = at("personality", PERSONALITY_TEXTS, { rows: 2 });
export const LEVELS = at("personality", PERSONALITY_LEVELS, {});
export const PERSONALITY = [...TEXTS, ...LEVELS];

/** What it offers, but its services. */
export const OFFERED = fieldsOf("mint", {
  skills: { rows: 3 },
  domains: { rows: 3 },
  metadata: { label: "Further metadata", hint: "a JSON object, shown as it is", rows: 4 },
});

/** A service as it is typed: its name, and where it is. */
export type TypedService = { name: string; place: string };
const EMPTY: TypedService = { name: "", place: "" };
const MAX_SERVICES = 24;

/** The services to store: those that are known keep their other fields. */
export function servicesOf(typed: readonly TypedService[], known: Agent["services"]): Record<string, object> {
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

type Props = { of: readonly TypedService[]; set: (rows: TypedService[]) => void; faults: Faults };

export const Services = ({ of, ...rows }: Props) => (
  <fieldset className="rows">
    <legend className="label">Services</legend>
    <Pairs of={of.length > 0 ? of : [EMPTY]} empty={EMPTY} max={MAX_SERVICES} fields={serviceFields} {...rows} />
  </fieldset>
);

function serviceFields({ name }: TypedService): PairFields<TypedService> {
  const path = `services.${name.trim()}`;
  return [
    { of: "name", name: path, label: "Service", hint: "mcp, a2a, web, email …", max: 64, optional: true },
    { of: "place", name: `${path}.url`, label: "Where", hint: "URL, or another place", optional: true },
  ];
}

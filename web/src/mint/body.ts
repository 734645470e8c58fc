/** The body of a registration from the form's fields. A field's name is the path by which the service names its errors. */
import { NARRATIVE_FIELDS, PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "../../../core/agents/profile.ts";
import type { Faults } from "../parts/form.tsx";
import { keep, kept } from "../stored.ts";

/** Names of the repeated fields of one service: the pairs are in the order of the form. */
export const SERVICE_NAME = "services.name";
export const SERVICE_URL = "services.url";

type Body = Record<string, unknown>;
type MintInput = { body: Body } | { faults: Faults };

/** @returns the body of `POST /api/v2/mint`, or the errors of fields that cannot be written as JSON */
export function bodyOf(form: URLSearchParams): MintInput {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const part = (name: string, fields: readonly string[], read: (value: string) => unknown = (value) => value) =>
    fields.flatMap((field) => {
      const value = text(`${name}.${field}`);
      return value ? [[field, read(value)] as const] : [];
    });
  const personality = [
    ...part("personality", PERSONALITY_TEXTS),
    ...part("personality", PERSONALITY_LEVELS, (value) => Number(value)),
  ];
  const metadata = readObject(text("metadata"));
  if (metadata === null) return { faults: new Map([["metadata", "must be a JSON object"]]) };
  const body = {
    name: text("name"),
    framework: text("framework"),
    soulbound: form.get("soulbound") === "on",
    personality: Object.fromEntries(personality),
    narrative: Object.fromEntries(part("narrative", NARRATIVE_FIELDS)),
    services: servicesOf(form),
    skills: wordsOf(text("skills")),
    domains: wordsOf(text("domains")),
    metadata,
    referralCode: text("referralCode"),
  };
  return { body: Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value))) };
}

/** One word to a line or between commas. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

function servicesOf(form: URLSearchParams): Record<string, string> {
  const urls = form.getAll(SERVICE_URL);
  const named = form.getAll(SERVICE_NAME).map((name, i) => [name.trim(), (urls[i] ?? "").trim()] as const);
  return Object.fromEntries(named.filter(([name, url]) => name !== "" && url !== ""));
}

/** The object in a JSON text, empty without a text; null when it is none. */
function readObject(text: string): Body | null {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : null;
  } catch {
    return null;
  }
}

const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

const DRAFT = "mint.draft";

/** What is written in the form is kept in this tab, so that a reload loses no text. */
export const keepDraft = (form: HTMLFormElement | null): void => keep("tab", DRAFT, form && fieldsOf(form).toString());
export const keptDraft = (): URLSearchParams => new URLSearchParams(kept<string>("tab", DRAFT) ?? "");

export const fieldsOf = (form: HTMLFormElement): URLSearchParams =>
  new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]));

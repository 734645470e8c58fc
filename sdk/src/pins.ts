/** Checking what an endpoint answers against a pin, without the service: what was reviewed is in the pin's file. */
import { type OfferForm, offerForm, type Terms, termsForm } from "./offer-form.ts";
import type { components } from "./openapi.ts";

/** The answer of `POST /api/v2/pins`. */
export type Pin = components["schemas"]["Pin"];

/**
 * `invalid`: the file is not as the service made it. `unknown`: the pin has nothing at this address that the document could be
 * compared with. `says`: each difference in a sentence.
 */
export type PinCheck = { status: "same" | "changed" | "invalid" | "unknown"; says: string[] };

type Json = Record<string, unknown>;
const listIn = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];
const hrefOf = (raw: unknown): string => (typeof raw === "string" && URL.canParse(raw) ? new URL(raw).href : "");

/**
 * Compares what an endpoint answers with what was pinned. Texts with invisible characters, or not in Unicode's NFC, differ from
 * how the service has read them.
 * @param url of the endpoint, or of a registration file
 * @param document as JSON: the terms of a 402 of x402; the result of MCP's `tools/list`, of all pages; an A2A agent card; an
 *   ERC-8004 registration file, whose endpoints are compared
 */
export async function checkPin(pin: Pin, url: string, document: unknown): Promise<PinCheck> {
  if (!(await isWhole(pin))) return { status: "invalid", says: ["The file is not as the service made it."] };
  const { accepts, tools, skills, ...other } = (document ?? {}) as Json;
  const href = hrefOf(url);
  const says = accepts
    ? termsDiffer(pin, href, listIn(accepts))
    : tools
      ? await offersDiffer(
          pin,
          `mcp ${href}`,
          listIn(tools).map((tool) => toolOf(tool, href)),
        )
      : skills
        ? await offersDiffer(pin, `agent_card ${href}`, skillsOf(listIn(skills), other))
        : endpointsDiffer(pin, listIn(other.services ?? other.endpoints));
  if (says === null) return { status: "unknown", says: ["The pin has nothing to compare the document with."] };
  return { status: says.length === 0 ? "same" : "changed", says };
}

/** Whether each hash of the file is that of what it is of. */
async function isWhole({ id, versions }: Pin): Promise<boolean> {
  try {
    const hashes = await Promise.all(versions.map(({ version }) => hashOf(version)));
    const digestOf = async (some: Pin["versions"]) =>
      (await hashOf(some.map(({ endpoint, hash }) => ({ endpoint, hash })))).slice(0, 32);
    const digests = (await digestOf(versions.filter(({ confirmed }) => confirmed))) + (await digestOf(versions));
    return id.split("_")[1] === digests && versions.every(({ hash }, i) => hash === hashes[i]);
  } catch {
    // It comes from outside: members may be missing, or nested beyond reason.
    return false;
  }
}

/** JSON in canonical form (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(",")}}`;
}

async function hashOf(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(value)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What came and what is gone between two sets. */
const between = (pinned: readonly string[], now: readonly string[], what: string): string[] => [
  ...now.filter((one) => !pinned.includes(one)).map((one) => `It ${what} ${one}, which was not pinned.`),
  ...pinned.filter((one) => !now.includes(one)).map((one) => `It no longer ${what} ${one}.`),
];

/** Networks by the names of x402 version 1. */
const NETWORKS: Json = { base: "eip155:8453", polygon: "eip155:137", avalanche: "eip155:43114" };

function termsDiffer({ versions }: Pin, url: string, accepts: readonly Json[]): string[] | null {
  const inWords = ({ amount, asset, network, payTo, scheme }: Terms) =>
    `${amount} of ${asset} on ${network} to ${payTo} (${scheme})`;
  const items = versions.flatMap(({ version }) => version.items).filter(({ endpoint }) => endpoint === url);
  const pinned = items.flatMap((item) => item.accepts.map(inWords));
  const now = accepts.map(({ scheme, network, asset, amount, maxAmountRequired, payTo }) => {
    const terms = {
      scheme,
      network: NETWORKS[String(network)] ?? network,
      asset,
      amount: amount ?? maxAmountRequired,
      payTo,
    };
    return inWords(termsForm(Object.fromEntries(Object.entries(terms).map(([k, v]) => [k, String(v)])) as Terms));
  });
  return pinned.length === 0 ? null : between(pinned, now, "asks for");
}

/** As the service bounds what it reads: offers, characters of texts, and of a schema as JSON. */
const MAX_OFFERS = 64;
const MAX_SCHEMA = 4_000;
const cut = (raw: unknown, most: number): string =>
  typeof raw === "string" ? [...raw.replaceAll("\r\n", "\n").trim()].slice(0, most).join("").trim() : "";

function formOf(kind: string, { name, description, tags, endpoint, inputSchema }: Json): OfferForm {
  const schema = JSON.stringify(inputSchema ?? null, (_, each) => (typeof each === "string" ? cut(each, 500) : each));
  return offerForm({
    ...{ kind, name: cut(name, 100), description: cut(description, 600), endpoint: endpoint as string | null },
    tags: (Array.isArray(tags) ? tags.slice(0, 16) : []).map((tag) => cut(tag, 40)),
    ...{ method: null, priceUsd: null, price: null },
    inputSchema: schema.length > MAX_SCHEMA ? null : JSON.parse(schema),
  });
}

function toolOf({ name, title, description, inputSchema }: Json, endpoint: string): OfferForm {
  const said = [title, description].filter((text) => typeof text === "string" && text !== "" && text !== name);
  return formOf("tool", { name, description: said.join(": "), endpoint, inputSchema });
}

function skillsOf(skills: readonly Json[], card: Json): OfferForm[] {
  const addresses = [card, ...listIn(card.supportedInterfaces), ...listIn(card.additionalInterfaces)];
  const endpoint = addresses.map(({ url }) => hrefOf(url)).find((url) => /^https?:/.test(url)) ?? null;
  return skills.map((skill) => formOf("skill", { ...skill, name: skill.name ?? skill.id, endpoint }));
}

async function offersDiffer({ versions }: Pin, source: string, found: readonly OfferForm[]): Promise<string[] | null> {
  const pinned = versions.find(({ endpoint }) => endpoint && `${endpoint.kind} ${endpoint.url}` === source)?.version;
  if (!pinned) return null;
  const now = await Promise.all(
    found.slice(0, MAX_OFFERS).map(async ({ text, schema, ...form }) => {
      const hashes = { text: (await hashOf(text)).slice(0, 32), schema: schema && (await hashOf(schema)).slice(0, 32) };
      return { name: form.name, form: canonical({ ...form, ...hashes }) };
    }),
  );
  const before = pinned.items.map((item) => ({ name: item.name, form: canonical(item) }));
  const names = (list: typeof now) => [...new Set(list.map(({ name }) => name))];
  const other = now.filter(({ form }) => !before.some((one) => one.form === form)).map(({ name }) => name);
  return [
    ...between(names(before), names(now), "offers"),
    ...new Set(
      other
        .filter((name) => names(before).includes(name))
        .map((name) => `Its ${name} has another description, input or address.`),
    ),
  ];
}

/** Names of services that the service reads. */
const IS_READ = /^(mcp|a2a|x402|open-?api)\b/i;

function endpointsDiffer({ versions }: Pin, services: readonly Json[]): string[] | null {
  const items = versions.find(({ endpoint }) => endpoint === null)?.version.items;
  if (!items || services.length === 0) return null;
  const pinned = items.flatMap(({ kind, name }) => (kind === "endpoint" ? name.split(" ").slice(1) : []));
  const named = services.map(({ name, endpoint }) => ({
    name: String(name),
    url: hrefOf(endpoint).replace(/#.*/, ""),
  }));
  const now = named.flatMap(({ name, url }) => (IS_READ.test(name) || pinned.includes(url) ? [url] : []));
  return between(pinned, now, "names");
}

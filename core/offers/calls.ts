/** How an offer is called, as text for a shell, a program or a client's settings. Names and addresses are untrusted: each is quoted. */
import { isRecord } from "../json.ts";
import { urlOf } from "../urls.ts";
import type { OfferKind } from "./offer.ts";

type Json = Record<string, unknown>;

/** Max parts of an example, at all its levels together, and max levels: a schema is untrusted, and pages build the example while they render. */
const MAX_PARTS = 200;
const MAX_LEVELS = 8;

/** @param schema is untrusted @returns null where the schema asks for nothing */
const exampleInput = (schema: unknown): Json | null => inputOf(schema, { parts: MAX_PARTS }, MAX_LEVELS);

/** How many parts an example may still have, shared by all its levels. */
type Room = { parts: number };

function inputOf(schema: unknown, room: Room, levels: number): Json | null {
  if (!isRecord(schema)) return null;
  const given = [...(Array.isArray(schema.examples) ? schema.examples : []), schema.example].find(isRecord);
  if (given) return given;
  if (!isRecord(schema.properties) || !Array.isArray(schema.required) || levels === 0) return null;
  const input: [name: string, value: unknown][] = [];
  for (const name of new Set(schema.required)) {
    if (typeof name !== "string") continue;
    if (room.parts === 0) break;
    room.parts -= 1;
    input.push([name, exampleOf(name, schema.properties[name], room, levels - 1)]);
  }
  return input.length > 0 ? Object.fromEntries(input) : null;
}

/** A text stands for itself by its name in brackets. */
function exampleOf(name: string, property: unknown, room: Room, levels: number): unknown {
  const { examples, example, enum: choices, type, minimum, ...rest } = isRecord(property) ? property : ({} as Json);
  const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);
  const given = first(examples) ?? example ?? rest.default ?? rest.const ?? first(choices);
  if (given !== undefined) return given;
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return true;
  if (type === "array") return [];
  if (type === "object") return inputOf(property, room, levels) ?? {};
  return `<${name}>`;
}

export type CallableOffer = {
  kind: OfferKind;
  name: string;
  endpoint: string | null;
  method: string | null;
  inputSchema?: unknown;
  /** US dollars of a call. */
  priceUsd?: number | null;
};

/** Any text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const jsonCall = (url: string, body: object, accept: string): string =>
  [
    `curl -sS ${shellWord(url)} \\`,
    `  -H 'content-type: application/json' -H ${shellWord(`accept: ${accept}`)} \\`,
    `  -d ${shellWord(JSON.stringify(body))}`,
  ].join("\n");

/** A name for settings: letters, digits and hyphens. */
const slugOf = (name: string): string => (name.toLowerCase().match(/[a-z0-9]+/g) ?? ["agent"]).join("-").slice(0, 40);

/** One way to call an offer. `form` names what reads the text. */
export type CallText = { form: "shell" | "settings" | "program"; text: string };

/**
 * The ways to call an offer at its endpoint, with the input that it asks for; none for one without an http(s) address.
 * @param agent its name, for the name of a server in settings
 */
export function callsOf(offer: CallableOffer, agent: string): CallText[] {
  const { kind, name, endpoint, inputSchema } = offer;
  const url = endpoint === null ? null : urlOf(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return [];
  const { href } = url;
  const input = exampleInput(inputSchema);
  switch (kind) {
    case "tool":
      return [
        {
          form: "settings",
          text: JSON.stringify({ mcpServers: { [slugOf(agent)]: { type: "http", url: href } } }, null, 2),
        },
        {
          form: "shell",
          text: jsonCall(
            href,
            { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input ?? {} } },
            "application/json, text/event-stream",
          ),
        },
      ];
    case "skill": {
      const parts = [{ kind: "text", text: name }];
      const params = { message: { role: "user", messageId: "1", parts } };
      const body = { jsonrpc: "2.0", id: 1, method: "message/send", params };
      return [{ form: "shell", text: jsonCall(href, body, "application/json") }];
    }
    case "resource":
      return resourceCalls(url, input, offer);
  }
}

/** A resource takes its input in the query, or in the body where its method has one. */
function resourceCalls(
  url: URL,
  input: Record<string, unknown> | null,
  { method, priceUsd }: CallableOffer,
): CallText[] {
  const verb = method && method !== "GET" ? method : null;
  const hasBody = verb !== null && verb !== "DELETE" && verb !== "HEAD";
  const called = new URL(url);
  for (const [name, value] of hasBody ? [] : Object.entries(input ?? {}))
    called.searchParams.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  const body = hasBody && input ? JSON.stringify(input) : null;
  const shell = [
    `curl -sS -i${verb ? ` -X ${verb}` : ""} ${shellWord(called.href)}`,
    ...(body ? ["-H 'content-type: application/json'", `-d ${shellWord(body)}`] : []),
  ];
  const options = [
    ...(verb ? [`method: ${JSON.stringify(verb)}`] : []),
    ...(body ? [`headers: { "content-type": "application/json" }`, `body: ${JSON.stringify(body)}`] : []),
  ];
  const given = JSON.stringify(called.href) + (options.length > 0 ? `, { ${options.join(", ")} }` : "");
  return [
    { form: "shell", text: shell.join(" \\\n  ") },
    { form: "program", text: [...payingClient(priceUsd ?? null), "", ...sending("pay", given)].join("\n") },
  ];
}

/** Lines of a program that sends a request and prints its answer. @param given the arguments, as source text */
export const sending = (fetching: "fetch" | "pay", given: string): string[] => [
  `const response = await ${fetching}(${given});`,
  "console.log(response.status, await response.text());",
];

/**
 * Lines of a program that make `pay`, by the protocol's own client: it reads the terms of the 402, signs and asks again.
 * @param maxUsd the most that is paid for a call; null leaves the client's own limit, one US dollar
 */
export const payingClient = (maxUsd: number | null): string[] => [
  IMPORT_ENV,
  'import { ExactEvmScheme } from "@x402/evm/exact/client";',
  'import { wrapFetchWithPayment, x402Client } from "@x402/fetch";',
  'import { privateKeyToAccount } from "viem/accounts";',
  "",
  "const account = privateKeyToAccount(env.PRIVATE_KEY);",
  'const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account));',
  "// A call that costs more is not paid.",
  `client.setSpendControls({ maxAmountPerPayment: "$${plain.format(maxUsd ?? 1)}" });`,
  "const pay = wrapFetchWithPayment(fetch, client);",
];

/** Of a program whose secrets are variables of its environment. */
export const IMPORT_ENV = 'import { env } from "node:process";';

/** A number without grouping and without an exponent. */
const plain = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 18 });

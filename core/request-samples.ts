/** A request of this API as programs in three languages write it. */
import { IMPORT_ENV, payingClient, sending, shellWord } from "./offers/calls.ts";

export type SampleRequest = {
  method: "get" | "post" | "put" | "delete";
  /** Of the service, without a slash at the end. */
  baseUrl: string;
  /** The path as the OpenAPI document has it, and the values of its places. */
  path: string;
  places: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** Text, JSON where it can be read as such. */
  body?: string | undefined;
  /** What it is sent with. */
  credential: "none" | "wallet" | "apiKey";
  /** Whether it may have to be paid. */
  isPriced: boolean;
  answersJson: boolean;
};

/** The path with its places filled and its query, without the origin. */
export function targetOf({ path, places, query }: Pick<SampleRequest, "path" | "places" | "query">): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return search ? `${filled}?${search}` : filled;
}

type Header = readonly [name: string, value: string];
function headersOf({ credential, body }: SampleRequest): Header[] {
  return [
    ...(credential === "apiKey" ? [["X-API-Key", "$API_KEY"] as const] : []),
    ...(credential === "wallet" ? [["Authorization", "Bearer $CREDENTIAL"] as const] : []),
    ...(body === undefined ? [] : [["Content-Type", "application/json"] as const]),
  ];
}

const verbOf = ({ method }: SampleRequest): string => (method === "get" ? "" : method.toUpperCase());

function curl(request: SampleRequest): string {
  const { baseUrl, body } = request;
  const verb = verbOf(request);
  const lines = [
    `curl${verb && ` -X ${verb}`} ${shellWord(baseUrl + targetOf(request))}`,
    // The shell fills in the variable.
    ...headersOf(request).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${shellWord(body)}`]),
  ];
  return lines.join(" \\\n  ");
}

/** A text of JSON written in another way; the text itself where it is no JSON. */
function rewritten(text: string, write: (value: unknown) => string): string {
  try {
    return write(JSON.parse(text));
  } catch {
    return text;
  }
}

/** JSON, indented for a program, its lines after the first by `spaces` more; the text itself where it is no JSON. */
export const indented = (text: string, spaces = 0): string =>
  rewritten(text, (value) => JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(spaces)}`));

/** With what every program has, and the protocol's own client where there is a price. */
function typescript(request: SampleRequest): string {
  const { baseUrl, body, isPriced } = request;
  const verb = verbOf(request);
  const headers = headersOf(request).map(
    ([name, value]) => `"${name}": \`${value.replace(/\$(\w+)/, (_, variable: string) => `\${env.${variable}}`)}\``,
  );
  const options = [
    ...(verb ? [`method: "${verb}"`] : []),
    ...(headers.length > 0 ? [`headers: { ${headers.join(", ")} }`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(body, 2)})`]),
  ];
  const url = JSON.stringify(baseUrl + targetOf(request));
  const given = options.length > 0 ? `${url}, {\n  ${options.join(",\n  ")},\n}` : url;
  if (isPriced) return [...payingClient(null), "", ...sending("pay", given)].join("\n");
  return [
    ...(headers.some((header) => header.includes("env.")) ? [IMPORT_ENV, ""] : []),
    ...sending("fetch", given),
  ].join("\n");
}

function pythonLiteral(value: unknown, spaces = 0): string {
  const inner = " ".repeat(spaces + 4);
  const outer = " ".repeat(spaces);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((part) => pythonLiteral(part, spaces + 4))]
    : [
        "{",
        "}",
        Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${pythonLiteral(part, spaces + 4)}`),
      ];
  return parts.length === 0 ? open + close : `${open}\n${inner}${parts.join(`,\n${inner}`)},\n${outer}${close}`;
}

function python(request: SampleRequest): string {
  const { method, baseUrl, query, body, answersJson } = request;
  const headers = headersOf(request).filter(([name]) => name !== "Content-Type");
  const given = [
    JSON.stringify(baseUrl + targetOf({ ...request, query: {} })),
    ...(Object.keys(query).length > 0 ? [`params=${pythonLiteral(query, 4)}`] : []),
    ...headers.map(([name, value]) => `headers={"${name}": f"${value.replace(/\$(\w+)/, "{os.environ['$1']}")}"}`),
    ...(body === undefined ? [] : [`json=${pythonOf(body)}`]),
    "timeout=30",
  ];
  return [
    ...(headers.length > 0 ? ["import os"] : []),
    "import requests",
    "",
    `answer = requests.${method}(\n    ${given.join(",\n    ")},\n)`,
    `print(answer.status_code, ${answersJson ? "answer.json()" : "len(answer.content)"})`,
  ].join("\n");
}

const pythonOf = (body: string): string => rewritten(body, (value) => pythonLiteral(value, 4));

/** The languages, by the names that people know them by. */
export const LANGUAGES = { curl, TypeScript: typescript, Python: python } as const satisfies Record<
  string,
  (request: SampleRequest) => string
>;
export type Language = keyof typeof LANGUAGES;

/** What people may list about an agent: the rules of services, skills, domains and metadata. Each write replaces its field as a whole. */
import { z } from "zod";
import type { Json, JsonObject, ListedService, Listing } from "./listing.ts";
import { wordList } from "./principals/input.ts";
import { cleanText, isBlank, textSchema } from "./text.ts";
import { urlOf } from "./urls.ts";

const MAX_SERVICES = 24;
const MAX_WORDS = 24;
const MAX_WORD = 64;
const MAX_KEY = 64;
const MAX_URL = 512;
/** Of `services` and of `metadata`, each as JSON in UTF-8. */
const MAX_BYTES = 8_192;
const MAX_DEPTH = 8;

const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
/** Readers that copy objects key by key would write these into a prototype. */
const PROTOTYPE_KEYS = ["__proto__", "constructor", "prototype"];
/** Links that run a script or read the reader's machine. Browsers ignore tabs and line breaks in a scheme. */
const UNSAFE_LINK = /^(?:(?:java|vb)script:|(?:data|blob|file|filesystem):\S)/i;

type Path = (string | number)[];
type Report = (path: Path, message: string) => void;

/** An object of any JSON; what `read` makes of it is stored. The first problem is reported, with its path. */
const jsonObject = <T>(read: (given: object, report: Report) => T, description: string, schema: object) =>
  z
    .unknown()
    .transform((given, ctx): T => {
      const problems: { path: Path; message: string }[] = [];
      const report: Report = (path, message) => void problems.push({ path, message });
      if (!isObject(given)) report([], "must be an object");
      const value = isObject(given) ? read(given, report) : null;
      if (problems.length === 0 && byteLength(value) > MAX_BYTES)
        report([], `must have at most ${MAX_BYTES} bytes as JSON`);
      const [first] = problems;
      if (first === undefined) return value as T;
      ctx.issues.push({ code: "custom", input: given, ...first });
      return z.NEVER;
    })
    .meta({ documented: { type: "object", ...schema }, description });

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const byteLength = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** JSON in its stored form: texts cleaned, depth bounded, no key that would become a prototype. */
function readJson(given: unknown, path: Path, report: Report): Json {
  if (typeof given === "string") return readText(given, path, report);
  if (given === null || typeof given === "boolean") return given;
  if (typeof given === "number" && Number.isFinite(given)) return given;
  if (typeof given !== "object") {
    report(path, "must be JSON");
    return null;
  }
  if (path.length >= MAX_DEPTH) {
    report(path, `must not be nested deeper than ${MAX_DEPTH} levels`);
    return null;
  }
  if (Array.isArray(given)) return given.map((item, i) => readJson(item, [...path, i], report));
  return readObject(given, path, report);
}

function readObject(given: object, path: Path, report: Report): JsonObject {
  const fields = Object.entries(given).map(([name, value]): [string, Json] => {
    const key = cleanText(name, { min: 1, max: MAX_KEY });
    if ("problem" in key) {
      report(path, `has a key that ${key.problem}`);
      return ["", null];
    }
    const inside = [...path, key.text];
    if (PROTOTYPE_KEYS.includes(key.text)) report(inside, "is a reserved name");
    return [key.text, readJson(value, inside, report)];
  });
  return Object.fromEntries(fields);
}

function readText(given: string, path: Path, report: Report): string {
  const cleaned = cleanText(given, { max: MAX_BYTES, lines: true });
  if ("problem" in cleaned) {
    report(path, cleaned.problem);
    return "";
  }
  if (UNSAFE_LINK.test(cleaned.text.replaceAll(/[\t\n]/g, ""))) report(path, "must not be a link of this scheme");
  return cleaned.text;
}

/** A URL as given where that is its normal form but for the path of a bare origin, else in its normal form. */
function readUrl(text: string): string | null {
  const url = urlOf(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  const href = url.href === `${text}/` ? text : url.href;
  return href.length <= MAX_URL ? href : null;
}

function readServices(given: object, report: Report): Listing["services"] {
  const services = Object.entries(given).flatMap(([name, value]): [string, ListedService][] => {
    if (!SERVICE_NAME.test(name) || name in Object.prototype) {
      report([name.slice(0, MAX_KEY)], "must be named by 1 to 32 letters, digits, -, _ and .");
      return [];
    }
    const service = readService(typeof value === "string" ? { url: value } : value, [name], report);
    return Object.keys(service).length === 0 ? [] : [[name, service]];
  });
  if (services.length > MAX_SERVICES) report([], `must have at most ${MAX_SERVICES} items`);
  return Object.fromEntries(services);
}

/** A service without its empty fields; one that says nothing is left out by the caller. */
function readService(given: unknown, path: Path, report: Report): ListedService {
  if (given === null) return {};
  if (!isObject(given)) {
    report(path, "must be a URL or an object");
    return {};
  }
  const fields = Object.entries(readObject(given, path, report)).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(
    fields.map(([field, value]): [string, Json] => {
      if (field !== "url" && field !== "endpoint") return [field, value];
      const url = typeof value === "string" ? readUrl(value) : null;
      if (url === null) report([...path, field], "must be an http or https URL");
      return [field, url];
    }),
  );
}

function readMetadata(given: object, report: Report): JsonObject {
  const metadata = readObject(given, [], report);
  const { acceptedPayments } = metadata;
  if (acceptedPayments === undefined) return metadata;
  // Pages walk through this one as a list of texts.
  const listed = words.safeParse(typeof acceptedPayments === "string" ? [acceptedPayments] : acceptedPayments);
  if (!listed.success)
    report(["acceptedPayments"], `must be a list of at most ${MAX_WORDS} texts of ${MAX_WORD} characters`);
  return { ...metadata, acceptedPayments: listed.data ?? [] };
}

const words = z
  .array(textSchema({ max: MAX_WORD }))
  .max(MAX_WORDS)
  .transform((given) => wordList.parse(given.filter((word) => !isBlank(word))));

/** Only what is given changes; an empty object or list clears. */
export const listingShape = {
  services: jsonObject(
    readServices,
    `Name → URL, or an object with a \`url\` (http or https) or another place (\`handle\`, \`address\`) and whatever belongs to it; at most ${MAX_SERVICES}, ${MAX_BYTES} bytes. Replaces the former ones`,
    {
      additionalProperties: {
        anyOf: [
          { type: "string", format: "uri" },
          { type: "object", properties: { url: { type: "string", format: "uri" } }, additionalProperties: true },
        ],
      },
    },
  ).optional(),
  skills: words.optional().meta({ description: "Each once. Replaces the former ones" }),
  domains: words.optional().meta({ description: "Each once. Replaces the former ones" }),
  metadata: jsonObject(
    readMetadata,
    `Any JSON, at most ${MAX_BYTES} bytes and ${MAX_DEPTH} levels; \`acceptedPayments\` is a list of texts. Shown as given. Replaces the former one`,
    { properties: { acceptedPayments: { type: "array", items: { type: "string" } } }, additionalProperties: true },
  ).optional(),
};

export type ListingInput = { [field in keyof Listing]?: Listing[field] | undefined };

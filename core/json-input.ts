/** Input of JSON of any shape: texts are cleaned, size and depth are bounded. Also reads services by name. */
import { z } from "zod";
import type { ListedService } from "./agents/listing.ts";
import type { Json, JsonObject } from "./json.ts";
import { cleanText } from "./text.ts";
import { urlOf } from "./urls.ts";

export const MAX_SERVICES = 24;
/** Max characters of a text in a value; the value's size in bytes bounds it further. */
const MAX_TEXT = 8_192;
const MAX_KEY = 64;
const MAX_URL = 512;
export const MAX_DEPTH = 8;

/** Refused keys: code that copies objects key by key would write these into a prototype. */
const PROTOTYPE_KEYS = ["__proto__", "constructor", "prototype"];
/** Links that run a script or read files of the viewer's machine. Browsers ignore tabs and line breaks in a scheme. */
const UNSAFE_LINK = /^(?:(?:java|vb)script:|(?:data|blob|file|filesystem):\S)/i;
const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

/** Path of a problem, and the function that reports one. A reader continues after a report; its result is not used. */
type Path = (string | number)[];
export type Report = (path: Path, message: string) => void;

/** A kind of JSON input: how it is read, its size limit, and its description in the OpenAPI document. */
type StatedJson<T> = {
  /** Converts the given value to its stored form. */
  read: (given: unknown, report: Report) => T;
  /** Max bytes of the stored form, as JSON in UTF-8. */
  maxBytes: number;
  description: string;
  schema: object;
};

/** A zod schema for JSON of any shape. The first problem becomes a zod issue with its path. */
export const statedJson = <T>({ read, maxBytes, description, schema }: StatedJson<T>) =>
  z
    .unknown()
    .transform((given, ctx): T => {
      const problems: { path: Path; message: string }[] = [];
      const report: Report = (path, message) => void problems.push({ path, message });
      const value = read(given, report);
      if (problems.length === 0 && byteLength(value) > maxBytes)
        report([], `must have at most ${maxBytes} bytes as JSON`);
      const [first] = problems;
      if (first === undefined) return value;
      ctx.issues.push({ code: "custom", input: given, ...first });
      return z.NEVER;
    })
    .meta({ documented: schema, description });

/** Reads an object and refuses every other value. */
export const objectOnly =
  <T>(read: (given: object, report: Report) => T) =>
  (given: unknown, report: Report): T => {
    if (isObject(given)) return read(given, report);
    report([], "must be an object");
    return read({}, report);
  };

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const byteLength = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** Converts JSON to its stored form: cleaned texts, bounded depth, none of `PROTOTYPE_KEYS`. */
export function readJson(given: unknown, path: Path, report: Report): Json {
  if (typeof given === "string") return readText(given, path, report);
  if (given === null || typeof given === "boolean") return given;
  if (typeof given === "number") {
    // The database writes numbers out in full: 1e308 would have 309 digits in each of its answers.
    if (/[^\d.-]/.test(String(given))) report(path, "must be a number of 0.000001 to 21 digits");
    return given;
  }
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

export function readObject(given: object, path: Path, report: Report): JsonObject {
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
  const cleaned = cleanText(given, { max: MAX_TEXT, lines: true });
  if ("problem" in cleaned) {
    report(path, cleaned.problem);
    return "";
  }
  if (UNSAFE_LINK.test(cleaned.text.replaceAll(/[\t\n]/g, ""))) report(path, "must not be a link of this scheme");
  return cleaned.text;
}

/** Normalizes a URL. The given text is kept when it differs only by the missing path of a bare origin. Null: no URL. */
function readUrl(text: string): string | null {
  const url = urlOf(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  const href = url.href === `${text}/` ? text : url.href;
  return href.length <= MAX_URL ? href : null;
}

/** Reads services by name; empty ones are left out. @param readText reads a service that is given as a text; null: empty */
export function readServices<T>(
  given: object,
  report: Report,
  readText: (text: string, path: Path, report: Report) => T | null,
): Record<string, T | ListedService> {
  const services = Object.entries(given).flatMap(([name, value]): [string, T | ListedService][] => {
    if (!SERVICE_NAME.test(name) || name in Object.prototype) {
      report([name.slice(0, MAX_KEY)], "must be named by 1 to 32 letters, digits, -, _ and .");
      return [];
    }
    const service = typeof value === "string" ? readText(value, [name], report) : readService(value, [name], report);
    return service === null ? [] : [[name, service]];
  });
  if (services.length > MAX_SERVICES) report([], `must have at most ${MAX_SERVICES} items`);
  return Object.fromEntries(services);
}

/** Reads a service without its empty fields; null when no field remains. */
export function readService(given: unknown, path: Path, report: Report): ListedService | null {
  if (given === null) return null;
  if (!isObject(given)) {
    report(path, "must be a URL or an object");
    return null;
  }
  const fields = Object.entries(readObject(given, path, report)).filter(([, value]) => value !== null && value !== "");
  if (fields.length === 0) return null;
  return Object.fromEntries(
    fields.map(([field, value]): [string, Json] => {
      if (field !== "url" && field !== "endpoint") return [field, value];
      const url = typeof value === "string" ? readUrl(value) : null;
      if (url === null) report([...path, field], "must be an http or https URL");
      return [field, url];
    }),
  );
}

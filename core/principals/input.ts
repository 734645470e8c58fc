/** Input of principals about themselves and their organizations: the rule of each field. Null or an empty text clears a field. */
import { z } from "zod";
import { parseAddress } from "../addresses.ts";
import { lenientObject } from "../ignored.ts";
import type { Json, JsonObject } from "../json.ts";
import { MAX_DEPTH, objectOnly, type Report, readJson, readObject, readServices, statedJson } from "../json-input.ts";
import { cleanText, type TextRule, textSchema } from "../text.ts";
import { urlOf } from "../urls.ts";
import type { Member, StatedProfile } from "./facts.ts";
import { parseSlug } from "./slugs.ts";

const MAX_URL = 512;
const MAX_LIST = 24;
const MAX_STATED = 24;
const MAX_MEMBERS = 100;
const MAX_EMAIL = 254;
const MAX_STATED_TEXT = 256;
/** Max bytes of services and of metadata, each as JSON in UTF-8. The limit is low because one page shows a hundred principals. */
const MAX_PROFILE_BYTES = 4_096;
/** Max bytes of external ids and of notification preferences, each as JSON in UTF-8. */
const MAX_LIST_BYTES = 2_048;

export const principalName = textSchema({ min: 1, max: 64 });
export const principalText = (max: number, rule: Partial<TextRule> = {}) => textSchema({ ...rule, max });

/** Allowed schemes of links; `data:` and `javascript:` are refused because a browser would run their contents. */
const LINKS = ["https:", "http:", "ipfs:"];
const IMAGES = ["https:", "ipfs:"];
const HOST = /^[^.]+(?:\.[^.]+)*\.[a-z][a-z0-9-]+$/i;
const IPFS = /^ipfs:\/\/(?:ipfs\/)?[0-9A-Za-z]{8,}(?:[/?#]\S*)?$/;
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\S/i;

/** Normalizes a URL of one of the schemes; null for other texts. Nothing is fetched. */
function parseUrl(text: string, schemes: readonly string[]): string | null {
  const url = urlOf(text);
  if (url === null || !schemes.includes(url.protocol) || url.username !== "" || url.password !== "") return null;
  const fine = url.protocol === "ipfs:" ? IPFS.test(text) : HOST.test(url.hostname);
  const href = url.protocol === "ipfs:" ? text : url.href;
  return fine && href.length <= MAX_URL ? href : null;
}

/** A schema of a text that is cleaned and then read; `problem` is the issue when `read` returns null. */
const readText = <T>(max: number, read: (text: string) => T | null, problem: string) =>
  z
    .string()
    .transform((raw, ctx): T | null => {
      const cleaned = cleanText(raw, { max });
      if ("problem" in cleaned) {
        ctx.addIssue(cleaned.problem);
        return z.NEVER;
      }
      if (cleaned.text === "") return null;
      const value = read(cleaned.text);
      if (value !== null) return value;
      ctx.addIssue(problem);
      return z.NEVER;
    })
    .meta({ maxLength: max })
    .nullable();

/** The URL of a picture. */
export const imageUrl = readText(MAX_URL, (text) => parseUrl(text, IMAGES), "must be an https or ipfs URL");

/** A list of words without repetition; case is ignored when they are compared. */
export const wordList = z
  .array(textSchema({ min: 1, max: 64 }))
  .max(MAX_LIST)
  .transform((words) => [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]);

/** A stated text. A text with a scheme is a link and must have an allowed scheme, otherwise the result is null. */
const statedText = (text: string): string | null => (HAS_SCHEME.test(text) ? parseUrl(text, LINKS) : text);
const NO_LINK = "must be a text or an https, http or ipfs URL";

/** Accounts and links by name; an entry with null or an empty text is left out. */
export const statedMap = z
  .record(z.string(), textSchema({ max: MAX_STATED_TEXT }).nullable())
  .transform((stated, ctx) => {
    const entries = Object.entries(stated).flatMap(([key, value]): [string, string][] => (value ? [[key, value]] : []));
    if (entries.length > MAX_STATED) ctx.addIssue(`must have at most ${MAX_STATED} items`);
    const problem = (path: string, message: string) =>
      ctx.issues.push({ code: "custom", input: stated, path: [path], message });
    const read = entries.map(([key, value]): [string, string] => {
      if (!/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(key) || key in Object.prototype)
        problem(key.slice(0, 64), "must be named by 1 to 32 letters, digits, - and _");
      const text = statedText(value);
      if (text === null) problem(key.slice(0, 64), NO_LINK);
      return [key, text ?? ""];
    });
    return Object.fromEntries(read);
  })
  .meta({ description: `Name → handle or URL; at most ${MAX_STATED}. Replaces the former ones as a whole` });

/** Input of services. A single text is one service: `web` for a link, `about` for another text. Null: no services. */
export const statedServices = statedJson({
  read(given, report): StatedProfile["services"] {
    if (given === null) return {};
    if (typeof given !== "string") return objectOnly(readStatedServices)(given, report);
    const text = readStated(given, [], report);
    return text === null ? {} : { [HAS_SCHEME.test(text) ? "web" : "about"]: text };
  },
  maxBytes: MAX_PROFILE_BYTES,
  description: `Name → text, URL, or an object with a \`url\` (http or https) and whatever belongs to it; at most 24, ${MAX_PROFILE_BYTES} bytes. Replaces the former ones; a text alone is one service`,
  schema: {
    anyOf: [
      { type: "string", maxLength: MAX_STATED_TEXT },
      {
        type: "object",
        nullable: true,
        additionalProperties: {
          anyOf: [
            { type: "string", maxLength: MAX_STATED_TEXT },
            { type: "object", properties: { url: { type: "string", format: "uri" } }, additionalProperties: true },
          ],
        },
      },
    ],
  },
});

const readStatedServices = (given: object, report: Report): StatedProfile["services"] =>
  readServices(given, report, readStated);

/** A stated text, cleaned; null when it is empty. */
function readStated(given: string, path: (string | number)[], report: Report): string | null {
  const cleaned = cleanText(given, { max: MAX_STATED_TEXT });
  if ("problem" in cleaned) {
    report(path, cleaned.problem);
    return null;
  }
  if (cleaned.text === "") return null;
  const text = statedText(cleaned.text);
  if (text === null) report(path, NO_LINK);
  return text;
}

/** A JSON object; null clears it. */
export const statedObject = statedJson({
  read: (given, report): JsonObject =>
    given === null ? {} : objectOnly((object, report) => readObject(object, [], report))(given, report),
  maxBytes: MAX_PROFILE_BYTES,
  description: `Any JSON, at most ${MAX_PROFILE_BYTES} bytes and ${MAX_DEPTH} levels; null clears it`,
  schema: { type: "object", nullable: true, additionalProperties: true },
});

/** A JSON object or list; null clears it. */
export const statedObjectOrList = (what: string) =>
  statedJson({
    read(given, report): JsonObject | Json[] {
      if (given === null) return {};
      if (Array.isArray(given)) return readJson(given, [], report) as Json[];
      return objectOnly((object, report) => readObject(object, [], report))(given, report);
    },
    maxBytes: MAX_LIST_BYTES,
    description: `${what}: an object or a list, at most ${MAX_LIST_BYTES} bytes as JSON; null clears it`,
    schema: {
      anyOf: [
        { type: "object", nullable: true, additionalProperties: true },
        { type: "array", items: {} },
      ],
    },
  });

const EMAIL = /^[^\s@<>()[\],;:"\\]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;
const TELEGRAM = /^(?:https:\/\/t\.me\/|@)?([A-Za-z][A-Za-z0-9_]{3,31})$/;

/** Private: shown to the principal only. */
export const contactSchema = lenientObject({
  email: readText(MAX_EMAIL, (text) => (EMAIL.test(text) ? text : null), "must be an e-mail address").optional(),
  telegram: readText(64, (text) => TELEGRAM.exec(text)?.[1] ?? null, "must be a Telegram user name").optional(),
}).meta({ description: "Private: others see only whether there is one" });

export const slugSchema = z
  .string()
  .transform((text, ctx) => {
    const parsed = parseSlug(text.trim());
    if ("slug" in parsed) return parsed.slug;
    ctx.addIssue(parsed.problem);
    return z.NEVER;
  })
  .meta({ minLength: 2, maxLength: 48 });

const member = z.union([z.int().min(0), z.string().max(64)]).transform((value, ctx): Member => {
  const read = typeof value === "number" ? value : parseAddress(value.trim());
  if (read !== null) return read;
  ctx.addIssue("must be a wallet address or a token id");
  return z.NEVER;
});

/** Members by wallet or by token id, without repetition. */
export const memberList = z
  .array(member)
  .max(MAX_MEMBERS)
  .transform((members) => [...new Set(members)])
  .meta({
    description: "Wallet addresses, or token ids of agents. As stated: it is not confirmed, nothing follows for them",
  });

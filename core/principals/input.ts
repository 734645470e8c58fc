/** What people may write about themselves and their organizations: the rule of each field. Null and an empty text clear. */
import { z } from "zod";
import { parseAddress } from "../addresses.ts";
import { cleanText, type TextRule, textSchema } from "../text.ts";
import { urlOf } from "../urls.ts";
import type { Member } from "./facts.ts";
import { parseSlug } from "./slugs.ts";

const MAX_URL = 512;
const MAX_LIST = 24;
const MAX_STATED = 24;
const MAX_MEMBERS = 100;
const MAX_EMAIL = 254;

export const principalName = textSchema({ min: 1, max: 64 });
export const principalText = (max: number, rule: Partial<TextRule> = {}) => textSchema({ ...rule, max });

/** Schemes of links that people may state; `data:` and `javascript:` carry what a browser would run. */
const LINKS = ["https:", "http:", "ipfs:"];
const IMAGES = ["https:", "ipfs:"];
const HOST = /^[^.]+(?:\.[^.]+)*\.[a-z][a-z0-9-]+$/i;
const IPFS = /^ipfs:\/\/(?:ipfs\/)?[0-9A-Za-z]{8,}(?:[/?#]\S*)?$/;
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\S/i;

/** A URL of one of the schemes, in its normal form; null for anything else. Nothing is fetched. */
function parseUrl(text: string, schemes: readonly string[]): string | null {
  const url = urlOf(text);
  if (url === null || !schemes.includes(url.protocol) || url.username !== "" || url.password !== "") return null;
  const fine = url.protocol === "ipfs:" ? IPFS.test(text) : HOST.test(url.hostname);
  const href = url.protocol === "ipfs:" ? text : url.href;
  return fine && href.length <= MAX_URL ? href : null;
}

/** A text that is cleaned first, then read; the problem is told where it does not fit. */
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

/** The address of a picture. */
export const imageUrl = readText(MAX_URL, (text) => parseUrl(text, IMAGES), "must be an https or ipfs URL");

/** Words, each once in whatever case. */
export const wordList = z
  .array(textSchema({ min: 1, max: 64 }))
  .max(MAX_LIST)
  .transform((words) => [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]);

/** Accounts, services and links by name. A value with a scheme is a link, and only links people can follow are taken. */
export const statedMap = z
  .record(z.string(), textSchema({ max: 256 }))
  .transform((stated, ctx) => {
    const entries = Object.entries(stated).filter(([, value]) => value !== "");
    if (entries.length > MAX_STATED) ctx.addIssue(`must have at most ${MAX_STATED} items`);
    const problem = (path: string, message: string) =>
      ctx.issues.push({ code: "custom", input: stated, path: [path], message });
    const read = entries.map(([key, value]): [string, string] => {
      if (!/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(key) || key in Object.prototype)
        problem(key.slice(0, 64), "must be named by 1 to 32 letters, digits, - and _");
      if (!HAS_SCHEME.test(value)) return [key, value];
      const url = parseUrl(value, LINKS);
      if (url === null) problem(key.slice(0, 64), "must be a text or an https, http or ipfs URL");
      return [key, url ?? ""];
    });
    return Object.fromEntries(read);
  })
  .meta({ description: `Name → handle or URL; at most ${MAX_STATED}. Replaces the former ones as a whole` });

const EMAIL = /^[^\s@<>()[\],;:"\\]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;
const TELEGRAM = /^(?:https:\/\/t\.me\/|@)?([A-Za-z][A-Za-z0-9_]{3,31})$/;

/** Private: shown to the principal itself and to nobody else. */
export const contactSchema = z
  .strictObject({
    email: readText(MAX_EMAIL, (text) => (EMAIL.test(text) ? text : null), "must be an e-mail address").optional(),
    telegram: readText(64, (text) => TELEGRAM.exec(text)?.[1] ?? null, "must be a Telegram user name").optional(),
  })
  .meta({ description: "Private: others are told only whether there is one" });
export type ContactInput = z.output<typeof contactSchema>;

/** The slug of an organization. */
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

/** Members by wallet or by token id, each once. */
export const memberList = z
  .array(member)
  .max(MAX_MEMBERS)
  .transform((members) => [...new Set(members)])
  .meta({
    description: "Wallet addresses, or token ids of agents. As stated: nobody is asked, nothing follows for them",
  });

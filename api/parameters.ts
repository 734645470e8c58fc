/** Parameters of paths and queries, each defined once: accepted values, the handler's value, and the OpenAPI text. */
import { z } from "zod";
import { parseAddress } from "../core/addresses.ts";
import type { AgentRef } from "../core/agents/facts.ts";
import { AGENT_REF_SCHEMA, OWN_PLATFORM, readOwnTokenRef } from "../core/directory/platforms.ts";
import { MINT_ORIGINS, type MintOrigin } from "../core/mints/mint-origins.ts";
import { parseSlug } from "../core/principals/slugs.ts";
import type { HumanRef } from "../db/principals/humans.ts";
import type { OrganizationRef } from "../db/principals/organizations.ts";

/**
 * Parameters arrive as text, so their schemas transform; `documented` is how the OpenAPI document shows the input.
 * (A coerced number would appear there as an optional, nullable one.)
 */
export type DocumentedMeta = { documented: Record<string, unknown>; description: string; examples?: unknown[] };

export const documented = <T extends z.ZodType>(schema: T, meta: DocumentedMeta): T => schema.meta({ ...meta });

/** A text as the value that it is read as. @param read null refuses it, in the words of `problem` */
export const textAs = <T>(read: (text: string) => T | null, problem: string) =>
  z.string().transform((text, ctx): T => {
    const value = read(text);
    if (value !== null) return value;
    ctx.addIssue(problem);
    return z.NEVER;
  });

/** `default`: what an absent one means, for the document; the reader of the value applies it. */
type IntegerRule = { min: number; max: number; what: string; example?: number; default?: number };

/** A decimal integer without sign, exponent or leading zeros. */
const integerText = ({ min, max }: Pick<IntegerRule, "min" | "max">) =>
  textAs(
    (text) => {
      const value = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : null;
    },
    `must be a whole number${max === Number.MAX_SAFE_INTEGER ? `, at least ${min}` : ` from ${min} to ${max}`}`,
  );

/** A token id inside another parameter; made once, because making a schema costs more than using it. */
const tokenIdText = integerText({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** A required integer. */
export const integer = (rule: IntegerRule) =>
  documented(integerText(rule), {
    documented: { type: "integer", minimum: rule.min, maximum: rule.max, default: rule.default },
    description: rule.what,
    ...(rule.example !== undefined && { examples: [rule.example] }),
  });

/** `limit`: above the maximum it is clamped, and the value used is echoed. */
export const limit = (rule: { default: number; max: number }) =>
  documented(
    integerText({ min: 1, max: Number.MAX_SAFE_INTEGER })
      .transform((value) => Math.min(value, rule.max))
      .optional()
      .transform((value) => value ?? rule.default),
    {
      documented: { type: "integer", minimum: 1, default: rule.default },
      description: `How many to answer, at most ${rule.max}; a larger value is clamped, the value used is echoed`,
    },
  );

/** An ISO 8601 date and time with its offset; a `+` that was not escaped arrives as a space. */
const momentText = z
  .string()
  .transform((text) => text.replace(/ (?=\d\d:\d\d$)/, "+"))
  .pipe(z.iso.datetime({ offset: true, error: "must be an ISO 8601 time with its offset, like 2026-05-01T12:00:00Z" }))
  .transform((text) => new Date(text));

/** A whole number or a time. @param named what the number is, for the error */
const numberOrTimeText = (named: string) =>
  textAs(
    (text): MessagePlace | null => tokenIdText.safeParse(text).data ?? momentText.safeParse(text).data ?? null,
    `must be ${named} or an ISO 8601 time with its offset, like 2026-05-01T12:00:00Z`,
  );

/** A place in a group's messages, as an id or as a time. */
export type MessagePlace = number | Date;

/** A place in a group's messages: the id of one, or a time. */
export const messagePlace = (what: string) =>
  documented(numberOrTimeText("a message's id"), {
    documented: {
      anyOf: [
        { type: "integer", minimum: 0 },
        { type: "string", format: "date-time" },
      ],
    },
    description: what,
  });

/** A moment of the past: the number of a block, or a time. Documented as a text: an argument of a tool has one type. */
export const blockOrTime = (what: string) =>
  documented(numberOrTimeText("a block's number"), {
    documented: { type: "string" },
    description: `${what}: a block's number, or an ISO 8601 time with its offset`,
    examples: ["2026-05-01T12:00:00Z", "48321007"],
  });

const wordOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  textAs(
    (text): T[number] | null => words.find((word) => word.toLowerCase() === text.toLowerCase()) ?? null,
    `must be one of ${words.join(", ")}`,
  );

/** One of a few words, in any case. */
export const choice = <const T extends readonly [string, ...string[]]>(
  words: T,
  rule: { default: T[number]; what: string },
) =>
  documented(
    wordOf(words)
      .optional()
      .transform((word) => word ?? rule.default),
    { documented: { type: "string", enum: [...words], default: rule.default }, description: rule.what },
  );

/** One of a few words, in any case; undefined when absent. */
export const optionalChoice = <const T extends readonly [string, ...string[]]>(words: T, what: string) =>
  documented(wordOf(words).optional(), { documented: { type: "string", enum: [...words] }, description: what });

/** Several of something, as a comma list; undefined when absent. */
export const listOf = <T>(item: z.ZodType<T, string>, rule: { most: number; what: string; example: string }) =>
  documented(
    z
      .string()
      .transform((text, ctx): T[] => {
        const parsed = text.split(",").map((one) => item.safeParse(one.trim()));
        if (parsed.length > rule.most) ctx.addIssue(`must name at most ${rule.most}`);
        const bad = parsed.find(({ success }) => !success);
        if (bad) ctx.addIssue(`${bad.error!.issues[0]!.message}; commas separate several`);
        return parsed.map(({ data }) => data as T);
      })
      .optional(),
    {
      documented: { type: "string" },
      description: `${rule.what}; commas separate several`,
      examples: [rule.example],
    },
  );

/** Some of a few words, in any case, as a comma list; undefined when absent. */
export const choices = <const T extends readonly [string, ...string[]]>(words: T, what: string) =>
  listOf(wordOf(words), {
    most: words.length,
    what: `${what}: ${words.join(", ")}`,
    example: words.slice(0, 2).join(","),
  });

/** `true` or `1`, `false` or `0`; undefined when absent. */
export const flag = (what: string) =>
  documented(
    textAs(
      (text) => (/^(?:true|false|1|0)$/i.test(text) ? /^(?:true|1)$/i.test(text) : null),
      "must be true or false",
    ).optional(),
    { documented: { type: "boolean" }, description: what },
  );

export const inactive = flag("true: also agents whose registration file says that they are not active");

/** Free text to search for; undefined when absent or blank. */
export const searchText = (what: string, { max = 100, example }: { max?: number; example?: string } = {}) =>
  documented(
    z
      .string()
      .transform((text, ctx) => {
        if (!text.isWellFormed() || text.length > max) ctx.addIssue(`must be a text of at most ${max} characters`);
        return text.trim() || undefined;
      })
      .optional(),
    {
      documented: { type: "string", maxLength: max },
      description: what,
      ...(example !== undefined && { examples: [example] }),
    },
  );

/** An amount of US dollars, at most 6 decimals; undefined when absent. */
export const dollars = (rule: { max: number; what: string; example: number }) =>
  documented(
    textAs((text) => {
      const value = /^(0|[1-9]\d{0,8})?(\.\d{1,6})?$/.test(text) && text !== "" ? Number(text) : Number.NaN;
      return value <= rule.max ? value : null;
    }, `must be an amount of US dollars from 0 to ${rule.max}, like ${rule.example}`).optional(),
    { documented: { type: "number", minimum: 0, maximum: rule.max }, description: rule.what, examples: [rule.example] },
  );

export const agentSearch = searchText(
  "Part of a name in any case and with any accents, the beginning of the address (0x…) of the agent's wallet or of its owner, or a token id; a whole address finds the agents of that wallet: its own, then those that it owns, then those that only name it",
);

/** `page` and `offset` are both understood; the offset wins. */
export const page = integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 1, what: "Page number" }).optional();
export const offset = integer({
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  what: "How many to skip, none unless given; wins over page",
}).optional();

/** Waits until this block is indexed. Accepted by every data route. */
export const minBlock = integer({
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  what: "Wait (at most 5 s) until this block is indexed: with the block of a write's answer, a client reads its own write",
}).optional();

/** A token id in a path. 0 is a valid one. */
export const tokenId = integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what: "Identity token id", example: 1 });

/** A picture's file name in a path, `<token id>.<extension>`; gives the token id. */
export const fileOf = (extension: "png" | "svg") =>
  documented(
    textAs(
      (text) =>
        text.endsWith(`.${extension}`)
          ? (tokenIdText.safeParse(text.slice(0, -extension.length - 1)).data ?? null)
          : null,
      `must be a token id and .${extension}`,
    ),
    {
      documented: { type: "string", pattern: `^(0|[1-9][0-9]{0,15})\\.${extension}$` },
      description: `Token id and .${extension}`,
      examples: [`1.${extension}`],
    },
  );

/** An agent registered here, in a path: by token id, by its id in the directory, or by its wallet's address in any case. */
export const agentRef = documented(
  textAs((text): AgentRef | null => {
    const address = parseAddress(text);
    if (address) return { address };
    const { data: tokenId } = tokenIdText.safeParse(String(readOwnTokenRef(text) ?? text));
    return tokenId === undefined ? null : { tokenId };
  }, `must be a token id, ${OWN_PLATFORM}-<token id> or a 0x address`),
  {
    documented: AGENT_REF_SCHEMA,
    description: `Identity token id, \`${OWN_PLATFORM}-<token id>\`, or the agent's wallet address (of several tokens of one wallet, its own; a write names the token where several only name the wallet)`,
    examples: ["1"],
  },
);

const addressText = textAs(parseAddress, "must be a 0x address of 20 bytes");
const addressMeta = (what: string): DocumentedMeta => ({
  documented: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
  description: `${what}, in any case`,
  examples: ["0x19B16428f0721a5f627F190Ca61D493A632B423F"],
});

/** A wallet in a path, in any case. */
export const walletAddress = documented(addressText, addressMeta("Wallet address"));

export const owner = documented(
  addressText.optional(),
  addressMeta("Only agents whose identity token this wallet owns"),
);

/** The member whose membership is looked up. */
export const member = documented(addressText.optional(), addressMeta("Only this wallet, if it is a member"));

/** Filters of lists of own agents in addition to their search. */
export const agentFilters = {
  minCred: integer({ min: 0, max: 100, what: "Least cred score" }).optional(),
  soulbound: flag("Only soulbound agents, or only those that can be transferred"),
  mintOrigin: optionalChoice(
    MINT_ORIGINS.map(({ name }) => name) as [MintOrigin, ...MintOrigin[]],
    "Only agents registered this way",
  ),
  mintedAfter: documented(momentText.optional(), {
    documented: { type: "string", format: "date-time" },
    description: "Only agents registered after this time, in ISO 8601 with its offset",
    examples: ["2026-05-01T12:00:00Z"],
  }),
};

/** A human in a path. Text that begins like a number or an address must be one; other text is an id, known or not. */
export const humanRef = documented(
  textAs((text): HumanRef | null => {
    const wallet = parseAddress(text);
    if (wallet) return { wallet };
    const { data: tokenId } = tokenIdText.safeParse(text);
    if (tokenId !== undefined) return { tokenId };
    return /^[-+\d]/.test(text) ? null : { id: /^\w{1,64}$/.test(text) ? text : "" };
  }, "must be a human's id, a 0x address, or a token id"),
  {
    documented: { type: "string" },
    description: "The human's own id, its wallet address in any case, or the token id of its identity",
    examples: ["0x19B16428f0721a5f627F190Ca61D493a632B423F"],
  },
);

/** An organization in a path; null for text that cannot name one. */
export const organizationRef = documented(
  z.string().transform((text): OrganizationRef | null => {
    const wallet = parseAddress(text);
    if (wallet) return { wallet };
    if (/^org_\w{1,64}$/.test(text)) return { id: text };
    const parsed = parseSlug(text);
    return "slug" in parsed ? { slug: parsed.slug } : null;
  }),
  {
    documented: { type: "string" },
    description:
      "The organization's own id, its slug, or its wallet address (of several of one wallet, the first registered)",
    examples: ["analytical-engines"],
  },
);

/** A message group in a path, in any case; empty for text that cannot be an id. */
export const groupId = documented(
  z.string().transform((text) => /^#?([a-z0-9-]{1,48})$/.exec(text.toLowerCase())?.[1] ?? ""),
  {
    documented: { type: "string" },
    description: "The group's id: its topic without a leading #, in lower case, other characters as -",
    examples: ["general"],
  },
);

/** A webhook in a path; empty for text that cannot be an id. */
export const webhookId = documented(
  z.string().transform((text) => (/^wh_[0-9a-f]{32}$/.test(text) ? text : "")),
  {
    documented: { type: "string" },
    description: "The webhook's id",
    examples: ["wh_5f0c6d0e4b9a4f3c8a51d2e7b6c90f14"],
  },
);

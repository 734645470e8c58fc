/** Traits people give an agent: their schema, the words they may not use, and what is new beside the traits it has. */
import { z } from "zod";
import { fail } from "./errors.ts";
import type { Trait } from "./facts.ts";
import { withIgnored } from "./ignored.ts";
import { textSchema } from "./text.ts";
import { countedTraits } from "./traits.ts";

/** In one request. */
export const TRAITS_A_CALL = 10;
/** Of one agent, wherever they are stored; the score counts nine. */
export const TRAITS_AN_AGENT = 50;
/** Of a trait that comes without one. */
export const DEFAULT_CATEGORY = "general";

export type TraitInput = { name: string; category: string };

/** Categories that only the service gives: for what, and the word for what an agent says of itself. */
const RESERVED_CATEGORIES = {
  verification: 'what the service has verified; use "claim" for what the agent states',
  badge: 'what the service awards; use "achievement" for one of the agent\'s own',
};
type ReservedCategory = keyof typeof RESERVED_CATEGORIES;

export const traitInputSchema = z
  .strictObject({
    name: textSchema({ min: 1, max: 64 }),
    category: textSchema({ min: 1, max: 32 }).default(DEFAULT_CATEGORY),
    addedAt: z
      .unknown()
      .optional()
      .meta({
        documented: { type: "string", format: "date-time" },
        description: "Ignored: the service's own time counts",
      }),
  })
  .check((ctx) => {
    const { name, category } = ctx.value;
    const issue = (path: string, message: string) =>
      ctx.issues.push({ code: "custom", input: ctx.value, path: [path], message });
    const reserved = reservedCategory(category);
    if (reserved) issue("category", `is reserved for ${RESERVED_CATEGORIES[reserved]}`);
    if (isReservedName(name)) issue("name", "is reserved: it is given for what was verified or linked");
  })
  .transform(({ addedAt, ...trait }): TraitInput => withIgnored(trait, addedAt === undefined ? [] : ["addedAt"]));

/** The traits of one request: at most ten, no name twice. */
export const traitsInputSchema = z
  .array(traitInputSchema)
  .max(TRAITS_A_CALL)
  .check((ctx) => {
    const seen = new Set<string>();
    for (const [i, { name }] of ctx.value.entries()) {
      const key = traitKey(name);
      if (seen.has(key))
        ctx.issues.push({ code: "custom", input: ctx.value, path: [i, "name"], message: "is given twice" });
      seen.add(key);
    }
  });

/** What makes two names the same trait of an agent: case does not. */
export const traitKey = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * The given traits that an agent does not have yet. The same trait again is nothing new.
 * @throws Failure conflict when a name is known with another category, or the agent would have too many
 */
export function newTraits(present: readonly Trait[], given: readonly TraitInput[]): TraitInput[] {
  const counted = countedTraits(present);
  const known = new Map(counted.map(({ name, category }) => [traitKey(name), category]));
  const fresh = given.filter(({ name, category }) => {
    const before = known.get(traitKey(name));
    if (before !== undefined && before !== category)
      fail("conflict", `The agent has the trait "${name}" already, in the category "${before}".`, {
        hint: "A trait's name is unique per agent, and its category stays.",
      });
    return before === undefined;
  });
  if (fresh.length > 0 && counted.length + fresh.length > TRAITS_AN_AGENT)
    fail("conflict", `An agent has at most ${TRAITS_AN_AGENT} traits; this one has ${counted.length}.`);
  return fresh;
}

/** `verification` or `badge` where a category is spelt to look like it; null for any other. */
export const reservedCategory = (category: string): ReservedCategory | null =>
  CATEGORIES.get(shape(category).replaceAll("-", "")) ?? null;

/** Names ending in `-verified` or beginning with `linked-token`, however they are spelt to look. */
export function isReservedName(name: string): boolean {
  const shaped = shape(name);
  return VERIFIED.test(shaped) || shaped.replaceAll("-", "").startsWith(LINKED);
}

/** Letters that look like Latin ones and are not made so by compatibility decomposition. */
const LOOKALIKES = new Map(
  Object.entries({
    a: "аɑαᴀ",
    b: "ЬЪвβʙƅɓ",
    c: "сϲᴄ",
    d: "ԁɗđᴅ",
    e: "еєεҽᴇɛ",
    f: "ғƒꜰϝ",
    g: "ɡԍցɢ",
    i: "іιıɩɪӏ",
    k: "кκᴋ",
    l: "ӏłʟ",
    n: "пηɴո",
    o: "оοσօᴏ",
    r: "гʀᴦ",
    t: "тτᴛ",
    v: "νѵᴠ",
  }).flatMap(([latin, others]) => [...others.toLowerCase()].map((letter) => [letter, latin] as const)),
);

/** A word as the eye takes it: without accents, case and invisible characters, look-alikes as what they look like. */
function shape(text: string): string {
  const bare = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();
  return [...bare]
    .map((letter) => LOOKALIKES.get(letter) ?? letter)
    .join("")
    .replace(/0/g, "o")
    .replace(/3/g, "e")
    .replace(/[il1|!]/g, "l")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}

const CATEGORIES = new Map(
  (Object.keys(RESERVED_CATEGORIES) as ReservedCategory[]).map((category) => [shape(category), category]),
);
const VERIFIED = new RegExp(`(?:^|-)${shape("verified")}$`);
const LINKED = shape("linkedtoken");

/** Input of traits: their schema, the reserved words, and the selection of traits that an agent does not have yet. */
import { array, strictObject, z } from "zod";
import { fail } from "../errors.ts";
import { withIgnored } from "../ignored.ts";
import { normalForm } from "../normal-form.ts";
import { quoted } from "../quoted.ts";
import { textSchema } from "../text.ts";
import type { Trait } from "./facts.ts";
import { countedTraits } from "./traits.ts";

/** Max traits in one request. */
const TRAITS_PER_CALL = 10;
/** Bound: traits of one agent, on chain and off chain together; the score counts nine. */
export const TRAITS_PER_AGENT = 50;
/** Category of a trait that is given without one. */
const DEFAULT_CATEGORY = "general";

export type TraitInput = { name: string; category: string };

/** Categories that only the service assigns, each with its purpose and the word for an agent's own statement. */
const RESERVED_CATEGORIES = {
  verification: 'what the service has verified; use "claim" for what the agent states',
  badge: 'what the service awards; use "achievement" for one of the agent\'s own',
};
type ReservedCategory = keyof typeof RESERVED_CATEGORIES;

export const traitInputSchema = strictObject({
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

/** The traits of one request: at most ten, without a repeated name. */
export const traitsInputSchema = array(traitInputSchema)
  .max(TRAITS_PER_CALL)
  .check((ctx) => {
    const seen = new Set<string>();
    for (const [i, { name }] of ctx.value.entries()) {
      const key = traitKey(name);
      if (seen.has(key))
        ctx.issues.push({ code: "custom", input: ctx.value, path: [i, "name"], message: "is given twice" });
      seen.add(key);
    }
  });

/** Code points by which names differ: all of them, for the index keeps 1,024 UTF-16 units of a name on the chain. */
const MAX_KEYED = 1_000;

/** Key by which two names are the same trait; case is ignored. */
export const traitKey = (name: string): string => normalForm(name, "NFC", MAX_KEYED).toLowerCase();

/**
 * The given traits that an agent does not have yet; a trait it already has is left out.
 * @throws Failure conflict when a name exists with another category, or the agent would have too many traits
 */
export function newTraits(present: readonly Trait[], given: readonly TraitInput[]): TraitInput[] {
  const counted = countedTraits(present);
  const categories = new Map(counted.map(({ name, category }) => [traitKey(name), category]));
  const fresh = given.filter(({ name, category }) => {
    const before = categories.get(traitKey(name));
    if (before !== undefined && before !== category)
      fail("conflict", `The agent has the trait ${quoted(name)} already, in the category ${quoted(before)}.`, {
        hint: "A trait's name is unique per agent, and its category stays.",
      });
    return before === undefined;
  });
  if (fresh.length > 0 && counted.length + fresh.length > TRAITS_PER_AGENT)
    fail("conflict", `An agent has at most ${TRAITS_PER_AGENT} traits; this one has ${counted.length}.`);
  return fresh;
}

/** `verification` or `badge` when a category looks like one of them; null for every other. */
export const reservedCategory = (category: string): ReservedCategory | null =>
  CATEGORIES.get(shape(category).replaceAll("-", "")) ?? null;

/** Whether a name looks as if it ends in `-verified` or begins with `linked-token`. */
export function isReservedName(name: string): boolean {
  const shaped = shape(name);
  return VERIFIED.test(shaped) || shaped.replaceAll("-", "").startsWith(LINKED);
}

/** Letters that look like Latin ones and that compatibility decomposition does not convert. */
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

/** Form of a word for comparison by look: without accents, case and invisible characters, look-alikes as Latin letters. */
function shape(text: string): string {
  const bare = normalForm(text, "NFKD", MAX_KEYED)
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();
  return [...bare]
    .map((letter) => LOOKALIKES.get(letter) ?? letter)
    .join("")
    .replace(/0/g, "o")
    .replace(/3/g, "e")
    .replace(/[il1|!]/g, "l")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
}

const CATEGORIES = new Map(
  (Object.keys(RESERVED_CATEGORIES) as ReservedCategory[]).map((category) => [shape(category), category]),
);
const VERIFIED = new RegExp(`(?:^|-)${shape("verified")}$`);
const LINKED = shape("linkedtoken");

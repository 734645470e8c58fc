/** Versions of what is offered, and what is different between two: their shapes in the database, in answers and in events. */
import { z } from "zod";

const names = z.array(z.string());
const text = z.string().nullable();
const usd = z.number().nullable().meta({ description: "US dollars of a call; null where none is known" });
const cost = { scheme: z.string(), network: z.string(), asset: z.string(), amount: z.string() };

export const versionSchema = z
  .object({
    form: z.int().meta({ description: "Number of the form; versions of two forms are not compared" }),
    owner: text.meta({ description: "Of what an agent lists, in lower case" }),
    items: z.array(
      z.object({
        ...{ kind: z.string(), name: z.string(), endpoint: text, method: text, usd },
        accepts: z.array(z.object({ ...cost, payTo: z.string() })),
        text: text.meta({ description: "Begins the SHA-256 of the canonical form of description and tags" }),
        schema: text.meta({ description: "Begins that of the input's schema" }),
      }),
    ),
  })
  .meta({ id: "OfferVersion", description: "What is offered, in a form in which what means the same is equal" });
export type Version = z.output<typeof versionSchema>;
export type VersionItem = Version["items"][number];

export const CHANGED_PARTS = ["name", "description", "endpoint", "method", "inputSchema"] as const;
const price = z.object({ usd, accepts: z.array(z.object(cost)) });

/** The lists of a change, by the type of event that has them. */
export const CHANGE_LISTS = {
  "agent.offer_changed": {
    ...{ added: names, removed: names },
    changed: z.array(z.object({ name: z.string(), parts: z.array(z.enum(CHANGED_PARTS)) })).meta({
      description: "Offers that are still there, and what of them is another; tags are part of the description",
    }),
  },
  "agent.price_changed": { prices: z.array(z.object({ name: z.string(), from: price, to: price })) },
  "agent.pay_to_changed": { payTo: z.array(z.object({ name: z.string(), from: names, to: names })) },
};

export const offerChangeSchema = z
  .object({
    ...CHANGE_LISTS["agent.offer_changed"],
    ...CHANGE_LISTS["agent.price_changed"],
    ...CHANGE_LISTS["agent.pay_to_changed"],
    owner: z.object({ from: text, to: text }).nullable(),
    more: z.int().min(0).meta({ description: "Entries that are left out" }),
  })
  .meta({ id: "OfferChange", description: "From one version to another; a folded one has the entries of each" });
export type OfferChange = z.output<typeof offerChangeSchema>;

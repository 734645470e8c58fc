/** A provider of embeddings: directions of hashed words, where translations are one word and words of one meaning are near. */
import { createHash } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { type MakeSimulator, reply, type SimulatedUpstream } from "./simulator.ts";
import { THESAURUS } from "./thesaurus.ts";

/** Numbers of a vector. */
export const SIMULATED_DIMENSIONS = 256;
const MAX_INPUTS = 2_048;
/** Paid texts that the control shows, the last ones. */
const SHOWN_PAID = 10_000;

/** Words that are equal, as a word and its translations are. */
const EQUALS: readonly (readonly string[])[] = [
  ["translate", "translates", "translation", "traducir", "traduce", "traduire", "traduit", "übersetzen", "übersetzt"],
  ["contract", "contracts", "contrato", "contratos", "contrat", "contrats", "vertrag", "verträge", "agreements"],
  ["price", "prices", "precio", "precios", "prix", "preis", "preise", "quotes"],
  ["weather", "clima", "météo", "wetter", "forecast"],
  ["beekeeping", "bees", "imkerei", "apicultura", "apiculture"],
  ["image", "images", "imagen", "imágenes", "bild", "bilder", "pictures"],
];
const SAME_AS = new Map(EQUALS.flatMap((words) => words.map((word) => [word, words[0]!])));

/** Refuses half a character, as strict readers of JSON do. */
const text = z
  .string()
  .min(1)
  .refine((one) => one.isWellFormed());
const body = z.object({
  model: z.string().min(1),
  input: z.union([text, z.array(text).min(1).max(MAX_INPUTS)]),
});

/** The meanings of a word in the thesaurus: such words are near to one another, not equal. */
const SENSES = new Map<string, string[]>();
for (const line of THESAURUS) {
  const [sense, words] = line.split(": ") as [string, string];
  for (const word of words.split(" ")) SENSES.set(word, [...(SENSES.get(word) ?? []), sense]);
}
/** Share of the vector that belongs to the word alone, in addition to the sum of its meanings. */
const OWN_SHARE = 0.5;

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
const wordsOf = (text: string) =>
  [...segmenter.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));

/** Each word, and each meaning of it, adds a direction that its hash chooses; the vector has length 1. */
export function simulatedVector(text: string): number[] {
  const vector = Array.from({ length: SIMULATED_DIMENSIONS }, () => 0);
  const add = (what: string, share: number) =>
    createHash("sha256")
      .update(what)
      .digest()
      .forEach((byte, at) => {
        for (let bit = 0; bit < 8; bit++) vector[8 * at + bit]! += (byte >> bit) & 1 ? share : -share;
      });
  for (const word of wordsOf(text)) {
    const same = SAME_AS.get(word);
    const senses = SENSES.get(same ?? word) ?? [];
    for (const sense of senses) add(`${sense}:`, 1 / senses.length);
    add(same ?? word, same === undefined ? OWN_SHARE : 1);
  }
  const length = Math.hypot(...vector);
  return vector.map((number) =>
    length === 0 ? Number(number === 0) / Math.sqrt(SIMULATED_DIMENSIONS) : number / length,
  );
}

const problem = (message: string, status: number) =>
  reply({ error: { message, type: "invalid_request_error", param: null, code: null } }, status);

const makeEmbeddings: MakeSimulator = () => {
  const api = new Hono();
  const control = new Hono();
  /** What a provider would bill. */
  const paid: string[] = [];
  control.get("/paid", () => reply(paid));
  api.post("/v1/embeddings", async (c) => {
    if (!/^Bearer \S+$/.test(c.req.header("authorization") ?? ""))
      return problem("You did not provide an API key.", 401);
    const read = body.safeParse(await c.req.json().catch(() => null));
    if (!read.success) return problem("The request is invalid.", 400);
    const input = [read.data.input].flat();
    paid.push(...input);
    paid.splice(0, paid.length - SHOWN_PAID);
    return reply({
      object: "list",
      model: read.data.model,
      data: input.map((text, index) => ({ object: "embedding", index, embedding: simulatedVector(text) })),
      usage: { prompt_tokens: input.length, total_tokens: input.length },
    });
  });
  return {
    source: "embeddings",
    api,
    control,
    failure: () => ({ body: { error: { message: "The server had an error", type: "server_error" } } }),
  };
};

/** Leads no variable to it: embeddings are off unless a test or an operator sets them. */
export const embeddings: SimulatedUpstream = { make: makeEmbeddings, environment: () => ({}) };

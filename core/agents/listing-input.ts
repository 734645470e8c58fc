/** Input of a listing: the rules of services, skills, domains and metadata. Each write replaces the whole field. */
import { array } from "zod";
import type { JsonObject } from "../json.ts";
import {
  MAX_DEPTH,
  MAX_SERVICES,
  objectOnly,
  type Report,
  readObject,
  readService,
  readServices,
  statedJson,
} from "../json-input.ts";
import { wordList } from "../principals/input.ts";
import { isBlank, textSchema } from "../text.ts";
import type { Listing } from "./listing.ts";

const MAX_WORDS = 24;
const MAX_WORD = 64;
/** Max bytes of `services` and of `metadata`, each as JSON in UTF-8. */
const MAX_BYTES = 8_192;

/** Reads services; one given as a text is its URL. */
const readListed = (given: object, report: Report): Listing["services"] =>
  readServices(given, report, (url, path) => readService({ url }, path, report));

function readMetadata(given: object, report: Report): JsonObject {
  const metadata = readObject(given, [], report);
  const { acceptedPayments } = metadata;
  if (acceptedPayments === undefined) return metadata;
  // Pages expect this field to be a list of texts.
  const listed = words.safeParse(typeof acceptedPayments === "string" ? [acceptedPayments] : acceptedPayments);
  if (!listed.success)
    report(["acceptedPayments"], `must be a list of at most ${MAX_WORDS} texts of ${MAX_WORD} characters`);
  return { ...metadata, acceptedPayments: listed.data ?? [] };
}

const words = array(textSchema({ max: MAX_WORD }))
  .max(MAX_WORDS)
  .transform((given) => wordList.parse(given.filter((word) => !isBlank(word))));

/** Only given fields change; an empty object or list clears a field. */
export const listingShape = {
  services: statedJson({
    read: objectOnly(readListed),
    maxBytes: MAX_BYTES,
    description: `Name → URL, or an object with a \`url\` (http or https) or another place (\`handle\`, \`address\`) and whatever belongs to it; at most ${MAX_SERVICES}, ${MAX_BYTES} bytes. Replaces the former ones`,
    schema: {
      type: "object",
      additionalProperties: {
        anyOf: [
          { type: "string", format: "uri" },
          { type: "object", properties: { url: { type: "string", format: "uri" } }, additionalProperties: true },
        ],
      },
    },
  }).optional(),
  skills: words.optional().meta({ description: "Each once. Replaces the former ones" }),
  domains: words.optional().meta({ description: "Each once. Replaces the former ones" }),
  metadata: statedJson({
    read: objectOnly(readMetadata),
    maxBytes: MAX_BYTES,
    description: `Any JSON, at most ${MAX_BYTES} bytes and ${MAX_DEPTH} levels; \`acceptedPayments\` is a list of texts. Shown as given. Replaces the former one`,
    schema: {
      type: "object",
      properties: { acceptedPayments: { type: "array", items: { type: "string" } } },
      additionalProperties: true,
    },
  }).optional(),
};

export type ListingInput = { [field in keyof Listing]?: Listing[field] | undefined };

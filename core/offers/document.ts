/** Parses what a host answers, at a cost that is bounded by its values: a megabyte may have hundreds of thousands. */
import { parseForeignJson } from "../foreign-json.ts";

/** Max values, or fields, of all JSON in one answer. */
const MAX_DOCUMENT_VALUES = 50_000;

/** A host answered with what we do not read; the message is a sentence that its agent may be shown. */
export class BeyondUs extends Error {
  constructor(why: string) {
    super(`It cannot be read by us: ${why}.`);
  }
}

/**
 * JSON of a host.
 * @returns undefined for what is no JSON
 * @throws BeyondUs
 */
export function parseDocument(text: string): unknown {
  // A page of HTML is no JSON: its first character shows it.
  if (!/^\s*[[{]/.test(text)) return undefined;
  if (hasTooMany(text)) throw new BeyondUs(`it has more than ${MAX_DOCUMENT_VALUES} values`);
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}

/** Whether a text has more than `MAX_DOCUMENT_VALUES` commas and opening brackets; those within texts count too. */
function hasTooMany(text: string): boolean {
  if (text.length <= MAX_DOCUMENT_VALUES) return false;
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if ((unit === 44 || unit === 91 || unit === 123) && ++count > MAX_DOCUMENT_VALUES) return true;
  }
  return false;
}

/**
 * Defects of ERC-8004 registration files: a code for programs, a sentence, and how to mend it. A defect is stored as its
 * code, with what it is about behind it where there is something: `missing: image`.
 * @see https://eips.ethereum.org/EIPS/eip-8004
 */

type Row = { says(detail: string): string; mend: string };
const fixed = (sentence: string, mend: string): Row => ({ says: () => sentence, mend });

const DEFECTS = {
  no_file: fixed("The agent names no registration file.", "Set the agent's URI in the registry (setAgentURI)."),
  uri_is_file: fixed(
    "The URI is the file itself, not a URI.",
    "Write data:application/json;base64, before the file's base64.",
  ),
  uri_too_long: fixed("The URI is longer than 2,000 characters.", "Give the file a shorter address."),
  uri_scheme: fixed("The URI has a scheme that cannot be followed.", "Use https, ipfs, ar or data."),
  uri_path: fixed("The URI has dots that lead out of the gateway's files.", "Write the path without . and .. in it."),
  bare_cid: fixed("The URI is a content id without its scheme.", "Write ipfs:// before the content id."),
  no_tls: fixed("The file is served without TLS.", "Serve it by https, and register that address."),
  data_empty: fixed("The data URI has no data.", "Write a comma and the file behind the media type."),
  data_type: fixed("The data URI is not application/json.", "Begin it with data:application/json;base64,"),
  data_plain: fixed("The data URI is not base64.", "Encode the file in base64, and say ;base64 before the comma."),
  data_blank: fixed("A blank stands in the data URI where a comma belongs.", "Write a comma behind ;base64."),
  data_packed: {
    says: (coding) => `The file in the URI is packed (${coding}), which few readers unpack.`,
    mend: "Write the file itself in base64, without enc=.",
  },
  data_coding: {
    says: (coding) => `The file in the URI is packed in a way that is not known here: ${coding}.`,
    mend: "Write the file itself in base64, without enc=.",
  },
  data_undecodable: fixed("The data URI cannot be decoded.", "Encode the file's UTF-8 in base64 (RFC 4648)."),
  too_large: fixed("The file is larger than 256 KiB.", "Leave out what nobody needs, or serve pictures by a link."),
  too_slow: {
    says: (detail) => detail,
    mend: "Make the file simpler: fewer services, and texts without long runs of marks.",
  },
  unreachable: {
    says: (detail) => detail,
    mend: "Serve the file at that address to everyone, without a sign-in, with status 200.",
  },
  unstorable: { says: (detail) => detail, mend: "Write its texts in plain Unicode, without control characters." },
  not_json: fixed("The file is not JSON.", "Serve one JSON object in UTF-8 (RFC 8259)."),
  not_object: fixed("The file is not a JSON object.", "Serve one JSON object, not a list and not a text."),
  type: fixed(
    "The type is not that of a registration file.",
    'Set "type" to https://eips.ethereum.org/EIPS/eip-8004#registration-v1.',
  ),
  type_list: fixed("The type is a list.", "Write the type of registration files alone, as a text."),
  missing: { says: (field) => `${field} is missing.`, mend: "Give the file this member: a text that is not empty." },
  cut: { says: (field) => `${field} is longer than is shown, and was cut.`, mend: "Say it in fewer characters." },
  image: fixed("image is no link that can be shown.", "Use an https, ipfs or ar link, or a PNG or SVG as a data URI."),
  image_too_large: fixed("image holds more than 32 KiB, and is not shown.", "Make it smaller, or serve it by a link."),
  active: fixed("active is not true or false.", "Write true or false, without quotation marks."),
  old_services: fixed("The services are under the old name endpoints.", 'Rename "endpoints" to "services".'),
  services_no_list: fixed("The services are not a list.", 'Make "services" a list of objects with name and endpoint.'),
  service: {
    says: (place) => `Service ${place} has no name or no endpoint, and was left out.`,
    mend: 'Give each service a "name" and an "endpoint", both texts.',
  },
  service_words: {
    says: (place) => `Service ${place} has its name or its endpoint under another word.`,
    mend: 'Write "name" and "endpoint".',
  },
  template: {
    says: (place) => `The endpoint of service ${place} has a place to fill in, and is not called.`,
    mend: "Write the whole address of this agent's endpoint.",
  },
  services_cut: fixed("More than 64 services are listed; the others were left out.", "List those that matter first."),
  skills_cut: fixed("More than 64 skills are listed; the others were left out.", "List those that matter first."),
  x402_spelling: fixed("x402Support is written x402support.", 'Write "x402Support".'),
  x402: fixed("x402Support is not true or false.", "Write true or false, without quotation marks."),
} satisfies Record<string, Row>;

export type DefectCode = keyof typeof DEFECTS;
export const DEFECT_CODES = [...(Object.keys(DEFECTS) as DefectCode[]), "other"] as const;
export type Defect = DefectCode | `${DefectCode}: ${string}`;

/** Max characters of what a defect is about. */
const MAX_DETAIL = 300;

/** @param detail what it is about, or for `unreachable` and `too_slow` the sentence itself */
export const defect = (code: DefectCode, detail?: string): Defect =>
  detail === undefined ? code : `${code}: ${detail.slice(0, MAX_DETAIL).toWellFormed()}`;

/** A defect as it is shown to people and programs; `other` is a sentence that was stored before there were codes. */
export type DefectView = { code: (typeof DEFECT_CODES)[number]; says: string; mend: string | null };

export function defectView(stored: string): DefectView {
  const [, code = "", detail = ""] = /^([a-z0-9_]+)(?:: ([\s\S]*))?$/.exec(stored) ?? [];
  if (!Object.hasOwn(DEFECTS, code)) return { code: "other", says: stored, mend: null };
  const { says, mend }: Row = DEFECTS[code as DefectCode];
  return { code: code as DefectCode, says: says(detail), mend };
}

/** A file that cannot be read at all. */
export class UnreadableFile extends SyntaxError {
  readonly defect: Defect;
  constructor(code: DefectCode) {
    super(defectView(code).says);
    this.defect = code;
  }
}

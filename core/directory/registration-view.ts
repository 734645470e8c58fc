/** The API's view of a registration in the canonical ERC-8004 registry. Keys are in snake_case, like the directory's rows. */
import { checksum } from "../addresses.ts";
import type { Address } from "../facts.ts";

export type StoredRegistration = {
  registry: Address;
  agentUri: string;
  /** Time of the registration in Unix seconds. */
  registeredAt: number;
  registeredBlock: number;
  txHash: string;
  /** parsed | unreadable | unreachable | refused | waiting; null until it was fetched. */
  fileStatus: string | null;
  fileFetchedAt: string | null;
  errors: string[];
  warnings: string[];
  /** Number of feedback entries that were not revoked. */
  feedbackCount: number;
  reviewers: number;
  feedback: {
    client: Address;
    index: string;
    /** The integer as written; the value is this divided by 10^`decimals`. */
    value: string;
    decimals: number;
    tag1: string;
    tag2: string;
    uri: string;
    revoked: boolean;
    givenAt: number;
    txHash: string;
    responses: number;
  }[];
};

export type RegistrationView = {
  registry: string;
  agent_uri: string;
  registered_at: string;
  registered_block: number;
  tx_hash: string;
  file: { status: string; fetched_at: string | null; warnings: string[] };
  feedback_count: number;
  reviewers: number;
  feedback: {
    client: string;
    index: string;
    value: string;
    tags: string[];
    uri: string | null;
    revoked: boolean;
    given_at: string;
    tx_hash: string;
    responses: number;
  }[];
};

/** Max characters of a shown URI; longer ones are cut, because they contain a whole file. */
const MAX_URI = 2_000;

export const registrationView = (stored: StoredRegistration): RegistrationView => ({
  registry: checksum(stored.registry),
  agent_uri: stored.agentUri.slice(0, MAX_URI),
  registered_at: iso(stored.registeredAt),
  registered_block: stored.registeredBlock,
  tx_hash: stored.txHash,
  file: {
    status: stored.fileStatus ?? "waiting",
    fetched_at: stored.fileFetchedAt,
    warnings: [...stored.errors, ...stored.warnings],
  },
  feedback_count: stored.feedbackCount,
  reviewers: stored.reviewers,
  feedback: stored.feedback.map(({ client, index, value, decimals, tag1, tag2, uri, revoked, ...rest }) => ({
    client: checksum(client),
    index,
    value: decimalText(value, decimals),
    tags: [tag1, tag2].filter((tag) => tag !== "").map((tag) => tag.slice(0, 64)),
    uri: uri === "" ? null : uri.slice(0, MAX_URI),
    revoked,
    given_at: iso(rest.givenAt),
    tx_hash: rest.txHash,
    responses: rest.responses,
  })),
});

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Divides an integer of any size by a power of ten, exactly, without trailing zeros. */
export function decimalText(integer: string, decimals: number): string {
  const digits = integer.replace("-", "").padStart(decimals + 1, "0");
  const sign = integer.startsWith("-") ? "-" : "";
  const fraction = digits.slice(digits.length - decimals).replace(/(?<!0)0+$/, "");
  return sign + digits.slice(0, digits.length - decimals) + (decimals > 0 && fraction ? `.${fraction}` : "");
}

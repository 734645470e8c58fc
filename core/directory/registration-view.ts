/** The API's view of a registration in the canonical ERC-8004 registry. Keys are in snake_case, like the directory's rows. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { defectView } from "./file-defects.ts";
import { MAX_URI, type Review, reviewView } from "./reviews.ts";

/** What became of the file behind a URI. */
export const FILE_STATUSES = ["waiting", "parsed", "unreadable", "unreachable", "refused"] as const;

export type StoredRegistration = {
  registry: Address;
  agentUri: string;
  /** Time of the registration in Unix seconds. */
  registeredAt: number;
  registeredBlock: number;
  txHash: string;
  /** Null until it was fetched. */
  fileStatus: (typeof FILE_STATUSES)[number] | null;
  fileFetchedAt: string | null;
  /** Each a defect as it is stored (file-defects.ts). */
  errors: string[];
  warnings: string[];
  /** Number of feedback entries that were not revoked. */
  feedbackCount: number;
  reviewers: number;
  feedback: Review[];
  validationCount: number;
  validations: StoredValidation[];
};

/** A validation that an agent's side has asked for, and its newest answer; times are Unix seconds. */
export type StoredValidation = {
  validator: Address;
  requestHash: string;
  requestUri: string;
  requestedAt: number;
  txHash: string;
  /** 0 to 100; null with the rest of the answer until there is one. */
  response: number | null;
  responseUri: string | null;
  responseHash: string | null;
  tag: string | null;
  respondedAt: number | null;
};

export const registrationView = (stored: StoredRegistration) => ({
  registry: checksum(stored.registry),
  agent_uri: stored.agentUri.slice(0, MAX_URI),
  registered_at: iso(stored.registeredAt),
  registered_block: stored.registeredBlock,
  tx_hash: stored.txHash,
  file: {
    status: stored.fileStatus ?? ("waiting" as const),
    fetched_at: stored.fileFetchedAt,
    ...fileDefects([...stored.errors, ...stored.warnings]),
  },
  feedback_count: stored.feedbackCount,
  reviewers: stored.reviewers,
  feedback: stored.feedback.map(reviewView),
  validation_count: stored.validationCount,
  validations: stored.validations.map(validationView),
});

/** How the registry has an answer without a hash. */
const NO_HASH = `0x${"0".repeat(64)}`;

const validationView = (stored: StoredValidation) => ({
  validator: checksum(stored.validator),
  request_hash: stored.requestHash,
  request_uri: stored.requestUri === "" ? null : stored.requestUri.slice(0, MAX_URI),
  requested_at: iso(stored.requestedAt),
  tx_hash: stored.txHash,
  answer:
    stored.response === null
      ? null
      : {
          response: stored.response,
          tag: stored.tag ? stored.tag.slice(0, 64) : null,
          uri: stored.responseUri ? stored.responseUri.slice(0, MAX_URI) : null,
          hash: stored.responseHash === NO_HASH ? null : stored.responseHash,
          answered_at: iso(stored.respondedAt!),
        },
});

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The defects of a file, and their sentences alone. */
function fileDefects(stored: readonly string[]) {
  const defects = stored.map(defectView);
  return { defects, warnings: defects.map(({ says }) => says) };
}

/** The API's view of a registration in the canonical ERC-8004 registry. Keys are in snake_case, like the directory's rows. */
import { checksum } from "../addresses.ts";
import type { Address } from "../facts.ts";
import { defectView } from "./file-defects.ts";
import { MAX_URI, type Review, reviewView } from "./reviews.ts";

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
  /** Each a defect as it is stored (file-defects.ts). */
  errors: string[];
  warnings: string[];
  /** Number of feedback entries that were not revoked. */
  feedbackCount: number;
  reviewers: number;
  feedback: Review[];
};

export const registrationView = (stored: StoredRegistration) => ({
  registry: checksum(stored.registry),
  agent_uri: stored.agentUri.slice(0, MAX_URI),
  registered_at: new Date(stored.registeredAt * 1000).toISOString(),
  registered_block: stored.registeredBlock,
  tx_hash: stored.txHash,
  file: {
    status: stored.fileStatus ?? "waiting",
    fetched_at: stored.fileFetchedAt,
    ...fileDefects([...stored.errors, ...stored.warnings]),
  },
  feedback_count: stored.feedbackCount,
  reviewers: stored.reviewers,
  feedback: stored.feedback.map(reviewView),
});

/** The defects of a file, and their sentences alone. */
function fileDefects(stored: readonly string[]) {
  const defects = stored.map(defectView);
  return { defects, warnings: defects.map(({ says }) => says) };
}

/**
 * By what each SQL statement orders the rows of which it takes the first ones, and why none can be pushed out. The rule
 * is in docs/engineering/architecture.md, "Who comes first"; statements.test.ts holds this list complete.
 */

import { words } from "../support/words.ts";

/** Takes one row for each key: the newest, the oldest, or whether there is one. */
const ONE = words(`
  agents-count agents-source-totals block-hash-from block-hashes-to-check check-unlisted completeness-agent-gap completeness-rows
  cred-attested-changed cred-epoch-latest-published
  cred-epoch-tokens-part cred-epochs-state cred-epochs-unkeep cred-held cred-history-batch cred-recompute cred-recompute-range
  cred-restore-points chain-writes-newest dispatch-served-index event-append-scores event-oldest first-agent humans-by-id
  humans-by-principal humans-by-wallet humans-load
  index-announce index-progress index-state mint-after organizations-by-id organizations-by-slug
  organizations-by-wallet organizations-own-by-name payment-is-known price-list-current price-lists proof-trait-transaction
  token-link-settle verification-transaction webhook-delete-oldest-of-former-owners webhook-schedule-next`);

/** Takes a page that a reader asks for: what is not on it is on a later one. */
const PAGES = words(`
  agents agents-cred-history commerce-page cred-updates directory-page directory-planes-find events
  events-final events-of-agent events-of-agent-through group-members groups-list handshakes-of-agent humans-page income-page
  messages-after messages-onwards offer-changes organizations-page referrals-referred report-transactions review-page review-page-newest
  review-page-of-client webhook-deliveries webhooks-failing`);

/** Takes a part of a walk over all rows by their keys: the next part begins behind it, or the rows are gone by then. */
const WALKS = words(`
  cred-stale-in-range discovery-changed discovery-next discovery-words-remove dispatch-claim erc8004-stale event-final-positions
  event-hide-old event-positions intents-queued messages-delete-oldest named-wallets-of-directory
  offer-versions-mark-unnamed referral-codes-agents-without
  solana-challenge-insert token-uris-minted-without webhook-behind webhook-candidates webhook-delete-old webhook-replay-dead
  webhook-secrets-after webhook-trim-logs`);

/** Counts up to a bound: beyond it a number is "or more", and no row is chosen. */
const COUNTS = words(`
  cred-tree-few directory-planes-changed directory-shared discovery-lookup discovery-vector-sample event-work
  offer-host-urls offer-sources-put-off-sharing tokens-without-uri-sample webhook-mark-behind webhook-ping`);

/** Takes rows that one party wrote about itself: it can push out its own alone. */
const OWN = words(`
  attestations-of-wallet directory-marks directory-planes-name-marks discovery-dearest-offers discovery-drop-keys
  discovery-hit-background discovery-priced-offers discovery-rows facts-find facts-load offer-versions-of-agent payments-credits
  payments-paid-by-request review-files-unlisted`);

/** Takes what has waited longest: first in, first out, so that every row has its turn, however many come. */
const LONGEST_WAIT = words(`
  commerce-figures-due income-figures-due mints-due-for-awards payments-abandoned payments-released payments-revocable payments-unfinished proofs-due review-figures-oldest review-files-agents
  token-links-due`);

/** The others: by what, and why. */
const REASONS: Record<string, string> = {
  "agent-registrations-record":
    "ten services that its file names, in the file's order; a registration is the agent's that it was first",
  "agent-registrations-take-back": "as agent-registrations-record",
  "attestation-lookups-due": "half for wallets without an answer, half for the longest wait",
  "checkpoint-owners": "chance: what is drawn is compared with the chain",
  "commerce-jobs": "payers by sum or by age, whichever is better (db/income/places.ts), then by turns of payers",
  "commerce-rest": "as commerce-jobs; what it leaves out is summed",
  "cred-oracle-to-compare": "the largest difference and the longest unread in turn",
  "cred-proving-epochs": "the first epochs of a time; epochs are the service's own",
  "directory-detail":
    "score, shown only; to be pushed out takes a hundred rows of a better score with the same proven wallet",
  "directory-find": "the own registry, then score: a reference of one row names its platform",
  "directory-find-row": "the id as it is written, of those that differ in the case of letters alone",
  "directory-items-of-agents": "first sight: a later item of any id takes no place of an earlier one",
  "directory-ranks-store": "score",
  "discovery-candidates":
    "ranges of trust, the highest first; within one range 300 documents of as much trust are the price",
  "discovery-disguised": "trust; what is beyond is written by the next round over all documents",
  "discovery-holders": "first sight, of backed rows and of all: what is earlier cannot be made",
  "discovery-named-with": "ranges of trust",
  "discovery-nearest": "nearness of meaning, off by default; two hundred nearer texts are the price",
  "discovery-offering": "shown only: the same name by first sight, backed rows first; the same endpoint up to a count",
  "discovery-spelt-alike":
    "similarity, within classes of the number of documents: words of few take no place of words of many",
  "discovery-vouched-words": "ranges of trust",
  "erc8004-due": "turns of owners, in a turn the longest wait",
  "erc8004-of-wallets": "registrations with a wallet, which a transfer takes away, before gifts; then the newest",
  "erc8004-registration": "the newest, shown only: /reviews has all, and what they are worth does not follow from it",
  "ethos-due": "as attestation-lookups-due",
  "host-files-due": "trust, and every fourth place by the longest wait (db/sql/due-turns.ts)",
  "host-files-store": "none: the others have their turn in the round over all rows",
  "humans-wallets-to-count": "new ones and the longest wait in turn",
  "income-accounts-due": "turns of payers, wallets and owners, every fourth the oldest (db/income/places.ts)",
  "income-cohorts": "turns of kinds, in a turn the longest unread",
  "income-elsewhere": "a share for each payer, the newest of each",
  "income-enrol": "turns of wallets and owners, every fourth the oldest; what is followed has taken its turn",
  "income-forget": "as income-enrol",
  "income-funding": "sum for each source, the newest of the side: 100,000 larger sources are the price",
  "income-merge": "size; nothing is left out for good",
  "income-near": "sum; beyond the bound nothing of the agent is organic until it is read",
  "income-payments": "as commerce-jobs",
  "income-rest": "as commerce-rest",
  "income-routes-due": "turns of senders",
  "income-untold": "turns of payers, among amounts of as many digits",
  "meanings-due": "score, off by default; each text is asked for once",
  "meanings-unread": "as meanings-due",
  "message-access": "a wallet's own agent before those that only name it",
  "message-speakers": "as message-access",
  "mint-registration-state": "as message-access",
  "mint-transactions": "block; transactions of the contract's owner alone",
  "offer-rows": "of a row's items the first seen",
  "offer-events-agents":
    "own agents; of others the first listed, whose endpoint it is shown to be or whom it has paid: of an account its own alone",
  "offer-rows-own": "as offer-rows",
  "offer-sources-asked": "the most trusted rows; those that are left are asked in the same run, or in the next one",
  "offer-sources-due": "as host-files-due",
  "offer-sources-paid": "the oldest rows",
  "preflight-facts":
    "confirmed endpoints before others, so that only the host can add some; of those that only name a URL the oldest row",
  "probe-frequent-from": "the most trusted rows",
  "probe-witnesses": "confirmed ones, then trust, then first seen; of the first thousand one of each owner, by chance",
  "payment-proofs-due": "turns of reviewers, then of agents; paid ones before, the longest wait",
  "referrals-referrer": "as message-access",
  "review-facts": "persons first, then by the first review; of one reviewer its newest entries",
  "review-files-due": "turns of reviewers and of sites, half for sites that answered before",
  "reviewer-histories-due": "with proof first, then turns of the agents reviewed, then by the first review",
  "reviewer-history-store": "the oldest reviews of one reviewer",
  "reviews-claimed": "persons, then the first of each of a hundred accounts, then the first hundred of a day",
  "token-quotes-due": "new and known tokens, registries' and claimed ones in turn; the longest wait of each",
  "token-uris-to-check": "new tokens by id, each once, then the longest wait: a token has its price",
  "token-uris-to-fill": "by id; what is done is not due again",
  "wallet-agents-to-write":
    "agents by the wallet's own act before those that only name it; of several none is taken, and a refusal names eight",
  "wallet-names":
    "the own registry's agent of the wallet, then proven wallets by score; what only names a wallet is none of them",
  "wallets-agents": "as message-access",
  "wallets-own-agents": "as message-access",
  "webhook-claim": "turns of owners; of one webhook the longest wait",
  "webhook-schedule-take": "owners whose targets answer, new and slow ones each have places of their own",
};

/** The names of all statements with a cut. */
export const CUTS: readonly string[] = [ONE, PAGES, WALKS, COUNTS, OWN, LONGEST_WAIT, Object.keys(REASONS)].flat();

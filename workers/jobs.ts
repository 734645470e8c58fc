/** Every job there is. A new one is a file in jobs/ and a line here. */
import type { Job } from "./job.ts";
import { ageRefresh } from "./jobs/age-refresh.ts";
import { attestationLookups } from "./jobs/attestation-lookups.ts";
import { credHistory } from "./jobs/cred-history.ts";
import { credOracle } from "./jobs/cred-oracle.ts";
import { credRoots } from "./jobs/cred-roots.ts";
import { directoryAliases } from "./jobs/directory-aliases.ts";
import { directoryOwn } from "./jobs/directory-own.ts";
import { directoryPlanes } from "./jobs/directory-planes.ts";
import { directoryPull } from "./jobs/directory-pull.ts";
import { directoryRanks } from "./jobs/directory-ranks.ts";
import { directoryScores } from "./jobs/directory-scores.ts";
import { erc8004Files } from "./jobs/erc8004-files.ts";
import { ethosRefresh } from "./jobs/ethos-refresh.ts";
import { eventRetention } from "./jobs/event-retention.ts";
import { exchangeExpiry } from "./jobs/exchange-expiry.ts";
import { marketData } from "./jobs/market-data.ts";
import { meanings } from "./jobs/meanings.ts";
import { messageRetention } from "./jobs/message-retention.ts";
import { namedWallets } from "./jobs/named-wallets.ts";
import { offers } from "./jobs/offers.ts";
import { paymentSweep } from "./jobs/payment-sweep.ts";
import { proofRecheck } from "./jobs/proof-recheck.ts";
import { prune } from "./jobs/prune.ts";
import { reconcile } from "./jobs/reconcile.ts";
import { referralCodes } from "./jobs/referral-codes.ts";
import { reviewFigures } from "./jobs/review-figures.ts";
import { reviewerHistories } from "./jobs/reviewer-histories.ts";
import { score } from "./jobs/score.ts";
import { selfCheck } from "./jobs/self-check.ts";
import { tokenStats } from "./jobs/token-stats.ts";
import { tokenTies } from "./jobs/token-ties.ts";
import { tokenUris } from "./jobs/token-uris.ts";
import { tokenVolumes } from "./jobs/token-volumes.ts";
import { transactionCounts } from "./jobs/transaction-counts.ts";
import { webhookUpkeep } from "./jobs/webhook-upkeep.ts";

export const JOBS: readonly Job[] = [
  score,
  referralCodes,
  reconcile,
  ageRefresh,
  exchangeExpiry,
  selfCheck,
  tokenStats,
  tokenUris,
  credHistory,
  credOracle,
  proofRecheck,
  namedWallets,
  ethosRefresh,
  attestationLookups,
  transactionCounts,
  paymentSweep,
  directoryOwn,
  directoryPull,
  erc8004Files,
  directoryScores,
  directoryAliases,
  directoryRanks,
  directoryPlanes,
  reviewFigures,
  reviewerHistories,
  marketData,
  tokenTies,
  tokenVolumes,
  offers,
  meanings,
  messageRetention,
  eventRetention,
  webhookUpkeep,
  credRoots,
  prune,
];

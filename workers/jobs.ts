/** Every job there is. A new one is a file in the folder of its subject and a line here. */

import { namedWallets, referralCodes, tokenStats } from "./agents/agent-upkeep.ts";
import { attestationLookups } from "./agents/attestation-lookups.ts";
import { proofRecheck } from "./agents/proof-recheck.ts";
import { tokenUris } from "./agents/token-uris.ts";
import { commerce } from "./commerce/commerce.ts";
import { credOracle } from "./cred/cred-oracle.ts";
import { credRoots } from "./cred/cred-roots.ts";
import { ageRefresh, credHistory, exchangeExpiry, reconcile, score, selfCheck } from "./cred/score.ts";
import { directoryOwn } from "./directory/directory-own.ts";
import { directoryPull } from "./directory/directory-pull.ts";
import {
  directoryAliases,
  directoryPlanes,
  directoryRanks,
  directoryScores,
  tokenVolumes,
} from "./directory/directory-upkeep.ts";
import { erc8004Files } from "./directory/erc8004-files.ts";
import { ethosRefresh } from "./directory/ethos-refresh.ts";
import { marketData } from "./directory/market-data.ts";
import { tokenTies } from "./directory/token-ties.ts";
import { meanings } from "./discovery/meanings.ts";
import { eventRetention } from "./events/event-retention.ts";
import { income } from "./income/income.ts";
import { incomeFollowed, incomeFollowedYoung } from "./income/income-followed.ts";
import { incomeStats, jobStats } from "./income/recompute-due.ts";
import type { Job } from "./job.ts";
import { messageRetention } from "./messages/message-retention.ts";
import { endpointChecks, offers } from "./offers/offers.ts";
import { prune } from "./operations/prune.ts";
import { paymentSweep } from "./payments/payment-sweep.ts";
import { transactionCounts } from "./principals/transaction-counts.ts";
import { paymentProofs } from "./reviews/payment-proofs.ts";
import { reviewFiles } from "./reviews/review-files.ts";
import { reviewStats } from "./reviews/review-stats.ts";
import { reviewerHistories } from "./reviews/reviewer-histories.ts";
import { snapshots } from "./snapshots/snapshots.ts";
import { webhookUpkeep } from "./webhooks/webhook-upkeep.ts";

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
  reviewStats,
  reviewFiles,
  paymentProofs,
  reviewerHistories,
  incomeFollowed,
  incomeFollowedYoung,
  income,
  incomeStats,
  commerce,
  jobStats,
  marketData,
  tokenTies,
  tokenVolumes,
  offers,
  endpointChecks,
  meanings,
  messageRetention,
  eventRetention,
  webhookUpkeep,
  credRoots,
  snapshots,
  prune,
];

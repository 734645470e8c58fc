/** Every job there is. A new one is a file in the folder of its subject and a line here. */

import { attestationLookups } from "./agents/attestation-lookups.ts";
import { namedWallets } from "./agents/named-wallets.ts";
import { proofRecheck } from "./agents/proof-recheck.ts";
import { referralCodes } from "./agents/referral-codes.ts";
import { tokenStats } from "./agents/token-stats.ts";
import { tokenUris } from "./agents/token-uris.ts";
import { commerce } from "./commerce/commerce.ts";
import { ageRefresh } from "./cred/age-refresh.ts";
import { credHistory } from "./cred/cred-history.ts";
import { credOracle } from "./cred/cred-oracle.ts";
import { credRoots } from "./cred/cred-roots.ts";
import { exchangeExpiry } from "./cred/exchange-expiry.ts";
import { reconcile } from "./cred/reconcile.ts";
import { score } from "./cred/score.ts";
import { selfCheck } from "./cred/self-check.ts";
import { directoryAliases } from "./directory/directory-aliases.ts";
import { directoryOwn } from "./directory/directory-own.ts";
import { directoryPlanes } from "./directory/directory-planes.ts";
import { directoryPull } from "./directory/directory-pull.ts";
import { directoryRanks } from "./directory/directory-ranks.ts";
import { directoryScores } from "./directory/directory-scores.ts";
import { erc8004Files } from "./directory/erc8004-files.ts";
import { ethosRefresh } from "./directory/ethos-refresh.ts";
import { marketData } from "./directory/market-data.ts";
import { tokenTies } from "./directory/token-ties.ts";
import { tokenVolumes } from "./directory/token-volumes.ts";
import { meanings } from "./discovery/meanings.ts";
import { eventRetention } from "./events/event-retention.ts";
import { income } from "./income/income.ts";
import { incomeFollowed, incomeFollowedYoung } from "./income/income-followed.ts";
import { incomeFigures, jobFigures } from "./income/weigh-due.ts";
import type { Job } from "./job.ts";
import { messageRetention } from "./messages/message-retention.ts";
import { offers } from "./offers/offers.ts";
import { prune } from "./operations/prune.ts";
import { paymentSweep } from "./payments/payment-sweep.ts";
import { transactionCounts } from "./principals/transaction-counts.ts";
import { paymentProofs } from "./reviews/payment-proofs.ts";
import { reviewFigures } from "./reviews/review-figures.ts";
import { reviewFiles } from "./reviews/review-files.ts";
import { reviewerHistories } from "./reviews/reviewer-histories.ts";
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
  reviewFigures,
  reviewFiles,
  paymentProofs,
  reviewerHistories,
  incomeFollowed,
  incomeFollowedYoung,
  income,
  incomeFigures,
  commerce,
  jobFigures,
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

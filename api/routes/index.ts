/** Every endpoint of the service. Adding one is one line here; routing, documents and discovery follow. */
import type { Endpoint } from "../endpoint.ts";
import { a2a } from "./a2a.ts";
import { agentCard, agentSkill, agentSkills, jsonWebKeySet, signatureDirectory } from "./agent-card.ts";
import { agentCheck } from "./agent-check.ts";
import { agentReport, verifications } from "./agent-report.ts";
import { agent, agents, batch, handshakes, leaderboard, searchAgents } from "./agents.ts";
import { withAliases } from "./aliases.ts";
import { identityProvider, revoke, sessionOutcome } from "./auth.ts";
import { advice, cred, credUpdates, history, proof } from "./cred.ts";
import { credReport, verifyReceipt } from "./cred-report.ts";
import * as directory from "./directory.ts";
import { terminalOffers, terminalToken } from "./directory-agent.ts";
import { discoverAgents, findAgents } from "./discovery.ts";
import { llmsText, openApi, sitemap, sitemapFile } from "./docs.ts";
import { agentEvents, eventPage, eventStream } from "./events.ts";
import { agentJobs, agentPayments, agentReviews } from "./evidence.ts";
import { health, operatorState, ready, status } from "./health.ts";
import * as images from "./images.ts";
import { graphqlQuery, graphqlSchema, sqlQuery } from "./index-queries.ts";
import { mcp } from "./mcp.ts";
import * as messageGroups from "./message-groups.ts";
import { challengeForSolana, mint, mintState, registerSolana, verifySolana } from "./mint.ts";
import { nameCheck, namesOfWallets } from "./names.ts";
import { newPin, offerHistory, pinState } from "./offer-history.ts";
import { preflightEndpoint } from "./preflight.ts";
import * as principals from "./principals.ts";
import { og, referral, referralCode, referred } from "./referrals.ts";
import { pricing, serviceIndex, stats, tokenHolders } from "./service-index.ts";
import { snapshotFile, snapshots } from "./snapshots.ts";
import {
  crossRegistration,
  crossRegistrations,
  humanUpdate,
  linkToken,
  personality,
  profile,
  update,
} from "./updates.ts";
import { exchangeVerify, proofEndpoints, walletVerify } from "./verification.ts";
import * as webhooks from "./webhooks.ts";
import * as wellKnown from "./well-known.ts";

export const ENDPOINTS: readonly Endpoint[] = withAliases([
  serviceIndex(() => ENDPOINTS),
  health,
  ready,
  status,
  operatorState,
  stats,
  pricing,
  tokenHolders,
  wellKnown.manifestEndpoint(() => ENDPOINTS),
  agentCard,
  jsonWebKeySet,
  signatureDirectory,
  agentSkills,
  agentSkill,
  wellKnown.protectedResource,
  wellKnown.mcpServerCard,
  wellKnown.x402Manifest(() => ENDPOINTS),
  wellKnown.agentRegistration,
  wellKnown.serviceIcon,
  wellKnown.robotsText(() => ENDPOINTS),
  wellKnown.apiCatalog,
  sitemap,
  sitemapFile,
  llmsText(() => ENDPOINTS),
  mcp,
  a2a,
  agents,
  searchAgents,
  discoverAgents,
  findAgents,
  batch,
  agent,
  handshakes,
  agentReport,
  verifications,
  referral,
  referred,
  referralCode,
  og,
  cred,
  history,
  advice,
  proof,
  credUpdates,
  snapshots,
  snapshotFile,
  eventStream,
  eventPage,
  agentEvents,
  credReport,
  verifyReceipt,
  preflightEndpoint,
  leaderboard,
  directory.terminalAgents,
  directory.terminalJson,
  directory.terminalCsv,
  directory.terminalCounts,
  directory.terminalBadges,
  directory.terminalAgent,
  terminalOffers,
  agentCheck,
  agentReviews,
  agentJobs,
  agentPayments,
  offerHistory,
  newPin,
  pinState,
  terminalToken,
  images.contractMetadata,
  images.metadata,
  images.aura,
  images.cardImage,
  images.agentPicture,
  images.agentImage,
  images.pagePicture,
  images.collectionImage,
  images.badge,
  nameCheck,
  namesOfWallets,
  principals.humans,
  principals.human,
  principals.humanCred,
  principals.organizations,
  principals.organization,
  mint,
  mintState,
  challengeForSolana,
  verifySolana,
  registerSolana,
  revoke,
  identityProvider,
  sessionOutcome,
  graphqlQuery,
  graphqlSchema,
  sqlQuery,
  messageGroups.messageGroups,
  messageGroups.createMessageGroup,
  messageGroups.messages,
  messageGroups.messageStream,
  messageGroups.groupMemberList,
  messageGroups.joinGroup,
  messageGroups.leaveGroup,
  messageGroups.sendMessage,
  update,
  personality,
  profile,
  humanUpdate,
  walletVerify,
  exchangeVerify,
  ...proofEndpoints(),
  linkToken,
  crossRegistration,
  crossRegistrations,
  principals.humanRegister,
  principals.humanMe,
  principals.humanDelete,
  principals.humanLinkAgent,
  principals.humanUnlinkAgent,
  principals.organizationRegister,
  webhooks.newWebhook,
  webhooks.listOfWebhooks,
  webhooks.oneWebhook,
  webhooks.endWebhook,
  webhooks.switchOnWebhook,
  webhooks.rotateWebhook,
  webhooks.webhookTest,
  webhooks.webhookDeliveries,
  webhooks.webhookReplay,
  webhooks.webhookReplayDead,
  openApi(() => ENDPOINTS),
]);

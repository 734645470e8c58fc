/** Every endpoint of the service. Adding one is one line here; routing, documents and discovery follow. */
import type { Endpoint } from "../endpoint.ts";
import { a2a } from "./a2a.ts";
import { agentCard, jsonWebKeySet } from "./agent-card.ts";
import { agentJobs } from "./agent-jobs.ts";
import { agentPayments } from "./agent-payments.ts";
import { agentReport, verifications } from "./agent-report.ts";
import { agentReviews } from "./agent-reviews.ts";
import { searchAgents } from "./agent-search.ts";
import { agentSkill, agentSkills } from "./agent-skills.ts";
import { agent, agents, leaderboard } from "./agents.ts";
import { withAliases } from "./aliases.ts";
import { apiCatalog } from "./api-catalog.ts";
import { identityProvider, revoke } from "./auth.ts";
import { batch } from "./batch.ts";
import { advice, cred, history, proof } from "./cred.ts";
import { credReport, verifyReceipt } from "./cred-report.ts";
import { credUpdates } from "./cred-updates.ts";
import {
  terminalAgent,
  terminalAgents,
  terminalBadges,
  terminalCounts,
  terminalCsv,
  terminalJson,
} from "./directory.ts";
import { terminalToken } from "./directory-claims.ts";
import { discoverAgents, findAgents } from "./discovery.ts";
import { documentEndpoints } from "./docs.ts";
import { agentEvents, eventPage, eventStream } from "./events.ts";
import { handshakes } from "./handshakes.ts";
import { health, ready, status } from "./health.ts";
import { humanUpdate } from "./human-update.ts";
import {
  human,
  humanCred,
  humanDelete,
  humanLinkAgent,
  humanMe,
  humanRegister,
  humans,
  humanUnlinkAgent,
} from "./humans.ts";
import { agentImage, agentPicture, aura, badge, cardImage, collectionImage, pagePicture } from "./images.ts";
import { graphqlQuery, graphqlSchema, sqlQuery } from "./index-queries.ts";
import { llmsText } from "./llms.ts";
import { manifestEndpoint } from "./manifest.ts";
import { mcp } from "./mcp.ts";
import { createMessageGroup, groupMemberList, joinGroup, leaveGroup, messageGroups } from "./message-groups.ts";
import { messageStream, messages, sendMessage } from "./messages.ts";
import { contractMetadata, metadata } from "./metadata.ts";
import { mint, mintState } from "./mint.ts";
import { nameCheck } from "./names.ts";
import { terminalOffers } from "./offers.ts";
import { operatorState } from "./operator.ts";
import { organization, organizationRegister, organizations } from "./organizations.ts";
import { pricing } from "./pricing.ts";
import { protectedResource } from "./protected-resource.ts";
import { og, referral, referralCode, referred } from "./referrals.ts";
import { crossRegistration, crossRegistrations, linkToken } from "./registries.ts";
import { serviceIndex } from "./service-index.ts";
import { sessionOutcome } from "./sessions.ts";
import { sitemap, sitemapFile } from "./sitemap.ts";
import { proofEndpoints } from "./social-proofs.ts";
import { challengeForSolana, registerSolana, verifySolana } from "./solana.ts";
import { stats } from "./stats.ts";
import { tokenHolders } from "./token-stats.ts";
import { personality, profile, update } from "./updates.ts";
import { exchangeVerify, walletVerify } from "./verification.ts";
import { namesOfWallets } from "./wallet-names.ts";
import { webhookDeliveries, webhookReplay, webhookReplayDead, webhookTest } from "./webhook-deliveries.ts";
import { endWebhook, listOfWebhooks, newWebhook, oneWebhook, rotateWebhook, switchOnWebhook } from "./webhooks.ts";
import { agentRegistration, mcpServerCard, robotsText, serviceIcon, x402Manifest } from "./well-known.ts";

export const ENDPOINTS: readonly Endpoint[] = withAliases([
  serviceIndex(() => ENDPOINTS),
  health,
  ready,
  status,
  operatorState,
  stats,
  pricing,
  tokenHolders,
  manifestEndpoint(() => ENDPOINTS),
  agentCard,
  jsonWebKeySet,
  agentSkills,
  agentSkill,
  protectedResource,
  mcpServerCard,
  x402Manifest(() => ENDPOINTS),
  agentRegistration,
  serviceIcon,
  robotsText(() => ENDPOINTS),
  apiCatalog,
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
  eventStream,
  eventPage,
  agentEvents,
  credReport,
  verifyReceipt,
  leaderboard,
  terminalAgents,
  terminalJson,
  terminalCsv,
  terminalCounts,
  terminalBadges,
  terminalAgent,
  terminalOffers,
  agentReviews,
  agentJobs,
  agentPayments,
  terminalToken,
  contractMetadata,
  metadata,
  aura,
  cardImage,
  agentPicture,
  agentImage,
  pagePicture,
  collectionImage,
  badge,
  nameCheck,
  namesOfWallets,
  humans,
  human,
  humanCred,
  organizations,
  organization,
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
  messageGroups,
  createMessageGroup,
  messages,
  messageStream,
  groupMemberList,
  joinGroup,
  leaveGroup,
  sendMessage,
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
  humanRegister,
  humanMe,
  humanDelete,
  humanLinkAgent,
  humanUnlinkAgent,
  organizationRegister,
  newWebhook,
  listOfWebhooks,
  oneWebhook,
  endWebhook,
  switchOnWebhook,
  rotateWebhook,
  webhookTest,
  webhookDeliveries,
  webhookReplay,
  webhookReplayDead,
  ...documentEndpoints(() => ENDPOINTS),
]);

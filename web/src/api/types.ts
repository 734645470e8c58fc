/** The bodies of the API as types: the output types of the schemas behind the OpenAPI document. */
import type { z } from "zod";
import type { handshakesSchema, leaderboardSchema, nameCheckSchema } from "../../../api/schemas/agent.ts";
import type { CredAdvice, credHistorySchema, credProofSchema } from "../../../api/schemas/cred.ts";
import type {
  discoverSchema,
  terminalBadgesSchema,
  terminalCountsSchema,
  terminalDetailSchema,
  terminalListSchema,
} from "../../../api/schemas/directory.ts";
import type { agentReviewsSchema } from "../../../api/schemas/evidence.ts";
import type { groupsSchema, membersSchema, messagesSchema } from "../../../api/schemas/messages.ts";
import type {
  mintStateSchema,
  ogSchema,
  pendingMintSchema,
  referralCodeSchema,
  referralSchema,
  referredSchema,
  registrationSchema,
} from "../../../api/schemas/mint.ts";
import type { operatorSchema } from "../../../api/schemas/operator.ts";
import type {
  humanListSchema,
  identityProviderSchema,
  organizationListSchema,
} from "../../../api/schemas/principals.ts";
import type { discoverySchema, errorSchema, pricesSchema, statusSchema } from "../../../api/schemas/service.ts";
import type {
  exchangeVerifySchema,
  pendingWriteSchema,
  provenSchema,
  verifySchema,
} from "../../../api/schemas/updates.ts";
import type {
  agentEventsSchema,
  createdWebhookSchema,
  deliveriesSchema,
  queuedDeliverySchema,
  replayedSchema,
  rotatedSecretSchema,
  webhookDetailSchema,
} from "../../../api/schemas/webhooks.ts";
import type { x402ManifestSchema } from "../../../api/schemas/well-known.ts";
import type { credReportSchema } from "../../../core/cred/report/sealed-report.ts";
import type { PreflightView } from "../../../core/preflight/view.ts";
import type { agentSchema, summarySchema } from "../../../core/views/agent.ts";
import type { agentReportSchema, verificationsSchema } from "../../../core/views/agent-report.ts";
import type { credByAddressSchema } from "../../../core/views/cred.ts";
import type {
  humanCredSchema,
  humanSchema,
  organizationSchema,
  ownHumanSchema,
  walletNameSchema,
} from "../../../core/views/human.ts";
import type { groupSchema, messageSchema } from "../../../core/views/messages.ts";
import type { offerHistorySchema } from "../../../core/views/offer-history.ts";
import type { offeringSchema } from "../../../core/views/offering.ts";

export type Preflight = PreflightView;
export type OfferHistory = z.output<typeof offerHistorySchema>;
export type Directory = z.output<typeof terminalListSchema>;
export type Row = Directory["agents"][number];
export type Counts = z.output<typeof terminalCountsSchema>;
export type RowBadges = z.output<typeof terminalBadgesSchema>["marks"][number];
export type Detail = z.output<typeof terminalDetailSchema>;
export type Registration8004 = NonNullable<Detail["erc8004"]>;
export type { AgentJobs, AgentPayments } from "../../../api/schemas/evidence.ts";
export type AgentReviews = z.output<typeof agentReviewsSchema>;
export type WeighedReview = AgentReviews["reviews"][number];
export type DiscoveryAnswer = z.output<typeof discoverSchema>;
export type Offering = z.output<typeof offeringSchema>;
export type DiscoveredHit = DiscoveryAnswer["hits"][number];
export type DiscoveredOffer = DiscoveredHit["offers"][number];
export type Agent = z.output<typeof agentSchema>;
export type Summary = z.output<typeof summarySchema>;
export type Leaderboard = z.output<typeof leaderboardSchema>;
export type CredByAddress = z.output<typeof credByAddressSchema>;
export type Factors = CredByAddress["factors"];
export type { CredAdvice };
export type OpenPoint = CredAdvice["steps"][number];
export type CredHistory = z.output<typeof credHistorySchema>;
export type CredPoint = CredHistory["points"][number];
export type CredProof = z.output<typeof credProofSchema>;
export type Report = z.output<typeof agentReportSchema>;
export type Verifications = z.output<typeof verificationsSchema>;
export type ProofAnswer = z.output<ReturnType<typeof provenSchema>>;
export type PendingWrite = z.output<typeof pendingWriteSchema>;
export type WalletVerified = z.output<typeof verifySchema>;
export type ExchangeVerified = z.output<typeof exchangeVerifySchema>;
export type ReferredAgents = z.output<typeof referredSchema>;
export type Webhook = z.output<typeof webhookDetailSchema>;
export type CreatedWebhook = z.output<typeof createdWebhookSchema>;
export type RotatedSecret = z.output<typeof rotatedSecretSchema>;
export type Deliveries = z.output<typeof deliveriesSchema>;
export type Delivery = Deliveries["deliveries"][number];
export type QueuedDelivery = z.output<typeof queuedDeliverySchema>;
export type ReplayAnswer = z.output<typeof replayedSchema>;
export type Discovery = z.output<typeof discoverySchema>;
export type IdentityProvider = z.output<typeof identityProviderSchema>;
export type OperatorState = z.output<typeof operatorSchema>;
export type Status = z.output<typeof statusSchema>;
export type AgentEvents = z.output<typeof agentEventsSchema>;
export type Handshakes = z.output<typeof handshakesSchema>;
export type Registration = z.output<typeof registrationSchema>;
export type PendingMint = z.output<typeof pendingMintSchema>;
export type MintState = z.output<typeof mintStateSchema>;
export type WalletName = z.output<typeof walletNameSchema>;
export type NameCheck = z.output<typeof nameCheckSchema>;
export type Referral = z.output<typeof referralSchema>;
export type ReferralCode = z.output<typeof referralCodeSchema>;
export type OgWallets = z.output<typeof ogSchema>;
export type Prices = z.output<typeof pricesSchema>;
export type X402Manifest = z.output<typeof x402ManifestSchema>;
export type CredReport = z.output<typeof credReportSchema>;
export type Human = z.output<typeof humanSchema>;
export type OwnHuman = z.output<typeof ownHumanSchema>;
export type HumanCred = z.output<typeof humanCredSchema>;
export type Organization = z.output<typeof organizationSchema>;
export type Humans = z.output<typeof humanListSchema>;
export type Organizations = z.output<typeof organizationListSchema>;
export type Group = z.output<typeof groupSchema>;
export type Groups = z.output<typeof groupsSchema>;
export type Message = z.output<typeof messageSchema>;
export type Members = z.output<typeof membersSchema>;
export type Messages = z.output<typeof messagesSchema>;
export type ErrorBody = z.output<typeof errorSchema>;

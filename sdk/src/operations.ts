/** Who may call which operation and what has a price, made by `npm run generate -- sdk` of the OpenAPI document. Do not edit. */

/**
 * Whose credential an operation takes: a wallet's, a wallet's if there is one, a person's (wallet or access token), a
 * person's together with the wallet that owns an agent, or an operator's key.
 */
export type Access = "wallet" | "walletOrAnyone" | "human" | "owner" | "apiKey";

/** Operations that take a credential or a payment; all others are for anyone. */
export const OPERATIONS: Readonly<Record<string, { access?: Access; paid?: true }>> = {
  "GET /api/v2/operator": { access: "apiKey" },
  "GET /api/v2/agent/{ref}/cred-report": { paid: true },
  "POST /api/v2/mint": { access: "wallet", paid: true },
  "POST /api/v2/register/solana": { paid: true },
  "POST /api/v2/auth/revoke": { access: "wallet" },
  "POST /api/v2/agent/{ref}/session-outcome": { access: "apiKey" },
  "POST /api/v2/graphql": { access: "apiKey" },
  "GET /api/v2/sql/db": { access: "apiKey" },
  "POST /api/v2/messages/groups": { access: "wallet" },
  "GET /api/v2/messages/groups/{groupId}/messages": { access: "walletOrAnyone" },
  "GET /api/v2/messages/groups/{groupId}/stream": { access: "walletOrAnyone" },
  "GET /api/v2/messages/groups/{groupId}/members": { access: "walletOrAnyone" },
  "POST /api/v2/messages/groups/{groupId}/join": { access: "wallet" },
  "POST /api/v2/messages/groups/{groupId}/leave": { access: "wallet" },
  "POST /api/v2/messages/groups/{groupId}/send": { access: "wallet" },
  "POST /api/v2/agent/{ref}/update": { access: "wallet", paid: true },
  "PUT /api/v2/agent/{ref}/personality": { access: "wallet", paid: true },
  "POST /api/v2/agent/{ref}/human-update": { paid: true },
  "POST /api/v2/agent/{ref}/verify": { access: "wallet" },
  "POST /api/v2/agent/{ref}/coinbase-verify": { access: "wallet" },
  "POST /api/v2/agent/{ref}/verify/x": { access: "wallet" },
  "POST /api/v2/agent/{ref}/verify/github": { access: "wallet" },
  "POST /api/v2/agent/{ref}/verify/farcaster": { access: "wallet" },
  "POST /api/v2/agent/{ref}/link-token": { access: "wallet" },
  "POST /api/v2/agent/{ref}/crossreg": { access: "wallet" },
  "POST /api/v2/principals/human/register": { access: "human" },
  "GET /api/v2/principals/human/me": { access: "human" },
  "DELETE /api/v2/principals/human/me": { access: "human" },
  "POST /api/v2/human/{id}/link-agent": { access: "owner" },
  "POST /api/v2/human/{id}/unlink-agent": { access: "human" },
  "POST /api/v2/principals/organization/register": { access: "human" },
  "POST /api/v2/webhooks": { access: "wallet" },
  "GET /api/v2/webhooks": { access: "wallet" },
  "GET /api/v2/webhooks/{webhookId}": { access: "wallet" },
  "DELETE /api/v2/webhooks/{webhookId}": { access: "wallet" },
  "POST /api/v2/webhooks/{webhookId}/enable": { access: "wallet" },
  "POST /api/v2/webhooks/{webhookId}/rotate": { access: "wallet" },
  "POST /api/v2/webhooks/{webhookId}/test": { access: "wallet" },
  "GET /api/v2/webhooks/{webhookId}/deliveries": { access: "wallet" },
  "POST /api/v2/webhooks/{webhookId}/deliveries/{deliveryId}/replay": { access: "wallet" },
  "POST /api/v2/webhooks/{webhookId}/replay": { access: "wallet" },
};

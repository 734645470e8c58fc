/** Principals as tests meet them: wallets that sign in, tokens that change hands, and an identity provider. */
import { openHttp } from "../../../clients/http.ts";
import { createIdentityProvider } from "../../../clients/identity-provider.ts";
import type { Address } from "../../../core/agents/facts.ts";
import type { AgentWallet } from "../../../harness/agent-wallet.ts";
import { healthyChain } from "../../../harness/stub-chain.ts";
import { AUDIENCE, ISSUER, startKeyServer } from "../../support/key-server.ts";
import { perFile } from "../../support/started.ts";
import { PATIENT } from "../../support/time-limits.ts";
import { type PlantedAgent, plantAgents } from "./agents.ts";
import { type Answer, type ApiOptions, apiForFile, type TestApi } from "./api.ts";
import { plantTransfer } from "./plants.ts";
import { lower } from "./wallets.ts";

const credentialOf = async (by: string | AgentWallet) => (typeof by === "string" ? by : by.siwe());

const NOBODY: Address = `0x${"0".repeat(40)}`;

type PrincipalWorld = {
  api: TestApi;
  /** An access token of the identity provider, as the value of Authorization. */
  token(sub: string): Promise<string>;
  /** Sends a body with a credential: the value of Authorization, or headers. */
  send(method: string, path: string, by: string | Record<string, string> | null, body?: unknown): Promise<Answer>;
  /** By a credential, or a wallet that signs in by SIWE; so do the two after it. */
  registerHuman(by: string | AgentWallet, body: object): Promise<Answer>;
  registerOrganization(by: string | AgentWallet, body: object): Promise<Answer>;
  /** Takes away the human that the caller is. */
  removeHuman(by: string | AgentWallet): Promise<Answer>;
  /** Mints a token to a wallet. */
  mint(owner: AgentWallet, more?: PlantedAgent): Promise<number>;
  /** Moves a token on chain. @returns what takes the move back, as a reorganisation does */
  transfer(tokenId: number, from: AgentWallet, to: AgentWallet, at?: number): Promise<() => Promise<void>>;
};

/** The API with an identity provider of its own; one world for a whole file. */
export function principalsForFile({ chain, ...options }: ApiOptions = {}): PrincipalWorld {
  const keys = perFile(() => startKeyServer(Date.now));
  const http = perFile(() => openHttp({ userAgent: "test", maxWaitMs: 0, limits: PATIENT }));
  const api = apiForFile(() => {
    const idp = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: keys.jwksUrl, requiredClaims: [] };
    return {
      ...options,
      chain: chain ?? { ...healthyChain(), nonce: async () => 99 },
      deps: { ...options.deps, identityProvider: createIdentityProvider(idp, http) },
    };
  });
  let tokens = 0;
  let moves = 0;

  const move = async (tokenId: number, from: Address, to: Address, at: number) => {
    const id = `move-${moves++}`;
    await plantTransfer(api.pool, tokenId, [from, to], at, { id });
    return id;
  };
  const send: PrincipalWorld["send"] = (method, path, by, body) =>
    api.send(method, path, {
      headers: {
        ...(typeof by === "string" ? { authorization: by } : by),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return {
    api,
    token: async (sub) => `Bearer ${await keys.token({ sub })}`,
    send,
    registerHuman: async (by, body) => send("POST", "/api/v2/principals/human/register", await credentialOf(by), body),
    registerOrganization: async (by, body) =>
      send("POST", "/api/v2/principals/organization/register", await credentialOf(by), body),
    removeHuman: async (by) => send("DELETE", "/api/v2/principals/human/me", await credentialOf(by)),
    async mint(owner, more = {}) {
      const tokenId = tokens++;
      const wallet = lower(owner);
      await plantAgents(api.pool, [{ tokenId, owner: wallet, agentAddress: wallet, ...more }]);
      await move(tokenId, NOBODY, wallet, 1_790_000_000);
      return tokenId;
    },
    async transfer(tokenId, from, to, at = 1_790_000_500) {
      const own = (owner: Address) =>
        api.pool.query("update onchain.agent set owner = $2 where token_id = $1", [tokenId, owner]);
      const id = await move(tokenId, lower(from), lower(to), at);
      await own(lower(to));
      return async () => {
        await api.pool.query("delete from onchain.transfer where id = $1", [id]);
        await own(lower(from));
      };
    },
  };
}

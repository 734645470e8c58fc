/** The parts of the doctor: connections that only read, opened for one run of its checks. */
import { createChain } from "../clients/chain.ts";
import { tokenAuthorization } from "../clients/facilitator-token.ts";
import { chainIdOverWebSocket, learnLimits, openNodeProbe } from "../clients/inspect/node-limits.ts";
import { askService, facilitatorKinds, redisSettings, serverDate } from "../clients/inspect/service.ts";
import { openRegistries } from "../clients/registries.ts";
import { openRpcPool } from "../clients/rpc/pool.ts";
import { createSigner } from "../clients/signer.ts";
import type { Config } from "../config/config.ts";
import type { VariableValue } from "../config/variable-values.ts";
import type { Hex } from "../core/agents/facts.ts";
import { readIndexState } from "../db/operations/index-state.ts";
import { serverSettings } from "../db/operations/server-health.ts";
import { openReadOnlyPool } from "../db/sql/connect.ts";
import { reasonOf } from "../doctor/check.ts";
import type { DatabaseRole, Need, World } from "../doctor/world.ts";
import { urlAt } from "../runtime/listen-address.ts";
import { type Assembly, assemble } from "./assemble.ts";
import {
  openAuthorizationServer,
  openEmbeddings,
  openEthos,
  openMarkets,
  openProofs,
  openUpstreamHttp,
} from "./connections.ts";

/** Max wait of a request for its turn at an upstream, ms. */
const TURN_MS = 10_000;
/** A URL of no server: a connection to it fails at once. */
const NOWHERE = "postgres://127.0.0.1:1/none";

/** Opens what the checks read. Nothing is asked before a check asks. */
export const wireDoctor = (
  config: Config,
  about: { variables: readonly VariableValue[]; problems: readonly string[] },
): Promise<Assembly<World>> =>
  assemble(async (parts) => {
    const { chain: nodes, mpp, redisUrl, payments, proxies } = config;
    const db = openReadPool(parts, config.database.url ?? NOWHERE);
    const http = openUpstreamHttp(config, undefined, TURN_MS);
    parts.defer(() => http.close());
    const probe = (url: string) => {
      const node = openNodeProbe(url, proxies);
      parts.defer(() => node.close());
      return node;
    };
    const pool = openRpcPool({ chainId: nodes.id, nodes: nodes.nodes, proxies });
    parts.defer(() => pool.close());
    const world: Omit<World, "unmet"> = {
      config,
      ...about,
      nodes: nodes.rpcUrls.map(probe),
      limits: nodes.nodes.map((node) => ({
        host: new URL(node.url).host,
        learn: () => learnLimits({ chainId: nodes.id, node, proxies }, config.contracts.handshakes.address),
      })),
      wsChainId: nodes.wsUrl ? () => chainIdOverWebSocket(nodes.wsUrl!) : null,
      tempo: mpp ? probe(mpp.rpcUrl) : null,
      chain: createChain(pool),
      db,
      databases: databaseRoles(parts, config),
      redis: redisUrl ? () => redisSettings(redisUrl) : null,
      registries: openRegistries(config.upstreams.registries, { http, chainId: nodes.id }),
      proofs: openProofs(parts, config, http),
      ethos: openEthos(config, http),
      embeddings: openEmbeddings(config, http, TURN_MS),
      authorizationServer: openAuthorizationServer(config, http),
      markets: openMarkets(config, http),
      facilitator: payments.facilitator.url ? () => kindsOf(config, payments.facilitator.url!) : null,
      serverDate: (url) => serverDate(url, { proxies }),
      service: (path) => askService(originsOf(config), path),
      accounts: {
        deployer: accountOf(config.sender.privateKey, nodes.id),
        facilitator: accountOf(payments.facilitator.privateKey, nodes.id),
      },
      now: Date.now,
    };
    return { ...world, unmet: unmetNeeds(world) };
  });

const accountOf = (privateKey: Hex | undefined, chainId: number) =>
  privateKey ? createSigner(privateKey, chainId).address : null;

/** The API's public URL, and its port on this machine. */
const originsOf = ({ service, http }: Config) => [...new Set([service.publicUrl, urlAt(http.host, http.port)])];

async function kindsOf({ payments, proxies }: Config, url: string) {
  const { authorization, apiKey } = payments.facilitator;
  const fixed = authorization === undefined ? undefined : async () => authorization;
  return facilitatorKinds(url, apiKey ? tokenAuthorization(apiKey) : fixed, proxies);
}

function openReadPool(parts: AsyncDisposableStack, connectionString: string) {
  const pool = openReadOnlyPool({
    connectionString,
    application_name: "doctor",
    max: 4,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
  });
  parts.defer(() => pool.end());
  return pool;
}

function databaseRoles(parts: AsyncDisposableStack, { database }: Config): DatabaseRole[] {
  const { url, indexerUrl, migrationUrl } = database;
  const roles: [string, string | undefined][] = [
    ["DATABASE_URL", url],
    ["INDEXER_DATABASE_URL", indexerUrl === url ? undefined : indexerUrl],
    ["MIGRATION_DATABASE_URL", migrationUrl === url ? undefined : migrationUrl],
  ];
  return roles.flatMap(([variable, connectionString]) => {
    if (connectionString === undefined) return [];
    const pool = openReadPool(parts, connectionString);
    return [{ variable, open: (work) => work(pool) }];
  });
}

/** Answers for each need, asked once, why it is not met. */
function unmetNeeds(world: Omit<World, "unmet">): World["unmet"] {
  const { config, db, nodes, service } = world;
  const reasons: Record<Need, () => Promise<string | null>> = {
    async database() {
      if (!config.database.url) return "DATABASE_URL is not set, and no local stack is running";
      return serverSettings(db).then(
        () => null,
        (thrown: unknown) => `the database does not answer: ${reasonOf(thrown)}`,
      );
    },
    async index() {
      const state = await readIndexState(db).catch(() => null);
      return state?.ready ? null : "no index is served yet";
    },
    async node() {
      if (nodes.length === 0) return "RPC_URL is not set";
      const right = nodes.map(async (node) => {
        const answer = await node.request("eth_chainId", []);
        if (!answer.ok || Number(answer.result) !== config.chain.id) throw new Error("another chain");
      });
      return Promise.any(right).then(
        () => null,
        () => `no node answers for chain ${config.chain.id}`,
      );
    },
    async service() {
      return service("/health").then(
        () => null,
        () => `no API answers at ${originsOf(config).join(" or ")}: it is not started`,
      );
    },
  };
  const causes = new Map<Need, Promise<string | null>>();
  return (need) => {
    if (!causes.has(need)) causes.set(need, reasons[need]());
    return causes.get(need)!;
  };
}

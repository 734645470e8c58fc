/** The world of one profile of a strict run: PostgreSQL, a development chain with the contracts, simulated upstreams, and the service on them, with a strict node as its only node. */
import { privateKeyToAddress } from "viem/accounts";
import { ensureDatabase } from "../../devnet/postgres.ts";
import { testChain } from "../agent-wallet.ts";
import { withClosers } from "../closers.ts";
import { openPostgres } from "../scratch-postgres.ts";
import { Processes } from "../simulation/processes.ts";
import { openService } from "../simulation/service.ts";
import type { ProfileName } from "../strict-node/profiles.ts";
import { startStrictNode } from "../strict-node/strict-node.ts";
import { until } from "../until.ts";

/** Anvil takes seconds for a thousand. */
const MINED_AT_ONCE = 100;
const READY_MS = 240_000;

export type StrictWorld = Awaited<ReturnType<typeof startStrictWorld>>;

/**
 * Two APIs: at `urls.api` a registration costs nothing, at `urls.paid` it has its price.
 * @param blocks empty blocks after the contracts, so that a search of the past is wider than a profile allows
 */
export const startStrictWorld = (profile: ProfileName, blocks: number) =>
  withClosers(async (later, close) => {
    const { postgres, directory, close: closePostgres } = await openPostgres("strict", { fast: true });
    later(closePostgres);
    const of = { adminUrl: postgres.url, database: `service-${profile}`, directory };
    const { chain, devnet, db, host, api, ...service } = await openService(later, of);
    for (let mined = 0; mined < blocks; mined += MINED_AT_ONCE)
      await chain.mine(Math.min(MINED_AT_ONCE, blocks - mined));
    const node = await startStrictNode({ upstream: chain.url, profile });
    later(() => node.close());
    const urls = { api: service.urls.api, paid: service.urls["api-2"] };
    const env = { ...service.env, RPC_URL: node.url };
    const processes = new Processes({
      indexer: { process: "indexer", env },
      workers: { process: "workers", env },
      api: api("api", { ...env, PRICING_PHASE: "free" }),
      "api-2": api("api-2", { ...env, PRICING_PHASE: "paid" }),
    });
    later(() => processes.stop());
    return {
      ...{ urls, host, db, processes, identity: devnet.contracts.identity },
      /** What the service asks. */
      node,
      /** The chain itself, which refuses nothing. */
      chain: testChain(chain.url),
      /** Where mints are paid to. */
      payee: privateKeyToAddress(devnet.keys.deployer),
      /** An empty database of this name. @returns its URL */
      emptyDatabase: (name: string) => ensureDatabase(postgres.url, name),
      /** Resolves once the index is served. @throws Error when it is not within four minutes */
      async ready(): Promise<void> {
        for (const url of Object.values(urls))
          await until("the index is served", async () => (await fetch(`${url}/ready`)).ok, {
            ...{ timeoutMs: READY_MS, everyMs: 100 },
          });
      },
      /** Ends everything once, also in the middle of a run. */
      close,
    };
  });

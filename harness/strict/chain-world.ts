/** The world of one profile of a strict run: PostgreSQL, a development chain with the contracts, simulated upstreams. */
import { migrate } from "../../db/schema/migrate.ts";
import { deployDevnet } from "../../devnet/deploy.ts";
import { ensureDatabase } from "../../devnet/postgres.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { testChain } from "../agent-wallet.ts";
import { withClosers } from "../closers.ts";
import { openPostgres } from "../scratch-postgres.ts";
import { startSimulatedChain } from "../simulation/chain.ts";

const BLOCK_MS = 400;
/** Anvil takes seconds for a thousand. */
const MINED_AT_ONCE = 100;

export type ChainWorld = Awaited<ReturnType<typeof startChainWorld>>;

/** @param blocks empty blocks after the contracts, so that a search of the past is wider than a profile allows */
export const startChainWorld = (blocks: number) =>
  withClosers(async (later, close) => {
    const { postgres, directory, close: closePostgres } = await openPostgres("strict", { fast: true });
    later(closePostgres);
    const chain = await startSimulatedChain(BLOCK_MS);
    later(() => chain.stop());
    const devnet = await deployDevnet(chain.url);
    for (let mined = 0; mined < blocks; mined += MINED_AT_ONCE)
      await chain.mine(Math.min(MINED_AT_ONCE, blocks - mined));
    const simulators = await startSimulators();
    later(() => simulators.stop());
    const node = testChain(chain.url);

    return {
      directory,
      devnet,
      simulatorUrl: simulators.url,
      /** The node itself, which refuses nothing. */
      rpcUrl: chain.url,
      /** An empty database of this name. @returns its URL */
      emptyDatabase: (name: string) => ensureDatabase(postgres.url, name),
      /** A database of this name with the service's schema. @returns its URL */
      async serviceDatabase(name: string): Promise<string> {
        const url = await ensureDatabase(postgres.url, name);
        await migrate(url);
        return url;
      },
      node,
      /** Ends something before the world itself when the world is closed. */
      onClose: later,
      /** Ends everything once, also in the middle of a run. */
      close,
    };
  });

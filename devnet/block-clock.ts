/** Blocks of a local chain by a clock of ours, reorganisations between two of them, and the bound on what the chain remembers. */
import { rpc } from "./anvil-process.ts";

export type BlockClock = Awaited<ReturnType<typeof startBlockClock>>;

/**
 * Seconds after which Anvil itself would mine: never. It tells the clock that was started last, so that an earlier one
 * stops; Anvil's own interval of another client does so too. Anvil 1.7.1 keeps 1,500 states, whatever it was told, once it
 * mines by an interval of two seconds or less.
 */
const NEVER_SECONDS = 1_000_000_000;
const CLOCKS = 1_000_000;

/** Blocks after which their hashes are dropped: every state that is kept has 0.3 MB of them by then. */
const MAX_HASHES = 3_000;
/** Blocks between two looks at how many hashes there are. */
const LOOK_EVERY = 60;

type Block = { timestamp: string; transactions: unknown[] };

/**
 * Mines in Anvil's place: its own clock mines in the middle of a reorganisation too, and such a block keeps its
 * transactions and logs without what they changed (Anvil 1.7.1).
 * @param blockMs between two blocks
 * @param options.dropsHashes of a chain that runs for days
 */
export async function startBlockClock(url: string, blockMs: number, { dropsHashes = false } = {}) {
  let held: Promise<unknown> = Promise.resolve();
  /** One thing after the other: no block comes in the middle of a reorganisation. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = held.then(work);
    held = mine.catch(() => {});
    return mine;
  }
  const sign = NEVER_SECONDS + Math.floor(Math.random() * CLOCKS);
  await rpc(url, "evm_setIntervalMining", [sign]);
  // A block that another clock had begun ends before this one.
  await rpc(url, "evm_mine");
  let mining = true;
  let busy = false;
  let ticks = 0;
  let hashesFrom = await blockNumber(url);
  async function tick() {
    if ((await rpc(url, "anvil_getIntervalMining")) !== sign) return;
    await rpc(url, "evm_mine");
    if (!dropsHashes || ++ticks % LOOK_EVERY !== 0) return;
    const head = await blockNumber(url);
    if (head - hashesFrom > MAX_HASHES && (await dropHashes(url))) hashesFrom = head;
  }
  const timer = setInterval(() => {
    if (busy || !mining) return;
    busy = true;
    void alone(tick)
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  }, blockMs);

  return {
    alone,
    /** Replaces the last blocks by as many others, empty unless raw transactions, each with its block's place, are given. */
    reorganise: (depth: number, transactions: readonly [raw: string, at: number][] = []) =>
      alone(() => rpc(url, "anvil_reorg", [depth, transactions])),
    /** While it does not mine, transactions wait. */
    hold: () => {
      mining = false;
    },
    release: () => {
      mining = true;
    },
    async stop() {
      clearInterval(timer);
      await held;
    },
  };
}

/**
 * Anvil 1.7.1 has the hashes of all its blocks in each state that it keeps, 8 MB after a day, and when it goes back by a
 * block those of the last 256 alone. So an empty newest block is taken back and made again with its time: it is the same
 * block, unless a transaction came in between, or while the base fee falls.
 * @returns whether it was done: not while the newest block has transactions
 */
export async function dropHashes(url: string): Promise<boolean> {
  const { timestamp, transactions } = (await rpc(url, "eth_getBlockByNumber", ["latest", false])) as Block;
  if (transactions.length > 0) return false;
  const ahead = Number(timestamp) - Math.floor(Date.now() / 1000);
  await rpc(url, "anvil_rollback", [1]);
  await rpc(url, "evm_mine", [{ timestamp: Number(timestamp) }]);
  // Going back has put its time back too.
  await rpc(url, "anvil_setTime", [Math.floor(Date.now() / 1000) + ahead]);
  return true;
}

const blockNumber = async (url: string) => Number(await rpc(url, "eth_blockNumber"));

/** Worker processes that end after some files: what one leaves behind reaches few others, and memory that grows is given back. */
import { ForksPoolWorker, type PoolOptions } from "vitest/node";

const FILES = 40;

class RenewedFork extends ForksPoolWorker {
  override readonly name = "renewed-forks";
  #files = 0;

  override send(message: Parameters<ForksPoolWorker["send"]>[0]): void {
    if (message.type === "run") this.#files++;
    super.send(message);
  }

  canReuse(): boolean {
    return this.#files < FILES;
  }
}

export const renewedForks = {
  name: "renewed-forks",
  createPoolWorker: (options: PoolOptions) => new RenewedFork(options),
};

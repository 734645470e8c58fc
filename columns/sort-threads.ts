/** The threads of a loading process that sort a table: as many as the machine runs at once, each with the next job of one list. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { mapArrays } from "./image-transfer.ts";
import { type ImagePart, sortJobs } from "./sort-jobs.ts";
import type { SortMessage } from "./sort-thread.ts";
import type { UnsortedTable } from "./table-image.ts";

/** Each takes 24 bytes a row in addition to what it makes. */
const MAX_THREADS = 4;

export class SortThreads {
  readonly #threads: Worker[];
  /** Rejects when a thread ends. */
  readonly #ended: Promise<never>;

  /**
   * Starts the threads, which takes a while: begin before the table is there. They end with the process.
   * @param file that runs sort-thread.ts
   */
  constructor(file: string, count = Math.min(availableParallelism(), MAX_THREADS)) {
    this.#threads = Array.from({ length: count }, () => new Worker(file));
    this.#ended = new Promise((_, reject) => {
      for (const thread of this.#threads)
        thread.on("error", reject).on("exit", () => reject(new Error("a thread that sorts has ended")));
    });
    this.#ended.catch(() => {});
  }

  /**
   * @param table its arrays are in memory that threads share (`shareArrays`)
   * @param onPart gets each part of the image that a job made, in the order in which they are done
   * @throws the error of a job
   */
  async sort(table: UnsortedTable, onPart: (part: ImagePart) => void): Promise<void> {
    const jobs = sortJobs(table);
    const work = async (thread: Worker) => {
      const post = (message: SortMessage) => thread.postMessage(message);
      post({ table });
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        const answer = once(thread, "message");
        post({ job });
        const [part] = (await answer) as [ImagePart];
        onPart(part);
      }
    };
    await Promise.race([Promise.all(this.#threads.map(work)), this.#ended]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/** Moves a table into memory that threads share, array by array: its own arrays are empty afterwards. */
export function shareArrays(table: UnsortedTable): UnsortedTable {
  return mapArrays(table, (array) => {
    const Type = array.constructor as Int32ArrayConstructor;
    const shared = new Type(new SharedArrayBuffer(array.byteLength));
    shared.set(array);
    // Freed now: when the collector would do it, the process has grown by all arrays.
    (array.buffer as ArrayBuffer).transfer(0);
    return shared;
  });
}

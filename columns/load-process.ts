/**
 * Process that builds a table and sends its arrays to the parent process. A load needs as much memory again as the
 * table; a process returns all of it to the operating system, a thread leaves half of it to its host.
 */
import { once } from "node:events";
import { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { readTable } from "./build-table.ts";
import { bytesOfPart, END_OF_IMAGE, mapArrays } from "./image-transfer.ts";
import { IMAGE_FD, type LoadReply, type LoadRequest } from "./load-messages.ts";
import { type ImagePart, sortJobs, unsortedPart } from "./sort-jobs.ts";
import type { SortMessage } from "./sort-thread.ts";
import type { UnsortedTable } from "./table-image.ts";
import type { TableSource } from "./table-source.ts";

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

async function answer(source: TableSource<unknown>, threadFile: string, request: LoadRequest): Promise<void> {
  const reply = (message: LoadReply<unknown>) => process.send!(message);
  try {
    const threads = new SortThreads(threadFile);
    const read = await readTable(source, request);
    if (read === null) return void reply({ kind: "absent" });
    const { state, readMs } = read;
    const startedAt = performance.now();
    const table = shareArrays(read.table);
    const parts = new PartSender();
    parts.send(unsortedPart(table));
    await threads.sort(table, (part) => parts.send(part));
    const sortMs = performance.now() - startedAt;
    await parts.end();
    reply({ kind: "loaded", state, readMs, sortMs });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    reply({ kind: "failed", message, code });
  }
}

/** Sends parts one after the other, each as fast as the parent takes it. */
class PartSender {
  readonly #stream = new Socket({ fd: IMAGE_FD, readable: false, writable: true });
  #sent: Promise<void> = Promise.resolve();

  /** Returns at once; the part waits for those before it. */
  send(part: ImagePart): void {
    this.#sent = this.#sent.then(async () => {
      for (const bytes of bytesOfPart(part))
        if (!this.#stream.write(bytes)) await new Promise<void>((done) => this.#stream.once("drain", () => done()));
    });
  }

  /** Waits until the stream has taken every part. */
  async end(): Promise<void> {
    await this.#sent;
    this.#stream.end(END_OF_IMAGE);
  }
}

/**
 * Makes this process build one table of `source` when its parent requests it. For the entry file of such a process.
 * @param threadFile entry file of the threads that sort (sort-thread.ts)
 */
export function answerLoadRequest<State>(source: TableSource<State>, threadFile: string): void {
  process.once("message", (request) => void answer(source as TableSource<unknown>, threadFile, request as LoadRequest));
  // Without its parent the process has no purpose. An interrupt is the parent's to handle: the parent kills this process.
  process.once("disconnect", () => process.exit());
  process.on("SIGINT", () => {});
}

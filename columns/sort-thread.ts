/** Thread of a loading process: does jobs of one table (sort-jobs.ts) as they come, and gives the arrays it made away. */
import { parentPort } from "node:worker_threads";
import { arraysOf } from "./image-transfer.ts";
import { TableSorter } from "./sort-jobs.ts";
import type { UnsortedTable } from "./table-image.ts";

/** First the table, then its jobs; each job is answered by its part of the image. */
export type SortMessage = { table: UnsortedTable } | { job: string };

let sorter: TableSorter;
parentPort!.on("message", (message: SortMessage) => {
  if ("table" in message) {
    sorter = new TableSorter(message.table);
    return;
  }
  const part = sorter.sort(message.job);
  const buffers = new Set(arraysOf(part).map((array) => array.buffer as ArrayBuffer));
  parentPort!.postMessage(part, [...buffers]);
});

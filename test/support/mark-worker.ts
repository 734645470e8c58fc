/** Notes in which process a file runs, so that the CPU time of that process and of its children is counted for the file. */
import { flushCompileCache } from "node:module";
import { afterAll, afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Process id of the worker that ran the file. */
    pid?: number;
    /** Memory of the worker after the file's last test, mebibytes. */
    rssMb?: number;
  }
}

afterEach(({ task }) => {
  task.file.meta.pid = process.pid;
  task.file.meta.rssMb = Math.round(process.memoryUsage.rss() / 2 ** 20);
});

// A worker is killed at its end, and would leave to the next one all that it has compiled.
afterAll(() => flushCompileCache());

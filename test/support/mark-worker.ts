/** Notes in which process a file runs, so that the CPU time of that process and of its children is counted for the file. */
import { afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Process id of the worker that ran the file. */
    pid?: number;
  }
}

afterEach(({ task }) => {
  task.file.meta.pid = process.pid;
});

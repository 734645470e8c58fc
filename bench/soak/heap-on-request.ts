/** Preloaded into each process of a soak: who connects to its socket is told what is on its heap after a full collection. */
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

/** Bytes; `handles` are the resources that keep the process's event loop busy: sockets, timers, servers. */
export type Heap = { usedBytes: number; externalBytes: number; handles: number };

/** No file: the socket is gone with its process. */
export const socketOf = (pid: number): string => `\0agents-soak-${pid}`;

if (globalThis.gc && isMainThread)
  createServer((socket) => {
    globalThis.gc!();
    const { heapUsed: usedBytes, external: externalBytes } = process.memoryUsage();
    const handles = process.getActiveResourcesInfo().length;
    socket.end(JSON.stringify({ usedBytes, externalBytes, handles } satisfies Heap));
  })
    .listen(socketOf(process.pid))
    .unref();

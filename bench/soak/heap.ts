/**
 * The heap of another Node process, looked at through its inspector: what is left after a full collection, because what
 * is merely not collected yet is no leak.
 */
import { listeningPorts } from "../../harness/running-processes.ts";

/** The NODE_OPTIONS of processes that can be looked at: each opens an inspector on a free port of this machine. */
export const INSPECTABLE = "--inspect=127.0.0.1:0";

/** Bytes; `handles` are the resources that keep the process's event loop busy: sockets, timers, servers. */
export type Heap = { usedBytes: number; externalBytes: number; handles: number };

export type Inspector = Awaited<ReturnType<typeof connect>>;

const ANSWER_MS = 20_000;
const LOOK = `(() => {
  const { heapUsed, external } = process.memoryUsage();
  return JSON.stringify({ usedBytes: heapUsed, externalBytes: external, handles: process.getActiveResourcesInfo().length });
})()`;

/** @returns undefined when the process has no inspector (yet) */
export async function inspect(pid: number): Promise<Inspector | undefined> {
  for (const port of listeningPorts(pid)) {
    const url = await debuggerAt(port);
    if (url) return connect(url);
  }
  return undefined;
}

/** Ports of other servers answer something else, or nothing. */
async function debuggerAt(port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(2_000) });
    const targets = (await response.json()) as { webSocketDebuggerUrl?: string }[];
    return Array.isArray(targets) ? targets[0]?.webSocketDebuggerUrl : undefined;
  } catch {
    return undefined;
  }
}

type Answered = { id: number; result: { result?: { value?: string } } };

async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (answer: Answered) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as Answered;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  await new Promise<void>((done, failed) => {
    socket.addEventListener("open", () => done());
    socket.addEventListener("error", () => failed(new Error("the inspector cannot be reached")));
  });
  const ask = (method: string, params: object = {}) =>
    new Promise<Answered>((done, failed) => {
      const id = ++lastId;
      const timer = setTimeout(() => {
        waiting.delete(id);
        failed(new Error(`the inspector did not answer ${method}`));
      }, ANSWER_MS);
      waiting.set(id, (answer) => {
        clearTimeout(timer);
        done(answer);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    /** Collects all garbage, then looks. @throws Error when the process is gone or does not answer within 20 s */
    async heap(): Promise<Heap> {
      await ask("HeapProfiler.collectGarbage");
      const { result } = await ask("Runtime.evaluate", { expression: LOOK, returnByValue: true });
      return JSON.parse(result.result?.value ?? "") as Heap;
    },
    close: () => socket.close(),
  };
}

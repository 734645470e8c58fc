/** A TCP proxy whose line fails as lines do: cut, reset, silent, half open, slow, a trickle; and is mended again. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** How bytes pass while the line is up but not well. */
export type LineMode =
  /** As they come. */
  | { kind: "clear" }
  /** Connections stay open and nothing comes through, in either direction. */
  | { kind: "silent" }
  /** What the client says arrives; no answer comes back. */
  | { kind: "half-open" }
  /** Every piece is this late. */
  | { kind: "late"; ms: number }
  /** A few bytes at a time. */
  | { kind: "trickle"; bytes: number; everyMs: number };

export type TcpProxy = Awaited<ReturnType<typeof tcpProxy>>;
export type Hold = ReturnType<TcpProxy["hold"]>;

/** `held` are the clients that wait until it is over. */
function newHold(greeting: string, words: string) {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  return { greeting, words, held: new Set<Socket>(), over, end };
}

/**
 * @param target where each new connection leads; may be changed meanwhile
 * @param address of the loopback network on which it listens
 */
export async function tcpProxy(target: { host: string; port: number }, address = "127.0.0.1") {
  const open = new Set<Socket>();
  const maimed = new Set<Socket>();
  let mode: LineMode = { kind: "clear" };
  let hold: ReturnType<typeof newHold> | undefined;
  /** Hands pieces on in their order, as fast as the line lets them. */
  const passing = (from: Socket, to: Socket, isAnswer: boolean) => {
    let last = Promise.resolve();
    let greeting: string | undefined;
    return (chunk: Buffer) => {
      greeting ??= chunk.toString("latin1");
      if (hold && !isAnswer && greeting.includes(hold.greeting) && chunk.includes(hold.words)) {
        const { over } = hold;
        hold.held.add(from);
        last = last.then(() => over);
      }
      if (mode.kind === "silent" || (mode.kind === "half-open" && isAnswer)) return void maimed.add(from).add(to);
      last = last.then(() => carry(chunk, to, () => mode));
    };
  };
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.setNoDelay(true);
      from.on("data", passing(from, to, from === upstream));
      from.on("error", () => {});
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const listen = (port: number) => once(server.listen(port, address), "listening");
  await listen(0);
  const bound = (server.address() as AddressInfo).port;
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return {
    port: bound,
    /** Ends every connection and refuses new ones. */
    cut,
    /** From now on, for open connections and new ones. Bytes that a silent line has swallowed are gone. */
    be(next: LineMode) {
      mode = next;
    },
    /** Ends every connection, abruptly; new ones are welcome. */
    reset() {
      for (const socket of open) socket.resetAndDestroy();
    },
    /** From now on, a client whose first bytes contain `greeting` waits where its bytes contain `words`, until the hold ends. */
    hold(greeting: string, words: string) {
      const mine = newHold(greeting, words);
      hold = mine;
      return {
        get count() {
          return mine.held.size;
        },
        release() {
          if (hold === mine) hold = undefined;
          mine.end();
        },
      };
    },
    /** Up and clear. Connections that lost bytes are ended: neither side could make sense of the rest. */
    async mend() {
      mode = { kind: "clear" };
      for (const socket of maimed) socket.destroy();
      maimed.clear();
      if (!server.listening) await listen(bound);
    },
    close: async () => (server.listening ? cut() : undefined),
  };
}

/** @param modeOf gives the line's mode, which may change on the way */
async function carry(chunk: Buffer, to: Socket, modeOf: () => LineMode): Promise<void> {
  const late = modeOf();
  if (late.kind === "late") await wait(late.ms);
  for (let at = 0; at < chunk.length; ) {
    if (to.destroyed) return;
    const mode = modeOf();
    const bytes = mode.kind === "trickle" ? mode.bytes : chunk.length;
    to.write(chunk.subarray(at, at + bytes));
    at += bytes;
    if (mode.kind === "trickle") await wait(mode.everyMs);
  }
}

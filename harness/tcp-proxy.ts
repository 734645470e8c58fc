/** A TCP proxy whose line fails as lines do: cut, reset, silent, half open, slow, a trickle; and is mended again. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

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

export type TcpProxy = {
  port: number;
  /** From now on, for open connections and new ones. Bytes that a silent line has swallowed are gone. */
  be(mode: LineMode): void;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Ends every connection, abruptly; new ones are welcome. */
  reset(): void;
  /** What clients say whose first words contain `greeting` waits from now on, from where it contains `words` to the end of the hold. */
  hold(greeting: string, words: string): Hold;
  /** Up and clear. Connections that lost bytes are ended: neither side could make sense of the rest. */
  mend(): Promise<void>;
  close(): Promise<void>;
};

export type Hold = {
  /** Clients that were held. */
  readonly count: number;
  release(): void;
};

/** @param target where each new connection leads; may be changed meanwhile @param port free unless given */
export async function tcpProxy(target: { host: string; port: number }, port = 0): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const maimed = new Set<Socket>();
  let mode: LineMode = { kind: "clear" };
  let hold: { greeting: string; words: string; held: Set<Socket>; over: Promise<void> } | undefined;
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
  const listen = (port: number) => once(server.listen(port, "127.0.0.1"), "listening");
  await listen(port);
  const bound = (server.address() as AddressInfo).port;
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return {
    port: bound,
    cut,
    be: (next) => {
      mode = next;
    },
    reset() {
      for (const socket of open) socket.resetAndDestroy();
    },
    hold(greeting, words) {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const held = new Set<Socket>();
      const mine = { greeting, words, held, over };
      hold = mine;
      return {
        get count() {
          return held.size;
        },
        release() {
          if (hold === mine) hold = undefined;
          resolve();
        },
      };
    },
    async mend() {
      mode = { kind: "clear" };
      for (const socket of maimed) socket.destroy();
      maimed.clear();
      if (!server.listening) await listen(bound);
    },
    close: async () => (server.listening ? cut() : undefined),
  };
}

/** @param modeOf tells the line's mode, which may change on the way */
async function carry(chunk: Buffer, to: Socket, modeOf: () => LineMode): Promise<void> {
  const late = modeOf();
  if (late.kind === "late") await pause(late.ms);
  for (let at = 0; at < chunk.length; ) {
    if (to.destroyed) return;
    const mode = modeOf();
    const bytes = mode.kind === "trickle" ? mode.bytes : chunk.length;
    to.write(chunk.subarray(at, at + bytes));
    at += bytes;
    if (mode.kind === "trickle") await pause(mode.everyMs);
  }
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

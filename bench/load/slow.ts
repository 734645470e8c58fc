/** L7: clients that hold on to the server: headers that never end, bodies that trickle, headers that are too large. */
import { once } from "node:events";
import { connect } from "node:net";
import type { ReadTimeouts } from "../../api/server.ts";
import type { LoadResult } from "../reads/load.ts";
import { type Check, counted, measured, none, ofReads, ratioOfP99 } from "./check.ts";
import type { LoadedApi, LoadWorld } from "./service.ts";

export type SlowPlan = { sockets: number; bodies: number; readSeconds: number; patience?: ReadTimeouts };

const READERS = 8;
/** The service's own, where a plan does not shorten it. */
const SLOW_TIMEOUTS: ReadTimeouts = { headersMs: 10_000, requestMs: 30_000 };
/** The server looks around once a second, and a busy machine is late. */
const LATE_MS = 10_000;
/** All trickling bodies together, a second. */
const BODY_BYTES = 100_000;
const TOO_LARGE = 40 * 1024;

export async function slow(world: LoadWorld, plan: SlowPlan): Promise<Check[]> {
  const { patience = SLOW_TIMEOUTS } = plan;
  const api = await world.startApi({ patience });
  await world.read(api, READERS, plan.readSeconds);
  const quiet = [await world.read(api, READERS, plan.readSeconds)];
  const headers = Array.from({ length: plan.sockets }, () => trickle(api, headerBytes));
  const each = Math.max(1, Math.floor(BODY_BYTES / plan.bodies / 2));
  const bodies = Array.from({ length: plan.bodies }, () => trickle(api, bodyBytes(each)));
  const large = await Promise.all(Array.from({ length: 20 }, () => tooLarge(api)));
  const loud: LoadResult[] = [];
  const ends = performance.now() + patience.requestMs + LATE_MS;
  const open = () => [...headers, ...bodies].filter(({ closed }) => !closed()).length;
  do loud.push(await world.read(api, READERS, plan.readSeconds));
  while (open() > 0 && performance.now() < ends);
  const [left, longest] = [open(), Math.max(...[...headers, ...bodies].map(({ heldMs }) => heldMs()))];
  for (const { socket } of [...headers, ...bodies]) socket.destroy();
  const heard = [...headers, ...bodies].map(({ text }) => text());
  quiet.push(await world.read(api, READERS, plan.readSeconds));
  await api.stop();
  return [
    none("slow sockets the server has not closed", left),
    ...closedWith("slow clients", ["408", "413"], heard),
    ...closedWith("headers of 40 KB", ["431"], large),
    ...ofReads(loud),
    measured(
      "the longest a slow socket was held",
      `${(longest / 1000).toFixed(1)} s`,
      `≤ ${(patience.requestMs + 2_000) / 1000} s`,
      longest <= patience.requestMs + 2_000,
    ),
    ratioOfP99(quiet, loud, 2),
  ];
}

/** Every client that got an answer got one of these statuses. Without one, the reset of the connection overtook the answer. */
function closedWith(who: string, statuses: readonly string[], heard: readonly string[]): Check[] {
  const got = heard.filter((text) => text !== "");
  const otherwise = got.filter((text) => !statuses.some((status) => text.startsWith(`HTTP/1.1 ${status} `))).length;
  const why = statuses.join(", ");
  return [
    none(`${who} that got another answer than ${why}`, otherwise),
    counted(`${who} that got ${why}`, got.length - otherwise, `> 0 of ${heard.length}`, got.length > otherwise),
  ];
}

/** A connection that sends a piece twice a second, for as long as it is let and as there are pieces. */
function trickle({ url }: LoadedApi, pieces: () => Generator<string>) {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  const opened = performance.now();
  let closedAt: number | undefined;
  let text = "";
  const source = pieces();
  const send = () => {
    const piece = source.next().value;
    if (socket.writable && piece) socket.write(piece);
  };
  const timer = setInterval(send, 500);
  socket.on("connect", send);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("close", () => {
    clearInterval(timer);
    closedAt = performance.now();
  });
  return {
    socket,
    closed: () => closedAt !== undefined,
    heldMs: () => (closedAt ?? performance.now()) - opened,
    text: () => text,
  };
}

function* headerBytes(): Generator<string> {
  yield "GET /api/v2/agent/0 HTTP/1.1\r\nHost: localhost\r\n";
  for (let i = 0; ; i++) yield `X-Slow-${i}: ${"a".repeat(8)}\r\n`;
}

/** A body that is announced small enough to be taken, and comes slowly. */
const bodyBytes = (each: number) =>
  function* (): Generator<string> {
    yield "POST /api/v2/agents/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const size = each;
    for (;;) yield `${size.toString(16)}\r\n${" ".repeat(size)}\r\n`;
  };

function* largeHeader(): Generator<string> {
  yield `GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"a".repeat(TOO_LARGE)}\r\n\r\n`;
}

/** @returns the answer to a client with too large a header, until the connection is closed */
async function tooLarge(api: LoadedApi): Promise<string> {
  const { socket, text } = trickle(api, largeHeader);
  await once(socket, "close");
  return text();
}

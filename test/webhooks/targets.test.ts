/** Webhooks lead to public https servers: nothing else is accepted, and what a name hides is found when it is dialled. */
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { openWebhookReceivers, type WebhookReceiverOptions, webhookTargets } from "../../clients/webhook-receivers.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { endedPerTest, perFile } from "../support/started.ts";
import { words } from "../support/words.ts";
import { FOR_HEADS, type Receiver, replying, startReceiver } from "./support/world.ts";

const server = perFile(startReceiver);
const ended = endedPerTest();

const receivers = (options: Partial<WebhookReceiverOptions> = {}) =>
  ended(openWebhookReceivers({ userAgent: "test", allowLoopback: false, limits: FOR_HEADS, ...options }));

/** Never, whatever the operator allows. */
const FORBIDDEN = [
  ...words(`
    https://169.254.169.254/latest/meta-data/ http://169.254.169.254/ http://0xa9fea9fe/ http://[fe80::1]/
    http://[::ffff:169.254.169.254]/ https://[::ffff:10.0.0.1]/ https://10.0.0.1/ https://192.168.1.1/
    https://100.100.100.200/ https://168.63.129.16/ https://[fd00:ec2::254]/ https://metadata.google.internal/
    https://postgres/ https://printer.local/ https://example.com:22/ https://user:secret@example.com/
    http://example.com/ http://8.8.8.8/ ftp://example.com/ file:///etc/passwd javascript:alert(1) //example.com/`),
  "",
];
/** This machine, in every spelling. */
const LOOPBACK = ["127.1", "0x7f000001", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"];

describe("a URL", () => {
  it.each(FORBIDDEN)("%j is never a webhook, and never dialled", async (url) => {
    for (const allowLoopback of [false, true]) {
      expect(webhookTargets({ allowLoopback }).problem(url)).toMatch(/^must /);
      const before = server.connections();
      expect(await receivers({ allowLoopback }).post(url, {}, "{}")).toMatchObject({ kind: "refused" });
      expect(server.connections()).toBe(before);
    }
  });

  it.each(LOOPBACK)("with the host %s is one only where the operator allows it", (host) => {
    for (const scheme of ["http", "https"]) {
      const url = `${scheme}://${host}:8080/hook`;
      expect(webhookTargets({ allowLoopback: false }).problem(url)).toMatch(/^must /);
      expect(webhookTargets({ allowLoopback: true }).problem(url)).toBeNull();
    }
  });

  it.each(["https://example.com/hook?a=b", "https://example.com:443/", "https://[2606:4700::1111]/"])(
    "%j may be one",
    (url) => expect(webhookTargets({ allowLoopback: false }).problem(url)).toBeNull(),
  );
});

describe("a name", () => {
  it.each([["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:10.0.0.1"]])(
    "that leads to %s is not dialled",
    async (address) => {
      const before = server.connections();
      const resolve = async () => [{ address, family: address.includes(":") ? 6 : 4 }];
      const post = await receivers({ resolve }).post("https://rebound.example/", {}, "{}");
      expect(post).toEqual({ kind: "refused", reason: "must be on a public address" });
      expect(server.connections()).toBe(before);
    },
  );

  it("that leads elsewhere at the second look is refused then", async () => {
    const addresses = ["127.0.0.1", "169.254.169.254"];
    const resolve = async () => [{ address: addresses.shift()!, family: 4 }];
    const local = receivers({ allowLoopback: true, resolve });
    server.answer = replying(200, { connection: "close" });
    const url = `http://localhost:${server.port}/`;
    expect(await local.post(url, {}, "{}")).toMatchObject({ kind: "answered", status: 200 });
    expect(await local.post(url, {}, "{}")).toMatchObject({ kind: "refused" });
  });
});

it("a redirect is not followed, wherever it leads", async () => {
  const local = receivers({ allowLoopback: true });
  for (const location of ["http://169.254.169.254/", "http://10.0.0.1/", `http://127.0.0.1:${server.port}/other`]) {
    const before = server.received.length;
    server.answer = replying(307, { location });
    expect(await local.post(server.url, {}, "{}")).toMatchObject({ kind: "answered", status: 307 });
    expect(server.received.slice(before).map(({ path }) => path)).toEqual(["/hook"]);
  }
});

it("one host is sent a bounded number at once, by whichever of its names; the rest is put off", async () => {
  const local = receivers({ allowLoopback: true, resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
  const held: (() => void)[] = [];
  server.answer = (_, outgoing) => void held.push(() => outgoing.writeHead(204).end());
  const names = ["localhost", "LOCALHOST.", "localhost."];
  const posts = Array.from({ length: 20 }, (_, i) =>
    local.post(`http://${names[i % names.length]}:${server.port}/hook`, {}, "{}"),
  );
  const putOff = (await Promise.all(posts.slice(16))).map(({ kind }) => kind);
  expect(putOff).toEqual(["deferred", "deferred", "deferred", "deferred"]);
  server.answer = replying(204);
  const release = setInterval(() => {
    for (const answer of held.splice(0)) answer();
  }, 5);
  expect((await Promise.all(posts.slice(0, 16))).every(({ kind }) => kind === "answered")).toBe(true);
  clearInterval(release);
});

it("receivers that were slow hold a small part of a host that they share with others", async () => {
  const local = receivers({ allowLoopback: true });
  const held: (() => void)[] = [];
  server.answer = (_, outgoing) => void held.push(() => outgoing.writeHead(204).end());
  const slow = Array.from({ length: 6 }, () => local.post(server.url, {}, "{}", { slow: true }));
  expect((await Promise.all(slow.slice(4))).map(({ kind }) => kind)).toEqual(["deferred", "deferred"]);
  await until("the others are held", () => held.length === 4);
  server.answer = replying(204);
  expect(await local.post(server.url, {}, "{}")).toMatchObject({ kind: "answered", status: 204 });
  for (const answer of held) answer();
  expect((await Promise.all(slow.slice(0, 4))).map(({ kind }) => kind)).toEqual(Array(4).fill("answered"));
});

it("a host whose receivers fail is not kept from those that share it and answer", async () => {
  const local = receivers({ allowLoopback: true });
  server.answer = (_, outgoing) => void outgoing.destroy();
  for (let i = 0; i < 30; i++)
    expect(await local.post(server.url, {}, "{}")).toMatchObject({ kind: "unanswered", timedOut: false });
  server.answer = replying(204);
  expect(await local.post(server.url, {}, "{}")).toMatchObject({ kind: "answered", status: 204 });
});

it.each<[string, Partial<WebhookReceiverOptions>, Receiver["answer"]]>([
  ["a name that is never resolved", { resolve: () => new Promise(() => {}) }, () => {}],
  ["a head that never comes", {}, () => {}],
  ["a head that comes byte by byte", {}, (_, outgoing) => drip(outgoing.socket!, "HTTP/1.1 200 OK\r\nx: ", "a")],
])("an attempt ends within its time: %s", async (_what, options, answer) => {
  const limits = { headersMs: LONG, bodyMs: LONG, totalMs: NEVER };
  const local = receivers({ allowLoopback: true, limits, ...options });
  server.answer = answer;
  const url = options.resolve ? "https://slow.example/" : server.url;
  expect(await local.post(url, {}, "{}")).toMatchObject({ kind: "unanswered", timedOut: true });
});

it("an answer whose body never ends is taken by its head, and its time ends too", async () => {
  const local = receivers({ allowLoopback: true, limits: FOR_HEADS });
  server.answer = (_, outgoing) =>
    drip(outgoing.socket!, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\na\r\n");
  expect(await local.post(server.url, {}, "{}")).toMatchObject({ kind: "answered", status: 200 });
});

/** Sends the beginning of something, and then a little of the rest again and again until the other side leaves. */
function drip(socket: Socket, beginning: string, rest: string): void {
  socket.write(beginning);
  const timer = setInterval(() => socket.write(rest), 20);
  socket.once("close", () => clearInterval(timer));
}

/** What strangers name is dialled only when the address behind it is public: no connection is ever opened otherwise. */
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { isDiallable, isPublicUrl, publicUrl, RefusedTarget } from "../../clients/http/public-address.ts";
import { openPublicHttp, type PublicHttp, type PublicHttpOptions } from "../../clients/public-http.ts";
import { NEVER } from "../../harness/patience.ts";
import { endedPerTest, perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { words } from "../support/words.ts";
import { plainServer, replying } from "./support/plain-server.ts";

const server = perFile(plainServer);
const ended = endedPerTest();

const client = (options: Partial<PublicHttpOptions> = {}) =>
  ended(openPublicHttp({ userAgent: "test", loopback: false, limits: PATIENT, ...options }));

it.each([
  ["https://a.example/mcp", true, true],
  ["http://169.254.169.254/latest", false, false],
  ["http://10.0.0.1/", false, false],
  ["http://[::1]:3000/", false, true],
  ["http://localhost:4000/x", false, true],
  ["https://a.example:8443/", false, false],
  ["no url", false, false],
])("%s is public: %s, and on a machine of its own: %s", (url, here, locally) =>
  expect([isPublicUrl(url, { loopback: false }), isPublicUrl(url, { loopback: true })]).toEqual([here, locally]),
);

describe("an address", () => {
  it.each([
    ...words(`
      127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
      100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.7 224.0.0.1
      240.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::127.0.0.1
      64:ff9b::7f00:1 2002:7f00:1:: 2001::1 2001:db8::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 fec0::1 ff02::1
      nonsense`),
    "",
  ])("%s is not dialled", (address) => expect(isDiallable(address, { loopback: false })).toBe(false));

  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "::ffff:1.1.1.1"])("%s is", (address) =>
    expect(isDiallable(address, { loopback: false })).toBe(true),
  );

  it("of loopback is dialled where the operator allows it, and nothing else inside", () => {
    const loopback = { loopback: true };
    expect(["127.0.0.1", "::1", "::ffff:127.0.0.1"].map((a) => isDiallable(a, loopback))).toEqual([true, true, true]);
    for (const address of ["169.254.169.254", "10.0.0.1", "0.0.0.0", "fe80::1", "fd00:ec2::254"])
      expect(isDiallable(address, loopback)).toBe(false);
  });
});

/** Every spelling of the inside that a URL can have. PORT is the test server's. */
const INSIDE = [
  ...words(`
    http://127.0.0.1:PORT/ http://127.0.0.1/ http://127.1/ http://127.0.1/ http://2130706433/ http://0x7f000001/
    http://0x7f.1/ http://0177.0.0.1/ http://017700000001/ http://１２７.0.0.1/ http://127。0。0。1/ http://①②⑦.⓪.⓪.①/
    http://0/ http://0.0.0.0/ http://[::1]/ http://[::]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/
    http://[::ffff:10.0.0.1]/ http://[64:ff9b::127.0.0.1]/ http://[2002:7f00:1::]/
    http://169.254.169.254/latest/meta-data/ http://0xa9fea9fe/ http://10.0.0.1/ http://192.168.0.1/
    http://172.16.0.1/ http://100.100.100.200/ http://168.63.129.16/ http://localhost/ http://LOCALHOST./
    http://foo.localhost/ http://metadata.google.internal/ http://printer.local/ http://postgres/
    http://example.com:5432/ http://example.com:22/ http://user:secret@example.com/ http://example.com@127.0.0.1/
    ftp://example.com/ file:///etc/passwd gopher://example.com/ data:text/plain,x javascript:alert(1) //example.com/
    example.com`),
  ...["http://example.com\\@127.0.0.1/", "http://127.0.0.1\t/", ""],
];

describe("a URL", () => {
  it.each(INSIDE)("%j is refused before anything is dialled", async (url) => {
    const before = server.connections();
    await expect(client().request(url.replace("PORT", String(server.port)))).rejects.toBeInstanceOf(RefusedTarget);
    expect(server.connections()).toBe(before);
  });

  it.each(["https://example.com/a?b#c", "http://example.com:80/", "http://1.1.1.1/", "https://[2606:4700::1111]/"])(
    "%j may be dialled",
    (url) => expect(publicUrl(url, { loopback: false }).hostname).not.toBe(""),
  );

  it("outside of the known origins is refused", () => {
    const known = { loopback: false, origins: ["https://gist.githubusercontent.com"] };
    expect(publicUrl("https://gist.githubusercontent.com/a/b", known).pathname).toBe("/a/b");
    for (const url of [
      "http://gist.githubusercontent.com/a",
      "https://gist.githubusercontent.com.evil.example/a",
      "https://gist.githubusercontent.com@evil.example/a",
      "https://githubusercontent.com/a",
    ])
      expect(() => publicUrl(url, known)).toThrow(RefusedTarget);
  });
});

describe("a name", () => {
  it.each([
    [["127.0.0.1"]],
    [["10.0.0.1"]],
    [["169.254.169.254"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    // One public address beside a private one: the socket might take either.
    [["1.1.1.1", "127.0.0.1"]],
    [[]],
  ])("that resolves to %j is refused, and nothing is dialled", async (addresses) => {
    const before = server.connections();
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    await expect(client({ resolve }).request("http://rebound.example/")).rejects.toBeInstanceOf(RefusedTarget);
    expect(server.connections()).toBe(before);
  });

  it("is resolved once for each connection, and what was checked is what is dialled", async () => {
    // A rebinding name: allowed when looked at first, inside at every later look.
    const answers = ["127.0.0.1", "169.254.169.254"];
    let asked = 0;
    const resolve = async () => [{ address: answers[Math.min(asked++, 1)]!, family: 4 }];
    const before = server.connections();
    const http = client({ resolve, loopback: true });
    const url = `http://localhost:${server.port}/`;
    server.answer = replying(200, "{}", { connection: "close" });
    expect(await http.request(url)).toMatchObject({ status: 200 });
    expect([asked, server.connections()]).toEqual([1, before + 1]);
    await expect(http.request(url)).rejects.toBeInstanceOf(RefusedTarget);
    expect([asked, server.connections()]).toEqual([2, before + 1]);
  });
});

it("a redirect is an answer", async () => {
  server.answer = replying(302, "", { location: "http://169.254.169.254/" });
  expect(await client({ loopback: true }).request(server.url)).toMatchObject({ status: 302 });
});

it("nobody is offered HTTP/2, whose streams and tables a stranger could fill", async () => {
  const offered = Promise.withResolvers<string[]>();
  const strict = createTlsServer({
    ALPNCallback({ protocols }) {
      offered.resolve(protocols);
      return undefined;
    },
  });
  await new Promise<void>((listening) => strict.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => void (await new Promise((done) => strict.close(done))));
  const url = `https://127.0.0.1:${(strict.address() as AddressInfo).port}/`;
  await expect(client({ loopback: true }).request(url)).rejects.toThrow();
  expect(await offered.promise).toEqual(["http/1.1"]);
});

it("an endless answer is cut off", async () => {
  server.answer = (_incoming, outgoing) => {
    outgoing.on("error", () => {});
    const write = () => void (outgoing.destroyed || outgoing.write("x".repeat(65_536), () => setImmediate(write)));
    write();
  };
  await expect(client({ loopback: true }).request(server.url, { maxBytes: 100_000 })).rejects.toThrow("100000 bytes");
});

describe("a stream of events", () => {
  const EVENT = "event: message\ndata: 1\n\n";
  const readBy = async (http: PublicHttp, enough: (event: string) => boolean) => {
    const events: string[] = [];
    const onEvent = async (event: string) => {
      events.push(event);
      return enough(event);
    };
    const { text } = await http.request(server.url, { method: "POST", body: "{}", onEvent });
    return { events, text };
  };

  it("is read as it arrives, and left once that is enough, though it stays open", async () => {
    server.answer = (_incoming, outgoing) =>
      void outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(`: hello\n\n${EVENT}`);
    const { events, text } = await readBy(client({ loopback: true }), () => true);
    expect([events, text]).toEqual([["event: message\ndata: 1"], `: hello\n\n${EVENT}`]);
  });

  it("that ends behind its answer keeps its connection for the next request", async () => {
    const before = server.connections();
    server.answer = replying(200, `${EVENT}${EVENT}`, { "content-type": "text/event-stream" });
    const http = client({ loopback: true, connections: 1 });
    for (let i = 0; i < 3; i++) expect((await readBy(http, () => true)).events).toHaveLength(1);
    expect(server.connections()).toBe(before + 1);
  });

  it("that was read is an answer when its time is over; one that said nothing is none", async () => {
    const brief = client({ loopback: true, limits: { ...PATIENT, bodyMs: NEVER } });
    const saying = (text: string) => {
      server.answer = (_incoming, outgoing) =>
        void outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(text);
    };
    saying(EVENT);
    expect(await readBy(brief, () => false)).toMatchObject({ events: [expect.anything()], text: EVENT });
    // What lacks the blank line behind it is no event yet, and is all that comes.
    for (const text of ["event: message\ndata: 1\n", "data: 1", "id: 1\ndata: \n\ndata: 1\n"]) {
      saying(text);
      expect((await readBy(brief, () => false)).text).toBe(text);
    }
    saying(": hello\n\n");
    await expect(readBy(brief, () => false)).rejects.toThrow();
  });

  it("of another type is not read as events", async () => {
    server.answer = replying(200, EVENT);
    expect(await readBy(client({ loopback: true }), () => true)).toEqual({ events: [], text: EVENT });
  });
});

/** The way out through a proxy: own upstreams go through it unless NO_PROXY names them, URLs of strangers only where they shall. */
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHttpFacilitator } from "../../clients/facilitator-http.ts";
import type { Proxies } from "../../clients/http/egress.ts";
import { openHttp } from "../../clients/http.ts";
import { openNodeProbe } from "../../clients/inspect/node-limits.ts";
import { facilitatorKinds, serverDate } from "../../clients/inspect/service.ts";
import { openPublicHttp, RefusedTarget } from "../../clients/public-http.ts";
import { openRpcPool } from "../../clients/rpc/pool.ts";
import { loadConfig } from "../../config/config.ts";
import { RPC_ROLES } from "../../core/operations/rpc-roles.ts";
import { listen } from "../../harness/listen.ts";
import { LONG } from "../../harness/patience.ts";
import { endedPerTest, perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

/** An upstream on another address of this machine, which counts as any other host. */
const upstream = perFile(() =>
  listen((incoming, outgoing) => incoming.resume().on("end", () => outgoing.end(ANSWER)), {
    address: "127.0.0.2",
  }),
);
const proxy = perFile(() =>
  listen(async (incoming, outgoing) => {
    note(new URL(incoming.url!).host, incoming.headers);
    const body = Buffer.concat(await incoming.toArray());
    const { method = "GET" } = incoming;
    const answer = await fetch(incoming.url!, { method, ...(method === "POST" && { body }) });
    outgoing.writeHead(answer.status, { date: answer.headers.get("date")! }).end(await answer.text());
  }),
);
/** What the proxy was asked for. */
const asked: { target: string; authorization: string | undefined }[] = [];
/** The status with which the proxy answers CONNECT. */
let tunnelStatus = 200;
const tunnels = new Set<Socket>();
const later = endedPerTest();

beforeAll(async () => {
  // Whatever name it is asked for, it leads to the upstream: it is the one that resolves names.
  proxy.server.on("connect", (incoming, client: Socket) => {
    note(incoming.url!, incoming.headers);
    client.write(`HTTP/1.1 ${tunnelStatus} whatever\r\n\r\n`);
    if (tunnelStatus !== 200) return client.end();
    const onward = connect(upstream.port, "127.0.0.2");
    for (const [from, to] of [[client, onward] as const, [onward, client] as const]) {
      tunnels.add(from);
      from.on("error", () => to.destroy()).pipe(to);
    }
  });
});
beforeEach(() => {
  asked.length = 0;
  tunnelStatus = 200;
});
afterAll(() => {
  for (const socket of tunnels) socket.destroy();
});

const note = (target: string, headers: Record<string, string | string[] | undefined>) =>
  asked.push({ target, authorization: headers["proxy-authorization"] as string | undefined });
/** An answer that every client can read. */
const ANSWER = JSON.stringify({ jsonrpc: "2.0", id: 0, result: "0x2105", isValid: true, kinds: [] });

const proxies = (direct = ""): Proxies => {
  const withPassword = proxy.url.replace("//", "//agents:p%40ss@");
  return { http: withPassword, https: withPassword, direct };
};

/** One question by each client of own upstreams. */
const CLIENTS: Record<string, (url: string, through: Proxies) => Promise<unknown>> = {
  "HTTP core": (baseUrl, through) =>
    later(openHttp({ userAgent: "test", maxWaitMs: 0, limits: PATIENT, proxies: through }))
      .upstream({ name: "Somewhere", baseUrl, rate: { burst: 9, perSecond: 9 } })
      .ask({ path: "/", statuses: [200], read: ({ json }) => json }),
  "JSON-RPC pool": (url, through) =>
    later(
      openRpcPool({ chainId: 8453, nodes: [{ url, roles: RPC_ROLES }], timeoutMs: LONG, proxies: through }),
    ).request("eth_chainId", []),
  facilitator: (url, through) => later(createHttpFacilitator({ url, timeoutMs: LONG, proxies: through })).verify(ORDER),
  "doctor's node": (url, through) => later(openNodeProbe(url, through)).request("eth_chainId", []),
  "doctor's facilitator": (url, through) => facilitatorKinds(url, undefined, through),
  "doctor's clock": (url, through) => serverDate(url, { proxies: through }),
};
const ZERO = `0x${"00".repeat(20)}` as const;
const NONCE = `0x${"00".repeat(32)}` as const;
const ORDER = {
  authorization: { from: ZERO, to: ZERO, value: 1n, validAfter: 0n, validBefore: 1n, nonce: NONCE },
  token: { address: ZERO, name: "USD Coin", version: "2", chainId: 8453 },
  ...{ signature: "0x" as const, maxTimeoutSeconds: 300, resourceUrl: "https://agents.test/" },
};

describe("an upstream of ours", () => {
  it.each(Object.entries(CLIENTS))(
    "is asked through the proxy by the %s, and directly where NO_PROXY names it",
    async (_, ask) => {
      const { host } = new URL(upstream.url);
      await ask(upstream.url, proxies());
      expect(asked).not.toEqual([]);
      const authorization = `Basic ${Buffer.from("agents:p@ss").toString("base64")}`;
      for (const one of asked.splice(0)) expect(one).toEqual({ target: host, authorization });
      await ask(upstream.url, proxies(`elsewhere.example,${host}`));
      expect(asked).toEqual([]);
    },
  );

  it("is asked by https through a tunnel", async () => {
    tunnelStatus = 403;
    await expect(CLIENTS["HTTP core"]!("https://api.example", proxies())).rejects.toThrow("Somewhere cannot be asked");
    expect(asked.map(({ target }) => target)).toEqual(["api.example:443"]);
  });

  it("on this machine is asked directly", async () => {
    const local = later(await listen((_, outgoing) => outgoing.end(ANSWER)));
    for (const host of ["127.0.0.1", "localhost"])
      await CLIENTS["HTTP core"]!(`http://${host}:${local.port}`, proxies());
    expect(asked).toEqual([]);
  });
});

describe("a URL that a stranger names", () => {
  const publicHttp = (through?: Proxies) =>
    later(
      openPublicHttp({ userAgent: "test", loopback: false, limits: PATIENT, proxies: through, maxWireBytes: 4_000 }),
    );

  it("goes through the proxy only where the operator says so", () => {
    const of = (more: Record<string, string>) => {
      const { proxies, untrustedProxies } = loadConfig({ DATA_DIR: "/nonexistent", ...more });
      return { proxies, untrustedProxies };
    };
    const set = { https_proxy: "http://proxy.example:3128", NO_PROXY: ".corp" };
    const named = { https: set.https_proxy, http: undefined, direct: ".corp" };
    expect(of({ NO_PROXY: ".corp", PROXY_UNTRUSTED: "true" })).toEqual({});
    expect(of(set)).toEqual({ proxies: named });
    expect(of({ ...set, PROXY_UNTRUSTED: "true" })).toEqual({ proxies: named, untrustedProxies: named });
    expect(() => of({ HTTPS_PROXY: "proxy:secret@host" })).toThrow(/^HTTPS_PROXY must be a http: or https:\/\/ URL$/);
  });

  it("is then resolved by the proxy, and read within the same bounds", async () => {
    const answer = await publicHttp(proxies("agent.example")).request("http://agent.example/card.json");
    expect(answer).toMatchObject({ status: 200, text: ANSWER });
    expect(asked.map(({ target }) => target)).toEqual(["agent.example:80"]);
  });

  it("is refused as before where its text names an inner address: the proxy is not asked", async () => {
    for (const url of [
      "http://10.0.0.1/",
      "http://[::1]/",
      "http://localhost/",
      "http://db.internal/",
      "http://169.254.169.254/",
    ])
      await expect(publicHttp(proxies()).request(url), url).rejects.toThrow(RefusedTarget);
    expect(asked).toEqual([]);
  });

  it("is no answer where the proxy refuses it", async () => {
    tunnelStatus = 403;
    await expect(publicHttp(proxies()).request("https://agent.example/")).rejects.toThrow("CONNECT with status 403");
  });
});

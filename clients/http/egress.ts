/** The way out of this machine: connections made directly, or through the proxy that the operator names. */
import type { Socket } from "node:net";
import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { isLoopback } from "./public-address.ts";

export type Proxies = {
  /** URL of the proxy for targets of http, and of https where that has none of its own. */
  http: string | undefined;
  /** URL of the proxy for targets of https. */
  https: string | undefined;
  /** Hosts that are dialled directly, as NO_PROXY lists them. */
  direct: string;
};

/** Local processes, the local stack's simulators among them, are never behind a proxy. */
const ALWAYS_DIRECT = "localhost,127.0.0.1,[::1]";

type ConnectionOptions = Pick<Agent.Options, "connections" | "keepAliveTimeout"> & {
  /** Max milliseconds for a connection to the target, and for one to the proxy. */
  connectMs: number;
};

/** Connections to systems that the operator has configured. @param proxies undefined: all are dialled directly */
export function openEgress(
  { connectMs, ...options }: ConnectionOptions,
  proxies: Proxies | undefined,
): Dispatcher & { destroy(): Promise<void> } {
  const connect = { timeout: connectMs };
  if (!proxies) return new Agent({ ...options, connect });
  return new EnvHttpProxyAgent({
    ...options,
    ...{ connect, connectTimeout: connectMs },
    // Without a value undici would read the environment itself.
    ...{ httpProxy: proxies.http ?? "", httpsProxy: proxies.https ?? "" },
    noProxy: `${ALWAYS_DIRECT},${proxies.direct}`,
  });
}

export type Tunnels = {
  /** @returns a connection to the target, before TLS; null: it is dialled directly */
  open(target: buildConnector.Options): Promise<Socket | null>;
  close(): Promise<void>;
};

/**
 * Connections through a proxy to what untrusted documents name, for a caller that bounds what it reads from each of them.
 * NO_PROXY names inner hosts, which such a document must not reach, so it counts for nothing here.
 */
export function openTunnels({ http, https }: Proxies, connectMs: number): Tunnels {
  const pools = new Map<string, Pool>();
  const poolOf = (proxy: string) => {
    const pool = pools.get(proxy) ?? new Pool(new URL(proxy).origin, { connect: { timeout: connectMs } });
    pools.set(proxy, pool);
    return pool;
  };
  return {
    async open({ protocol, hostname, port }) {
      const proxy = (protocol === "https:" ? https : undefined) ?? http;
      if (proxy === undefined || isLoopback(`http://${hostname}`)) return null;
      const path = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
      const { statusCode, socket } = await poolOf(proxy).connect({
        ...{ path, headers: { host: path, ...authorization(new URL(proxy)) } },
        signal: AbortSignal.timeout(connectMs),
      });
      if (statusCode === 200) return socket as Socket;
      socket.on("error", () => {}).destroy();
      throw new Error(`the proxy ${new URL(proxy).host} answers CONNECT with status ${statusCode}`);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function authorization({ username, password }: URL): { "proxy-authorization"?: string } {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

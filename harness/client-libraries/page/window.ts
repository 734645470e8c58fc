/** What the test may do in the page; the libraries are given, so that one text serves both bundles. */
import type { PrivateKeyAccount } from "viem/accounts";
import { buyBoth, type PayerFactory, type Purchase, register, type Task } from "../pay.ts";

type Hex = `0x${string}`;

export type InPage = {
  /** Pays with a client of this bundle. @param tempoRpcUrl for those who pay there */
  buy(client: string, task: Task, keys: readonly [Hex, Hex], tempoRpcUrl: string): Promise<Purchase>;
  /** Registers the account of the wallet that the browser has (EIP-6963), and pays with it. */
  registerByWallet(task: Task): Promise<{ wallet: string; tokenId: number; agentName: string }>;
  /** Follows the event log, and resolves once the server is heard. */
  follow(url: string, type: string): Promise<void>;
  /** The data of the events of that type so far. */
  events(): unknown[];
  /** Lists the tools of an MCP server and calls one. */
  mcp(url: string, tool: string, args: Record<string, unknown>): Promise<{ tools: string[]; answer: unknown }>;
};

export type McpClient = {
  Client: typeof import("@modelcontextprotocol/client").Client;
  StreamableHTTPClientTransport: typeof import("@modelcontextprotocol/client").StreamableHTTPClientTransport;
};

/** A wallet as pages find it, and how this page pays with it. */
type Found = { name: string; account: PrivateKeyAccount; paying: PayerFactory };

/** A browser's own, which this project's types have not got. */
declare const EventSource: new (
  url: string,
) => {
  addEventListener(type: string, listener: (event: { data: string; lastEventId: string }) => void): void;
  close(): void;
};

/** Puts it where the test finds it. */
export function offer(libraries: {
  clients: Record<string, (account: PrivateKeyAccount, tempoRpcUrl: string) => ReturnType<PayerFactory>>;
  privateKeyToAccount(privateKey: Hex): PrivateKeyAccount;
  mcp: McpClient;
  findWallet?(): Promise<Found>;
}): void {
  const { clients, privateKeyToAccount } = libraries;
  const events: unknown[] = [];
  const page: InPage = {
    buy: (client, task, keys, tempoRpcUrl) =>
      buyBoth((account) => clients[client]!(account, tempoRpcUrl), task, [
        privateKeyToAccount(keys[0]),
        privateKeyToAccount(keys[1]),
      ]),
    registerByWallet: async (task) => {
      const { name: wallet, account, paying } = await libraries.findWallet!();
      const { tokenId, agentName } = await register(await paying(account), task, account);
      return { wallet, tokenId, agentName };
    },
    follow: (url, type) =>
      new Promise((done) => {
        const source = new EventSource(url);
        source.addEventListener("start", () => done());
        source.addEventListener(type, ({ data }) => void events.push(JSON.parse(data)));
      }),
    events: () => events,
    mcp: async (url, tool, args) => {
      const client = new libraries.mcp.Client({ name: "page", version: "1.0.0" });
      await client.connect(new libraries.mcp.StreamableHTTPClientTransport(new URL(url)));
      const { tools } = await client.listTools();
      const { content } = await client.callTool({ name: tool, arguments: args });
      await client.close();
      return { tools: tools.map(({ name }) => name), answer: JSON.parse((content as { text: string }[])[0]!.text) };
    },
  };
  Object.assign(globalThis, page);
}

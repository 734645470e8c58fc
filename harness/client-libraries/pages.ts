/**
 * Pages of another origin in Chromium, with clients that others wrote in them, bundled as any page's are. No proxy or
 * interception is between page and service: it would answer the preflights itself.
 */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build } from "vite";
import { startBrowser } from "../browser.ts";
import { listen } from "../listen.ts";
import type { InPage } from "./page/window.ts";

const BUNDLES = { own: "./page/own.ts", packages: "./packages/page.js" } as const;
/** Of this project's dependencies, or of what is installed in packages/. */
export type Bundle = keyof typeof BUNDLES;

/** No name of this machine's: what the service lets pages of this machine do says nothing about others. */
const NAME = "pages.example";

export type Pages = Awaited<ReturnType<typeof openPages>>;
export type ForeignPage = InPage & { origin: string };

export async function openPages() {
  const scripts = new Map<string, string>();
  const server = await listen((request, response) => {
    const script = scripts.get(request.url ?? "");
    const [type, body] = script ? ["text/javascript", script] : ["text/html", "<!doctype html><title>A page</title>"];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  });
  const origin = `http://${NAME}:${server.port}`;
  // Pages that pay are on https, where more of the browser is open to them.
  const secure = `--unsafely-treat-insecure-origin-as-secure=${origin}`;
  const browser = await startBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`, secure]);

  async function open(bundle: Bundle, prepare?: (page: Page) => Promise<unknown>): Promise<ForeignPage> {
    const script = `/${bundle}.js`;
    if (!scripts.has(script))
      scripts.set(script, await bundled(fileURLToPath(new URL(BUNDLES[bundle], import.meta.url))));
    const page = await browser.newPage();
    await prepare?.(page);
    let errors: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    page.on("pageerror", ({ message }) => void errors.push(message));
    await page.goto(origin);
    await page.addScriptTag({ url: script, type: "module" });
    const call =
      (name: keyof InPage) =>
      async (...args: unknown[]) => {
        errors = [];
        try {
          return await page.evaluate(callByName, { name, args });
        } catch (error) {
          // The browser reports what CORS refused on its console, not to the page.
          throw new Error([(error as Error).message.split("\n")[0], ...errors].join("; "), { cause: error });
        }
      };
    const names = ["buy", "registerByWallet", "follow", "events", "mcp"] as const;
    return { origin, ...Object.fromEntries(names.map((name) => [name, call(name)])) } as never;
  }
  const opened = new Map<Bundle, Promise<ForeignPage>>();
  return {
    /** Of Chromium. */
    version: browser.version(),
    /** A page of its own, after `prepare` has given it something. */
    open,
    /** One for all who need no other. */
    of(bundle: Bundle): Promise<ForeignPage> {
      const page = opened.get(bundle) ?? open(bundle);
      opened.set(bundle, page);
      return page;
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Run in the page. */
const callByName = ({ name, args }: { name: string; args: unknown[] }) =>
  (globalThis as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);

/** One script with everything in it. */
async function bundled(entry: string): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      minify: false,
      target: "esnext",
      rolldownOptions: { input: entry, output: { codeSplitting: false } },
    },
  });
  const [result] = [made].flat() as { output: { code?: string }[] }[];
  return result!.output.find(({ code }) => code !== undefined)!.code!;
}

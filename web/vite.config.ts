/** Build of the web terminal: hashed file names, no inline code, each file compressed once at build time. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { guides } from "./guides.ts";

/** Min bytes for a compressed copy; below, it saves less than a packet. */
const LEAST_BYTES = 1024;

/** Writes `.br` and `.gz` beside every text file, so that the API compresses nothing while it answers. */
const compressed: Plugin = {
  name: "compressed-copies",
  apply: "build",
  // Runs after the write: in earlier hooks Vite still fills in the file names of chunks.
  writeBundle({ dir }, bundle) {
    for (const fileName of Object.keys(bundle)) {
      if (!/\.(js|css|svg)$/.test(fileName)) continue;
      const path = join(dir!, fileName);
      const source = readFileSync(path);
      if (source.length < LEAST_BYTES) continue;
      writeFileSync(`${path}.br`, brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      writeFileSync(`${path}.gz`, gzipSync(source, { level: 9 }));
    }
  },
};

/** A computed text that may be a key: `a.${b}`. */
const COMPUTED = /(?<=(say\(|k=\{)?)(`[a-z]+\.(?:[\w.-]|\$\{[^}]*\})+`)/g;
/** A key as a text of its own, perhaps as the value of an element's attribute; not the name of a property. */
const WHOLE = /(?<=(\w=)?)"([a-z]+\.[\w.-]+)"(?!:)/g;

/**
 * Puts each message where its key stands, so that a view loads its own words and no others. A computed key gets the table
 * of the messages that it may name, wherever it stands; in a text of the same shape that is no key, that costs bytes and changes nothing.
 */
function inlineMessages(): Plugin {
  const folder = join(import.meta.dirname, "src");
  let messages: Record<string, unknown> = {};
  /** The messages whose keys have the shape of a template; null when there are none. */
  const tableOf = (template: string) => {
    const shape = template
      .slice(1, -1)
      .replaceAll(".", "\\.")
      .replaceAll(/\$\{[^}]*\}/g, "[\\w-]+");
    const shaped = Object.entries(messages).filter(([key]) => new RegExp(`^${shape}$`).test(key));
    return shaped.length === 0 ? null : JSON.stringify(Object.fromEntries(shaped));
  };
  return {
    name: "inline-messages",
    apply: "build",
    enforce: "pre",
    async buildStart() {
      messages = (await import("./src/messages.ts")).MESSAGES;
    },
    transform(code: string, id: string) {
      if (!id.startsWith(folder)) return;
      if (id.endsWith("/messages.ts")) return { code: "export const MESSAGES = {};", map: null };
      const inlined = code
        .replace(COMPUTED, (_, said: string | undefined, template: string) => {
          const table = tableOf(template);
          if (said && !table) throw new Error(`no message has a key like ${template}`);
          return table ? `((${table})[${template}] ?? ${template})` : template;
        })
        .replace(WHOLE, (text, attribute: string | undefined, key: string) => {
          if (!(key in messages)) return text;
          const message = JSON.stringify(messages[key]);
          return attribute ? `{${message}}` : message;
        });
      return { code: inlined, map: null };
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [guides, inlineMessages(), react(), compressed],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // No data: URLs: the page's policy lets fonts and scripts come from this origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // One file instead of many small ones, which compress badly; it changes with the packages only, so that a new
        // release leaves it in the browsers' caches.
        codeSplitting: {
          groups: [
            {
              name: "packages",
              priority: 2,
              test: /node_modules\/(react|react-dom|scheduler|@tanstack|wouter|use-sync-external-store|regexparam)\//,
            },
            { name: "base", priority: 1, tags: ["$initial"] },
          ],
        },
      },
    },
  },
  // `vite` alone is a development server before a running API.
  server: { proxy: { "/api": "http://localhost:4000" } },
});

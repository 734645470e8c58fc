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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [guides, react(), compressed],
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

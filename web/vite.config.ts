/** How the web terminal is built: hashed file names, everything in files of our own, each compressed once at build time. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Below this a compressed copy saves less than a packet. */
const LEAST_BYTES = 1024;

/** Writes `.br` and `.gz` beside every text file, so that the API compresses nothing while it answers. */
const compressed: Plugin = {
  name: "compressed-copies",
  apply: "build",
  enforce: "post",
  generateBundle(_, bundle) {
    for (const [fileName, file] of Object.entries(bundle)) {
      if (!/\.(js|css|svg|html)$/.test(fileName)) continue;
      const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
      if (source.length < LEAST_BYTES) continue;
      const br = brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
      this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: br });
      this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // No data: URLs: the page's policy lets fonts and scripts come from this origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `vite` alone is a development server before a running API.
  server: { proxy: { "/api": "http://localhost:4000" } },
});

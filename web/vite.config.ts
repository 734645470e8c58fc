/** Build of the web terminal: hashed file names, no inline code, each file compressed once at build time. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { Resvg } from "@resvg/resvg-js";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { bodies } from "./bodies.ts";
import { guides } from "./guides.ts";

/** For a compressed copy. */
const LEAST_BYTES = 512;

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

/** Writes the files of each view, by the shape of its paths: the page of an address begins to load them before any script runs. */
const views: Plugin = {
  name: "views",
  apply: "build",
  writeBundle({ dir }, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    const reached = (fileName: string, known = new Set<string>()): Set<string> => {
      if (known.has(fileName)) return known;
      known.add(fileName);
      for (const one of chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []) reached(one, known);
      return known;
    };
    const first = reached(chunks.find(({ isEntry }) => isEntry)!.fileName);
    const app = readFileSync(join(import.meta.dirname, "src/app.tsx"), "utf8");
    const filesOf = (shape: string, paths: string[]) => {
      const all = paths.flatMap((path) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/web/src${path}`));
        if (!chunk) throw new Error(`The view of ${shape} has no file: ${path}`);
        return [...reached(chunk.fileName)];
      });
      return { shape, files: [...new Set(all)].filter((one) => !first.has(one)) };
    };
    const routes = [...app.matchAll(/\["([^"]+)", \(\) => import\("\.([^"]+)"\)/g)];
    const files = [
      // An operation is a part of its view that comes when it is shown.
      filesOf("/docs/[^/]+", ["/docs/page.tsx", "/docs/operation.tsx"]),
      ...routes.map(([, shape, path]) => filesOf(shape!, [path!])),
    ];
    writeFileSync(join(dir!, "views.json"), JSON.stringify(files));
  },
};

/** Pixels of the icons that browsers ask for at a fixed path. */
const ICONS = { "favicon.ico": 32, "apple-touch-icon.png": 180 };

/** Draws the icon for readers that take no SVG. */
const icons: Plugin = {
  name: "icons",
  apply: "build",
  writeBundle({ dir }) {
    const svg = readFileSync(join(import.meta.dirname, "icon.svg"), "utf8");
    for (const [name, pixels] of Object.entries(ICONS)) {
      const png = new Resvg(svg, { fitTo: { mode: "width", value: pixels } }).render().asPng();
      writeFileSync(join(dir!, "assets", name), name.endsWith(".ico") ? icoOf(png, pixels) : png);
    }
  },
};

/** An ICO file with one PNG: a header of 6 bytes, an entry of 16, and the picture. */
function icoOf(png: Buffer, pixels: number): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(pixels, 6);
  head.writeUInt8(pixels, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [bodies, guides, react(), compressed, icons, views],
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
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(query-core|react-query)|wouter|use-sync-external-store|regexparam)\//,
            },
            // With the shell comes what the directory shares with other views: one file instead of ten. What opens on a
            // click or a key is in files of its own.
            {
              name: "base",
              priority: 1,
              test: /web\/src\/(parts\/(button|copy|cred|evidence|out-link|panel|row-badges|states)|shell\/(?!palette-list|api-calls|keyboard-help|suggestion-list)|media|compare\/bar|directory\/(facets|source|view))\b/,
            },
            { name: "base", priority: 1, tags: ["$initial"] },
            { name: "event-stream", test: /node_modules\/eventsource-parser\// },
            // Else they lie with the first view that hashes, which everyone would load who connects a wallet.
            { name: "sha3", priority: 1, test: /node_modules\/@noble\/hashes\/(sha3|utils|_u64)\b/ },
            // What several views share, in a few files: each file is a part of a round trip, which a phone waits for.
            { name: "form", test: /web\/src\/parts\/form/, minShareCount: 3 },
            { name: "wallet", test: /web\/src\/(wallet\/|parts\/typed)/, minShareCount: 3 },
            { name: "evidence", test: /web\/src\/(api|parts|people)\//, minShareCount: 3 },
            { name: "signals", test: /core\/(signals\/|cred\/cred\.)|agent\/radar|open-points/, minShareCount: 2 },
            { name: "history", test: /web\/src\/agent\/(history|timeline)/ },
            { name: "manage", test: /web\/src\/manage\/(?!profile-fields)/, minShareCount: 3 },
            { name: "rows", test: /web\/src\/directory\/(cells|filters|live|rows|tools)/ },
          ],
        },
      },
    },
  },
  // `vite` alone is a development server before a running API.
  server: { proxy: { "/api": "http://localhost:4000" } },
});

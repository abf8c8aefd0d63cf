# One image, two commands: `node … dist/api/main.js` (the default) and `node … dist/indexer/main.js`.
# The indexer's Ponder compiles its own sources, so those are in dist/ too (.ci/build).

ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
# Ponder writes a directory and a file beside its configuration, so that the rest can be read-only: all else is root's, and
# this user can only read it.
RUN cd dist/indexer/ponder && mkdir -p .ponder && chown node:node .ponder && ln -sf /tmp/ponder-env.d.ts ponder-env.d.ts
USER node
EXPOSE 3000
CMD ["node", "--disable-warning=ExperimentalWarning", "--enable-source-maps", "dist/api/main.js"]

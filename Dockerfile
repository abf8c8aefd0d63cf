# One image, two commands: `node … dist/api/main.js` (the default) and `node … dist/indexer/main.js`.
# The indexer's Ponder compiles its own sources, so dist/ contains them too (.ci/build).
#
# The base image is a tag, whose content can change. To pin it, run `docker buildx imagetools inspect node:22-bookworm-slim`, which
# prints the current digest. Build with `--build-arg NODE_IMAGE=node@sha256:…`, and update the digest by hand or with a bot.
# /app/sbom.json (CycloneDX) lists the packages of the image.
#
# compose.yaml and docs/ops/kubernetes define the health checks, because the two processes use different ports and one HEALTHCHECK
# here would have to work for both.

ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && rm -r dist/client

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY .ci/write-sbom.mjs .ci/
RUN npm ci --omit=dev && npm run --silent sbom > sbom.json

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=packages /app/package.json /app/sbom.json ./
# Ponder writes only a directory and a file next to its configuration. All other files belong to root, and this user can only read
# them, so the rest can be read-only.
RUN cd dist/indexer/ponder && mkdir -p .ponder && chown 1000:1000 .ponder && ln -sf /tmp/ponder-env.d.ts ponder-env.d.ts
# The user `node` of the base image, as a number, so that Kubernetes can check that it is not root.
USER 1000:1000
EXPOSE 3000
CMD ["node", "--disable-warning=ExperimentalWarning", "--enable-source-maps", "dist/api/main.js"]

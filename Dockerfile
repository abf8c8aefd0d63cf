# One image, two commands: `node … dist/api/main.js` (the default) and `node … dist/indexer/main.js`.
# The indexer's Ponder compiles its own sources, so those are in dist/ too (.ci/build).
#
# The base is a tag, which can be given other bytes. To pin it: `docker buildx imagetools inspect node:22-bookworm-slim` says
# the digest of what the tag is now; build with `--build-arg NODE_IMAGE=node@sha256:…`, and raise it by hand or by a bot.
# Which packages are in the image says /app/sbom.json (CycloneDX).
#
# Whether a container is well, compose.yaml and docs/ops/kubernetes ask at its process's own port: one HEALTHCHECK here would
# have to serve both.

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
COPY .ci/write-sbom.mjs .ci/
RUN npm ci --omit=dev && npm run --silent sbom > sbom.json

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=packages /app/package.json /app/sbom.json ./
# Ponder writes a directory and a file beside its configuration, so that the rest can be read-only: all else is root's, and
# this user can only read it.
RUN cd dist/indexer/ponder && mkdir -p .ponder && chown 1000:1000 .ponder && ln -sf /tmp/ponder-env.d.ts ponder-env.d.ts
# `node` of the base. A number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000
CMD ["node", "--disable-warning=ExperimentalWarning", "--enable-source-maps", "dist/api/main.js"]

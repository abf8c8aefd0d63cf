# One image, two commands: `node … dist/api/main.js` (the default) and `node … dist/indexer/main.js`.
# The indexer's Ponder compiles its own sources, so those are in dist/ too (.ci/build).

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
# Ponder writes beside its configuration; everything else is root's, and this user can only read it.
RUN chown -R node:node dist/indexer/ponder
USER node
EXPOSE 3000
CMD ["node", "--disable-warning=ExperimentalWarning", "--enable-source-maps", "dist/api/main.js"]

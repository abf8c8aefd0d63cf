/**
 * Builds the client's npm package in `client/` below the given directory, dist/ by default; `npm run pack:client` also
 * packs the package.
 *
 * Each of ENTRIES is an import path of the package. Everything is bundled, so that the package has no dependencies. The
 * library runs in Node, browsers and workers, so it must not import modules of Node.
 */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'api/client')
const target = resolve(root, process.argv[2] ?? 'dist', 'client')
const types = join(target, 'types')

/** The modules with an import path. Removing one is a breaking change of the package. */
const ENTRIES = [
  ...['client', 'api-error', 'paginate', 'follow-charge', 'wait-for-charge', 'listen', 'verify-webhook'],
  'export-entries',
  ...['check-address', 'read-checked-charge', 'check-authorization', 'pay-by-signature', 'pay-with-swap'],
  ...['read-evidence-pages', 'verify-evidence', 'evidence-error'],
  'request-refund',
]
const COMMANDS = {
  svc: 'svc',
  'svc-verify-address': 'verify-address',
  'svc-verify-payment': 'verify-payment',
}

/** Packages whose types our declarations use, each with the declaration file to copy. */
const TYPED_PACKAGES = { 'openapi-fetch': 'index.d.mts', 'openapi-typescript-helpers': 'index.d.ts' }

/**
 * Drops tldts where it is not used. The manifest of tldts lacks `sideEffects: false`, so esbuild would keep its list of
 * public suffixes, a tenth of the package.
 */
const PURE_PACKAGES = {
  name: 'pure-packages',
  setup({ onResolve, resolve: resolvePath }) {
    onResolve({ filter: /^tldts$/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData?.isResolved) return undefined
      const found = await resolvePath(path, { ...from, pluginData: { isResolved: true } })
      return { ...found, sideEffects: false }
    })
  },
}

rmSync(target, { recursive: true, force: true })
const library = await bundle(ENTRIES, {
  outbase: source,
  platform: 'neutral',
  // Minified, because the tarball may have at most 500 kB. Names are kept, because users read them in stack traces.
  minify: true,
  keepNames: true,
  // Without this condition, viem's WebSocket client imports `ws`, which needs Node.
  conditions: ['browser'],
  mainFields: ['module', 'main'],
  // The entry of `debug` chooses between its files for Node and for browsers at run time, so both would be bundled, and
  // the files for Node import modules of Node.
  alias: { debug: 'debug/src/browser.js' },
})
const commands = await bundle(
  Object.values(COMMANDS).map((name) => `commands/${name}`),
  {
    outbase: join(source, 'commands'),
    outdir: join(target, 'bin'),
    platform: 'node',
    // No code imports the commands, so their names need not be readable.
    minify: true,
    banner: {
      // The second line defines `require` for ajv and ws, which are CommonJS.
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  },
)
for (const name of Object.values(COMMANDS)) chmodSync(join(target, `bin/${name}.js`), 0o755)
writeTypes()
writeManifest()
writeLicenses([...listBundled(library), ...listBundled(commands)])
copyFileSync(join(source, 'package-readme.md'), join(target, 'README.md'))
copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
// Merchants who need this document might have only the package.
copyFileSync(join(root, 'docs/leaving.md'), join(target, 'leaving.md'))

/** Returns the paths of the modules whose code is part of a bundle. */
function listBundled({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  )
}

async function bundle(names, options) {
  const { metafile } = await build({
    entryPoints: names.map((name) => join(source, `${name}.ts`)),
    outdir: target,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [PURE_PACKAGES],
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    absWorkingDir: root,
    ...options,
  })
  return metafile
}

/** Writes the declarations of the entries and of all files that they import. */
function writeTypes() {
  const emitted = emitDeclarations()
  const waiting = ENTRIES.map((name) => join(types, `api/client/${name}.d.ts`))
  const written = new Set()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (written.has(path)) continue
    written.add(path)
    const text = emitted.get(path)
    if (text === undefined) throw new Error(`no declarations were emitted for ${relative(types, path)}`)
    writeText(path, pointToDeclarations(text, path))
    const names = listImports(text).map(({ fileName }) => fileName)
    const ours = names.filter((name) => name.startsWith('.'))
    waiting.push(...ours.map((name) => resolve(dirname(path), name.replace(/\.ts$/, '.d.ts'))))
  }
  for (const [name, file] of Object.entries(TYPED_PACKAGES)) {
    const path = join(types, `${name}.d.ts`)
    const text = readFileSync(join(root, 'node_modules', name, 'dist', file), 'utf8')
    writeText(path, pointToDeclarations(text, path))
  }
}

/** Returns the text of each declaration file by its absolute path below `types`. */
function emitDeclarations() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), (path) =>
    readFileSync(path, 'utf8'),
  )
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const names = ENTRIES.map((name) => join(source, `${name}.ts`))
  const emitted = new Map()
  ts.createProgram(names, { ...options, declaration: true, emitDeclarationOnly: true, outDir: types }).emit(
    undefined,
    (path, text) => emitted.set(resolve(path), text),
  )
  return emitted
}

/**
 * Makes the imports of a declaration file point to the package's declarations. The compiler keeps `.ts` in imports, and
 * the types of other packages are copied next to ours.
 */
function pointToDeclarations(text, path) {
  // Begins with the last import, so that the positions of earlier imports stay valid.
  return listImports(text).reduceRight(
    (rest, { fileName, pos: quote }) =>
      rest.slice(0, quote + 1) + findDeclarations(fileName, path) + rest.slice(quote + 1 + fileName.length),
    text,
  )
}

function findDeclarations(name, importer) {
  if (name.startsWith('.')) return name.replace(/\.ts$/, '.js')
  if (!(name in TYPED_PACKAGES)) throw new Error(`${relative(types, importer)} needs the types of ${name}`)
  const place = relative(dirname(importer), join(types, `${name}.js`))
  return place.startsWith('.') ? place : `./${place}`
}

function listImports(text) {
  return ts.preProcessFile(text).importedFiles
}

function writeManifest() {
  const { version, license, engines } = readJson(join(root, 'package.json'))
  const entry = (name) => ({ types: `./types/api/client/${name}.d.ts`, default: `./${name}.js` })
  const [main, ...others] = ENTRIES
  const manifest = {
    name: 'stablecoin-payment-client',
    version,
    description: 'Typed client of the stablecoin payment service, with its command line',
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: {
      '.': entry(main),
      ...Object.fromEntries(others.map((name) => [`./${name}`, entry(name)])),
      './api-types': { types: './types/api/client/api-types.d.ts' },
      './package.json': './package.json',
    },
    bin: Object.fromEntries(Object.entries(COMMANDS).map(([name, file]) => [name, `bin/${file}.js`])),
  }
  writeText(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Writes the licenses of the bundled packages, because these licenses require a copy of their text. */
function writeLicenses(inputs) {
  const bundled = inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
  const names = new Set([...bundled.filter((name) => name !== undefined), ...Object.keys(TYPED_PACKAGES)])
  const texts = [...names].toSorted((a, b) => a.localeCompare(b)).map(describeLicense)
  writeText(join(target, 'THIRD-PARTY.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

function describeLicense(name) {
  const folder = join(root, 'node_modules', name)
  const { version, license } = readJson(join(folder, 'package.json'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text =
    file === undefined ? '(the package contains no license file)' : readFileSync(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function writeText(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

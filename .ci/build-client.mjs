/**
 * Builds the client's npm package in dist/client: `npm run pack:client` packs it.
 *
 * Each file of ENTRIES is an import path of the package; its declarations and those they reach are copied beside it. The
 * library contains no module of Node. Everything is bundled, so the package has no dependencies.
 */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'api/client')
const target = join(root, 'dist/client')

/** Removing one is a breaking change of the package. */
const ENTRIES = [
  ...['client', 'api-error', 'paginate', 'follow-charge', 'wait-for-charge', 'listen', 'verify-webhook'],
  ...['check-address', 'read-checked-charge', 'check-authorization', 'pay-by-signature', 'pay-with-swap'],
]
const COMMANDS = { svc: 'svc', 'svc-verify-address': 'verify-address' }

/** Packages whose types are part of ours. */
const TYPES = { 'openapi-fetch': 'index.d.mts', 'openapi-typescript-helpers': 'index.d.ts' }

rmSync(target, { recursive: true, force: true })
const library = await bundle(ENTRIES, source, {
  platform: 'neutral',
  conditions: ['browser'],
  mainFields: ['module', 'main'],
})
const commands = await bundle(Object.values(COMMANDS), join(source, 'commands'), {
  platform: 'node',
  outdir: join(target, 'bin'),
  minifySyntax: true,
  minifyWhitespace: true,
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
writeDeclarations()
writeManifest()
copyFileSync(join(source, 'package-readme.md'), join(target, 'README.md'))
copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
writeLicences([...Object.keys(library.inputs), ...Object.keys(commands.inputs)])
for (const name of Object.values(COMMANDS)) chmodSync(join(target, `bin/${name}.js`), 0o755)

async function bundle(names, folder, options) {
  const { metafile } = await build({
    entryPoints: names.map((name) => join(folder, `${name}.ts`)),
    outdir: target,
    outbase: folder,
    chunkNames: 'chunks/[name]-[hash]',
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

/** Declarations name TypeScript sources and packages; in the package both are declarations beside them. */
function writeDeclarations() {
  const types = join(target, 'types')
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  )
  const written = new Map()
  const names = ENTRIES.map((name) => join(source, `${name}.ts`))
  const program = ts.createProgram(names, {
    ...options,
    declaration: true,
    emitDeclarationOnly: true,
    sourceMap: false,
    outDir: types,
  })
  program.emit(undefined, (path, text) => written.set(resolve(path), text))
  // The types of the API are a declaration file already.
  const reach = (path) => {
    const text = written.get(path)
    if (text === undefined) throw new Error(`${relative(root, path)} has no declarations`)
    written.delete(path)
    writeText(path, redirect(text, path))
    for (const [, name] of text.matchAll(/['"](\.[^'"]+)\.ts['"]/g)) {
      const next = resolve(dirname(path), `${name}.d.ts`)
      if (written.has(next)) reach(next)
    }
  }
  for (const name of ENTRIES) {
    const path = join(types, `api/client/${name}.d.ts`)
    if (written.has(path)) reach(path)
  }
  for (const [name, file] of Object.entries(TYPES)) {
    const path = join(types, `${name}.d.ts`)
    writeText(path, redirect(readFileSync(join(root, 'node_modules', name, 'dist', file), 'utf8'), path))
  }
}

function redirect(text, path) {
  return text
    .replace(/(from '|import\(")(\.[^'"]+)\.ts(['"])/g, '$1$2.js$3')
    .replace(/(from ['"]|import\(["'])([a-z][^'"]*)(['"])/g, (whole, before, name, after) => {
      if (!(name in TYPES)) throw new Error(`${relative(root, path)} needs the types of ${name}`)
      const place = relative(dirname(path), join(target, 'types', `${name}.js`))
      return `${before}${place.startsWith('.') ? place : `./${place}`}${after}`
    })
}

function writeManifest() {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entry = (name) => ({ types: `./types/api/client/${name}.d.ts`, default: `./${name}.js` })
  const manifest = {
    name: 'stablecoin-payment-client',
    version,
    description: 'Typed client of the stablecoin payment service, with its command line',
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: {
      '.': entry('client'),
      ...Object.fromEntries(ENTRIES.slice(1).map((name) => [`./${name}`, entry(name)])),
      './api-types': { types: './types/api/client/api-types.d.ts' },
      './package.json': './package.json',
    },
    bin: Object.fromEntries(Object.entries(COMMANDS).map(([name, file]) => [name, `bin/${file}.js`])),
  }
  writeText(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Their licences require a copy of the text in each distribution. */
function writeLicences(inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  for (const name of Object.keys(TYPES)) packages.add(name)
  const texts = [...packages].toSorted().map((name) => {
    const folder = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    if (file === undefined && license !== 'MIT') throw new Error(`${name} has no licence file`)
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  writeText(join(target, 'THIRD-PARTY.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

function writeText(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Answers a file of JavaScript that does what one of our programs does, made of the sources as they are now.
 *
 * With its packages it is one file, because a process that starts mostly reads modules: a command that works with viem computes
 * for 0.2 s before it does anything, 0.65 s from the modules of the build, 1.5 s through tsx; a node of TRON 0.6 s, not 2.8
 * (2026-11-23). It is made when the program is first asked for, in a second of computing, and lives as long as this process.
 *
 * @param file - in the repository, such as `indexer/commands/keys.ts`
 */
export async function compiled(file: string): Promise<string> {
  const known = programs.get(file) ?? bundle(file)
  programs.set(file, known)
  return known
}

const programs = new Map<string, Promise<string>>()

/** Set by the first program. */
let directory: string | undefined

async function bundle(file: string): Promise<string> {
  directory ??= prepare()
  const outfile = join(directory, file.replace(/\.ts$/, '.mjs'))
  await build({
    ...{ absWorkingDir: REPOSITORY, entryPoints: [file], outfile, plugins: [staysWhereItIs] },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' },
    // Packages in CommonJS ask for Node's own modules by `require`, which a module of ECMAScript lacks.
    banner: {
      js: `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(${JSON.stringify(import.meta.url)})`,
    },
  })
  return outfile
}

function prepare(): string {
  const target = mkdtempSync(join(tmpdir(), 'compiled-'))
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  return target
}

/** What a source reads beside itself, migrations say, it finds there from the bundle, too. */
const staysWhereItIs: Plugin = {
  name: 'stays where it is',
  setup: (building) => {
    building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return null
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      return { contents, loader: 'ts' }
    })
  },
}

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { fileOf, type Mutant } from '../../mutation/mutant.ts'
import { MUTANTS } from '../../mutation/mutants.ts'
import { listTransitions } from './count-transitions.ts'
import { instrumentFile, type Numbered } from './instrument-file.ts'
import type { Marker } from './marker.ts'

const repository = resolve(import.meta.dirname, '../../..')

/** The product with its markers. */
export type Instrumentation = {
  readonly markers: readonly Marker[]
  /** The compiled code of each file with markers, by URL. */
  readonly sources: readonly (readonly [string, string])[]
}

/** The functions that derive a decision from the nodes' reports. Each branch of each condition has a marker. */
const DECISION = { path: 'shared/chain/nodes/quorum.ts', functions: ['findVerdict', 'findDeciders'] }

/** Whether the simulator's workers load the mutant's file as TypeScript. */
export function isLoaded(mutant: Pick<Mutant, 'at'>): boolean {
  return /^(indexer|machines|shared)\/.*\.ts$/.test(fileOf(mutant))
}

/**
 * Places a marker at each rule of the mutants' table, each branch of the quorum decision, and each transition of the
 * machines. The product's files are not changed, because workers load the instrumented code instead.
 *
 * @throws {Error} if the place of a rule does not exist
 */
export function instrumentProduct(rows: readonly Omit<Mutant, 'test'>[] = MUTANTS): Instrumentation {
  const loaded = rows.filter(isLoaded)
  const markers: Marker[] = loaded.map(({ rule, at }) => ({ name: rule, at, counts: 'executions' }))
  const sources = [...new Set([...loaded.map(fileOf), DECISION.path])].map((path) => {
    const numbered = loaded.flatMap((mutant, index): readonly Numbered[] =>
      fileOf(mutant) === path ? [{ index, mutant }] : [],
    )
    const text = readFileSync(join(repository, path), 'utf8')
    const branches = path === DECISION.path ? { functions: DECISION.functions, from: markers.length } : null
    const { code, placed, unplaced, named } = instrumentFile(path, { text, mutants: numbered, branches })
    for (const [index, { counts }] of placed)
      if (markers[index]) markers[index] = { ...markers[index], counts }
    for (const index of unplaced)
      if (markers[index]) markers[index] = { ...markers[index], counts: 'nothing' }
    for (const name of named) markers.push({ name, at: path, counts: 'decisions' })
    return [pathToFileURL(join(repository, path)).href, compile(path, code)] as const
  })
  for (const name of listTransitions()) markers.push({ name, at: 'machines', counts: 'executions' })
  return { markers, sources }
}

function compile(path: string, code: string): string {
  const options = {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: path,
    sourcemap: 'inline',
  } as const
  return transformSync(code, options).code
}

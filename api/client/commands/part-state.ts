import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import type { ExportQuery } from '../split-entries.ts'

/** The export to which a part file (`FILE.part`) belongs. */
export type PartState = {
  readonly query: ExportQuery
  /** `null` before the first response. */
  readonly recordedUntil: string | null
}

/** Returns the path of the state file of a part file. */
export function toStatePath(part: string): string {
  return `${part}.json`
}

/**
 * Reads the state of the part file of an interrupted run, or creates the state of a new one.
 *
 * @throws {CommandError} if the part file belongs to another export, or its export is unknown
 */
export function openPartState(part: string, query: ExportQuery): PartState {
  if (!existsSync(part)) {
    const begun = { query, recordedUntil: null }
    writePartState(part, begun)
    return begun
  }
  const state = readPartState(part)
  const problem = state === null ? 'belongs to an unknown export' : findDifference(state.query, query)
  if (state !== null && problem === null) return state
  throw new CommandError(`${part} ${problem}: delete it, or choose another --output`)
}

export function writePartState(part: string, state: PartState): void {
  writeFileSync(toStatePath(part), `${JSON.stringify(state)}\n`)
}

function readPartState(part: string): PartState | null {
  const path = toStatePath(part)
  if (!existsSync(path)) return null
  try {
    const { query, recordedUntil } = JSON.parse(readFileSync(path, 'utf8')) as Partial<PartState>
    return query === undefined ? null : { query, recordedUntil: recordedUntil ?? null }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const OPTIONS = ['from', 'to', 'format', 'timezone', 'columns', 'recordedSince', 'recordedUntil'] as const

function findDifference(begun: ExportQuery, wanted: ExportQuery): string | null {
  const option = OPTIONS.find((name) => begun[name] !== wanted[name])
  if (option === undefined) return null
  return `belongs to another export, with ${option} ${begun[option] ?? 'not given'} instead of ${wanted[option] ?? 'not given'}`
}

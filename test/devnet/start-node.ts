import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { compiled } from './compiled.ts'
import { startProgram } from './processes.ts'
import { waitFor } from './wait-for.ts'

/** A Node process that reads TypeScript needs a second or two; a busy machine more. */
const START_TIMEOUT_MS = 60_000

/** A local node of ours that listens, in a process of its own. */
export type StartedNode = {
  readonly url: string
  readonly pid: number
  /** What it had written when it began to listen. */
  readonly output: string
  /** It keeps nothing: there is nothing to end gracefully. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a program of ours that says `Listening on 127.0.0.1:…`, and returns when it does.
 *
 * @param options - `main` is its source, such as `test/devnet/tron/main.ts`; `directory` holds its log, `<name>.log`
 */
export async function startNode(options: {
  readonly name: string
  readonly main: string
  readonly args: readonly string[]
  readonly directory: string
}): Promise<StartedNode> {
  const { name, main, args, directory } = options
  const logFile = join(directory, `${name}.log`)
  const node = startProgram({
    name,
    command: process.execPath,
    args: [await compiled(main), ...args],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: resolve(import.meta.dirname, '../..'),
    logFile,
  })
  try {
    const output = await waitFor(async () => (node.hasEnded() ? 'none' : readStart(logFile)), {
      what: `${name} to listen (see ${logFile})`,
      timeoutMs: START_TIMEOUT_MS,
    })
    const port = portIn(output)
    if (port === undefined) throw new Error(`${name} ended before it listened (see ${logFile})`)
    return { url: `http://127.0.0.1:${port}`, pid: node.pid, output, stop: () => node.kill() }
  } catch (error) {
    await node.kill()
    throw error
  }
}

async function readStart(logFile: string): Promise<string | undefined> {
  const output = await readFile(logFile, 'utf8')
  return portIn(output) === undefined ? undefined : output
}

function portIn(output: string): string | undefined {
  return /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
}

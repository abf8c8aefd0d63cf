import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { compiled } from './compiled.ts'
import { startProgram } from './processes.ts'
import { waitFor } from './wait-for.ts'

/** Timeout of a start. On an idle machine, a start takes less than a second. */
const START_TIMEOUT_MS = 60_000

/** A local chain node that is listening, in its own process. */
export type StartedNode = {
  readonly url: string
  readonly pid: number
  /** Output of the process up to the `Listening on` line. */
  readonly output: string
  /** Kills the node. It stores no data, so it needs no graceful stop. */
  readonly stop: () => Promise<void>
}

/**
 * Starts one of our programs, and resolves when the program prints `Listening on 127.0.0.1:…`.
 *
 * @param options - `main` is the source path, such as `test/devnet/tron/main.ts`; `directory` contains the log,
 * `<name>.log`
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

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import type { Anvil } from '../anvil.ts'
import { startProgram } from '../processes.ts'
import { waitFor } from '../wait-for.ts'
import type { ArcChainId } from './arc-family.ts'

/** A Node process that reads TypeScript needs a second or two; a busy machine more. */
const START_TIMEOUT_MS = 60_000

const MAIN = resolve(import.meta.dirname, 'main.ts')

/**
 * Starts a local Arc with nothing on it but what the real one has in its first block.
 *
 * @param options - `blockMs` 0 mines only when `evm_mine` asks; `directory` holds its log, `<name>.log`
 */
export async function startArc(options: {
  readonly name: string
  readonly chainId: ArcChainId
  readonly blockMs: number
  readonly directory: string
}): Promise<Anvil> {
  const { name, chainId, blockMs, directory } = options
  const logFile = join(directory, `${name}.log`)
  const node = startProgram({
    name,
    command: process.execPath,
    args: ['--import', 'tsx', MAIN, String(chainId), String(blockMs)],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: resolve(import.meta.dirname, '../../..'),
    logFile,
  })
  try {
    const port = await waitFor(async () => (node.hasEnded() ? 'none' : readPort(logFile)), {
      what: `${name} to listen (see ${logFile})`,
      timeoutMs: START_TIMEOUT_MS,
    })
    if (port === 'none') throw new Error(`${name} ended before it listened (see ${logFile})`)
    return { chainId, rpcUrl: `http://127.0.0.1:${port}`, pid: node.pid, stop: () => node.kill() }
  } catch (error) {
    await node.kill()
    throw error
  }
}

async function readPort(logFile: string): Promise<string | undefined> {
  return /Listening on 127\.0\.0\.1:(\d+)/.exec(await readFile(logFile, 'utf8'))?.[1]
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'

import { startProgram } from './processes.ts'
import { waitFor } from './wait-for.ts'

/** A running local chain. anvil mines one block per transaction until a request changes that. */
export type Anvil = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** Timeout of a start. On an idle machine, a start takes 0.2 s. */
const START_TIMEOUT_MS = 60_000

/**
 * Starts anvil with an empty chain on a free port.
 *
 * @param options - `directory` contains the chain's log, `<name>.log`
 */
export async function startAnvil(options: {
  readonly name: string
  readonly chainId: number
  readonly directory: string
}): Promise<Anvil> {
  const logFile = join(options.directory, `${options.name}.log`)
  const chain = startProgram({
    name: options.name,
    command: anvilBinary(),
    // The gas limit allows 500 payments in one block. Blocks far below the limit keep the gas price low.
    args: ['--port', '0', '--chain-id', String(options.chainId), '--gas-limit', '1000000000'],
    env: {},
    cwd: options.directory,
    logFile,
  })
  const port = await waitFor(() => readPort(logFile), {
    what: `${options.name} to listen (see ${logFile})`,
    timeoutMs: START_TIMEOUT_MS,
  })
  return {
    chainId: options.chainId,
    rpcUrl: `http://127.0.0.1:${port}`,
    pid: chain.pid,
    stop: () => chain.kill(), // anvil stores no data, so it needs no graceful stop
  }
}

async function readPort(logFile: string): Promise<string | undefined> {
  return /Listening on 127\.0\.0\.1:(\d+)/.exec(await readFile(logFile, 'utf8'))?.[1]
}

/** Returns the path of the binary itself, because the package's launcher would run anvil as its own child process. */
function anvilBinary(): string {
  const machine = `${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`
  const launcher = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  return createRequire(launcher).resolve(`@foundry-rs/anvil-${machine}/bin/anvil`)
}

import { readFileSync } from 'node:fs'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { CHAINS } from '../devnet/networks.ts'
import { listPonders } from '../support/ponder-processes.ts'
import { createCharge, pay, waitUntilSettled } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type BenchOptions, resize } from './bench.ts'
import type { Measurement } from './compare.ts'

/** Number of charges that are paid and settled before the measurement, so that every code path has run. */
const CHARGES = 20

/**
 * Measures the resident memory of each process of a running stack that has settled several charges.
 *
 * The sum of these figures counts shared pages, such as those of Node itself, more than once.
 */
export async function benchMemory(options: BenchOptions): Promise<readonly Measurement[]> {
  const chains = CHAINS.slice(0, resize(CHAINS.length, options))
  const directory = await temporaryDirectory('bench-memory')
  const devnet = await startDevnet({ directory, chains, graceSeconds: 1 })
  try {
    const charges = await Promise.all(
      Array.from({ length: resize(CHARGES, options) }, () => createCharge(devnet)),
    )
    for (const charge of charges) await pay(devnet, { charge })
    for (const charge of charges) await waitUntilSettled(devnet, charge.id)
    return footprints(devnet)
  } finally {
    await devnet.stop()
  }
}

function footprints({ api, indexer }: Devnet): readonly Measurement[] {
  const ponders = listPonders(indexer.pid()).map((pid, index) => [`Ponder ${index + 1}`, pid] as const)
  return [['the API', api.pid()] as const, ['the indexer', indexer.pid()] as const, ...ponders].flatMap(
    ([name, pid]) =>
      pid === null ? [] : [{ name: `resident memory of ${name}`, unit: 'MB', value: residentMbOf(pid) }],
  )
}

/** @see proc(5), VmRSS in kB */
function residentMbOf(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(match?.[1]) / 1024)
}

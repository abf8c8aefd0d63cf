/**
 * `npm run demo`: makes two complete payments on its own devnet, and then removes the devnet.
 *
 * With `--everything`, it makes three more payments: on Arc, on TRON and by a swap. Exits with 0 if all charges were
 * settled, and with 130 after a signal. Otherwise prints the end of every log, and exits with 1.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { payNatively } from './arc/demo-arc.ts'
import { payInTwoTokens, paySimply } from './demo-payments.ts'
import { type Devnet, startDevnet } from './devnet.ts'
import { parseOptions } from './everything.ts'
import { payBySwap } from './swap/demo-swap.ts'
import { payOnTron } from './tron/demo-tron.ts'

/** Number of last lines of each log that are printed after a failure. */
const SHOWN_LOG_LINES = 15

/** Confirmation depth, large enough to show the progress of confirmations. */
const CONFIRMATIONS = 4

const directory = await mkdtemp(join(tmpdir(), 'payments-demo-'))
let devnet: Devnet | undefined
let isInterrupted = false

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    void cleanUp().finally(() => process.exit(130))
  })
}

try {
  console.log('Starting PostgreSQL, local chains with the contracts, the indexer and the API …')
  devnet = await startDevnet({ directory, confirmations: CONFIRMATIONS, ...parseOptions(process.argv) })
  console.log(`The API listens at ${devnet.description.apiUrl}`)
  await paySimply(devnet.description)
  await payInTwoTokens(devnet.description)
  if (devnet.description.networks.arc) await payNatively(devnet.description)
  if (devnet.description.networks.tron) await payOnTron(devnet.description)
  if (devnet.description.swap) await payBySwap(devnet.description)
  console.log('\nAll charges were paid, confirmed and settled; no intermediary held the money.')
} catch (error) {
  if (!isInterrupted) await explain(error)
  process.exitCode = 1
} finally {
  await cleanUp()
}

async function cleanUp(): Promise<void> {
  await devnet?.stop()
  await rm(directory, { recursive: true, force: true })
}

async function explain(error: unknown): Promise<void> {
  console.error(error)
  const logs = (await readdir(directory)).filter((name) => name.endsWith('.log'))
  for (const name of logs) {
    const lines = (await readFile(join(directory, name), 'utf8')).trimEnd().split('\n')
    console.error(`\n--- end of ${name}\n${lines.slice(-SHOWN_LOG_LINES).join('\n')}`)
  }
}

/**
 * `npm run dev`: runs the whole stack on this machine until Ctrl-C, and describes it in `.devnet/devnet.json`. With
 * `--everything`, it also starts the chains and extras that are off by default because they take time.
 *
 * Uses the documented ports if they are free. All processes that it started end with it, even if it is killed.
 */
import { join, relative, resolve } from 'node:path'

import { type Devnet, startDevnet } from './devnet.ts'
import { parseOptions } from './everything.ts'
import { waitFor } from './wait-for.ts'
import type { DevnetDescription } from './write-description.ts'

const directory = resolve(import.meta.dirname, '../../.devnet')

/** Ports of the API and of the two internal servers in `.env.example`. */
const USUAL_PORTS = ['3000', '9464', '9465']

/**
 * Time within which a second signal is ignored, because under npm one Ctrl-C can arrive twice. A user takes longer to
 * press Ctrl-C again.
 */
const SAME_SIGNAL_MS = 500

let isStarted = false
let signalledAt: number | null = null
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)

try {
  console.log('Starting PostgreSQL, local chains with the contracts, the indexer and the API …')
  const devnet = await startDevnet({ directory, prefersUsualPorts: true, ...parseOptions(process.argv) })
  isStarted = true
  console.log(describe(devnet.description))
  const ended = await untilEnd(devnet)
  console.log(ended === null ? 'Stopping …' : `Stopping because the ${ended} exited: see its log.`)
  await devnet.stop()
  process.exitCode = ended === null ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/**
 * Handles a signal. During the startup, a signal exits immediately. After it, the first signal stops everything in
 * order, its repetitions within `SAME_SIGNAL_MS` are ignored, and a later signal exits immediately.
 */
function onSignal(): void {
  const now = performance.now()
  if (!isStarted || (signalledAt !== null && now - signalledAt > SAME_SIGNAL_MS)) process.exit(130)
  signalledAt ??= now
}

/**
 * Waits until a signal arrives, or the API or the indexer exits. Returns the name of the process that exited, or `null`
 * after a signal.
 */
async function untilEnd(devnet: Devnet): Promise<string | null> {
  const ended = await waitFor(
    () =>
      signalledAt === null ? [devnet.api, devnet.indexer].find(({ pid }) => pid() === null)?.name : 'signal',
    { what: 'the devnet to end', timeoutMs: Number.POSITIVE_INFINITY, intervalMs: 100 },
  )
  return ended === 'signal' ? null : ended
}

function describe({
  apiUrl,
  internalUrls,
  databaseUrl,
  keys,
  networks,
  accounts,
  swap,
}: DevnetDescription): string {
  const chains = Object.entries(networks).flatMap(([network, environments]) =>
    Object.entries(environments).map(([environment, { rpcUrl, chainId, quorum, tokens }]) => [
      `${network} ${environment}`,
      `${rpcUrl}  chain ${chainId}  quorum ${quorum}  ${Object.keys(tokens).join(', ')}`,
    ]),
  )
  const rows = [
    ['API', apiUrl],
    ['API, internal', internalUrls.api],
    ['indexer, internal', internalUrls.indexer],
    ['database', databaseUrl],
    ...chains,
    ...Object.entries(keys).map(([name, key]) => [`key ${name}`, key]),
    ...(swap ? [['swap provider', swap.providerUrl]] : []),
    ...(accounts.tronPayer ? [['payer on tron', accounts.tronPayer.address]] : []),
    ['payer', `${accounts.payer.address}  (all accounts with their private keys are in devnet.json)`],
  ]
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(22)} ${value}`)
  return ['', ...table, ...unusualPorts([apiUrl, internalUrls.api, internalUrls.indexer]), '', hint()].join(
    '\n',
  )
}

function unusualPorts(urls: readonly string[]): readonly string[] {
  const busy = USUAL_PORTS.filter((port, index) => new URL(urls[index] ?? '').port !== port)
  return busy.length === 0
    ? []
    : ['', `Uses different ports, because the usual ports are in use: ${busy.join(', ')}`]
}

function hint(): string {
  return `Written to ${relative(process.cwd(), join(directory, 'devnet.json'))}; the logs are in the same directory. Ctrl-C stops everything.`
}

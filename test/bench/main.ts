/**
 * Runs benchmarks and prints the comparisons: `npm run bench -- --help`.
 *
 * It prints ratios, because rates depend more on the machine than on the program.
 */
import { parseArgs } from 'node:util'
import { benchAccounting } from './accounting.ts'
import { benchApi } from './api.ts'
import { benchCheckout } from './checkout.ts'
import { type Comparison, isReached, type Measurement } from './compare.ts'
import { benchCredits } from './credits.ts'
import { benchFaults } from './faults.ts'
import { benchFootprint } from './footprint.ts'
import { benchGas } from './gas.ts'
import { benchIndexing } from './indexing.ts'
import { benchLatency } from './latency.ts'
import { benchList } from './list.ts'
import { benchMemory } from './memory.ts'
import { benchMetrics } from './metrics.ts'
import { benchNetworks } from './networks.ts'
import { benchScale } from './scale.ts'
import { benchStreams } from './streams.ts'
import { benchSwap } from './swap.ts'
import { benchWebhooks } from './webhooks.ts'

/** `rows` is the number of existing charges: to list, to query, or as background data. */
type Options = {
  readonly seconds: number
  readonly repetitions: number
  readonly rows: number | undefined
}
type Bench = (options: Options) => Promise<readonly (Comparison | Measurement)[]>

const BENCHES: Readonly<Record<string, Bench>> = {
  accounting: benchAccounting,
  api: benchApi,
  checkout: benchCheckout,
  credits: benchCredits,
  faults: benchFaults,
  footprint: benchFootprint,
  gas: benchGas,
  indexing: benchIndexing,
  latency: benchLatency,
  list: benchList,
  memory: benchMemory,
  metrics: benchMetrics,
  networks: benchNetworks,
  scale: benchScale,
  streams: benchStreams,
  swap: benchSwap,
  webhooks: benchWebhooks,
}

const USAGE = `Measures the service and bare programs in alternation on this machine, and prints the ratios.

  npm run bench -- NAME...        any of ${Object.keys(BENCHES).join(', ')} (default: all)
      --seconds N                 duration of each repetition (4)
      --repetitions N             measurements of each program (5)
      --rows N                    number of charges to list or to query
      --help
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '4' },
    repetitions: { type: 'string', default: '5' },
    rows: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else await run()

async function run(): Promise<void> {
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name))
  if (unknown.length > 0)
    throw new Error(`no bench ${unknown.join(', ')}; must be one of ${Object.keys(BENCHES).join(', ')}`)
  const options = {
    seconds: positive('seconds', values.seconds),
    repetitions: positive('repetitions', values.repetitions),
    rows: values.rows === undefined ? undefined : positive('rows', values.rows),
  }
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (positionals.length === 0 || positionals.includes(name))
      for (const found of await bench(options)) print(found)
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} ${text} is not a number above 0`)
  return value
}

function print(found: Comparison | Measurement): void {
  if ('value' in found) return console.log(`${found.value} ${found.unit}  ${found.name}`)
  const { name, unit, ratio, aim, ours, yardstick } = found
  const verdict =
    aim === null ? '' : `  (target ${Number(aim.toFixed(2))} ${isReached(found) ? 'reached' : 'MISSED'})`
  console.log(`${ratio.toFixed(2)}${verdict}  ${name}: ${figure(ours)} / ${figure(yardstick)} ${unit}`)
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

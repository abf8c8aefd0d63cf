/**
 * Runs benchmarks and prints how we compare: `npm run bench -- --help`.
 *
 * Ratios, because rates say more of the machine than of the program.
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

/** `rows` is how many charges there are to list, to query or to work beside. */
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

const USAGE = `Measures us beside bare programs, in turns on this machine, and prints the ratios.

  npm run bench -- NAME...        of ${Object.keys(BENCHES).join(', ')}; all without
      --seconds N                 each repetition takes (4)
      --repetitions N             of us and of the other, in turns (5)
      --rows N                    charges to list or to query
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
    throw new Error(`no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`)
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
  if (!(value > 0)) throw new Error(`--${name} ${text} is no number above 0`)
  return value
}

function print(found: Comparison | Measurement): void {
  if ('value' in found) return console.log(`${found.value} ${found.unit}  ${found.name}`)
  const { name, unit, ratio, aim, ours, yardstick } = found
  const verdict =
    aim === null ? '' : `  (aim ${Number(aim.toFixed(2))} ${isReached(found) ? 'reached' : 'MISSED'})`
  console.log(`${ratio.toFixed(2)}${verdict}  ${name}: ${figure(ours)} / ${figure(yardstick)} ${unit}`)
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

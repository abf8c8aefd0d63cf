/**
 * Runs benchmarks and prints a table for each: `npm run bench -- --help`.
 *
 * The tables show ratios, because rates depend more on the machine than on the program.
 */
import { parseArgs } from 'node:util'
import { NETWORKS, type Network } from '../../shared/domain/networks.ts'
import { stopTestPostgres } from '../support/postgres.ts'
import { SHORT } from './bench.ts'
import { BENCHES } from './benches.ts'
import { formatTable } from './format-table.ts'

const USAGE = `Measures the service and bare programs in alternation on this machine, and prints the ratios.

  npm run bench -- NAME...        any of ${Object.keys(BENCHES).join(', ')} (default: all)
      --seconds N                 duration of each repetition (4)
      --repetitions N             measurements of each program (5)
      --rows N                    number of charges to list or to query
      --networks NAME,...         networks of footprint (all)
      --short                     the smallest numbers: shows only that each bench works
      --help
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '4' },
    repetitions: { type: 'string', default: '5' },
    rows: { type: 'string' },
    networks: { type: 'string' },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else await run()

async function run(): Promise<void> {
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name))
  if (unknown.length > 0)
    throw new Error(`no bench ${unknown.join(', ')}; must be one of ${Object.keys(BENCHES).join(', ')}`)
  const options = values.short
    ? SHORT
    : {
        seconds: positive('seconds', values.seconds),
        repetitions: positive('repetitions', values.repetitions),
        rows: values.rows === undefined ? undefined : positive('rows', values.rows),
        networks: values.networks?.split(',').map(toNetwork),
        size: 1,
      }
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    try {
      console.log(`${name}\n${formatTable(await bench(options))}\n`)
    } finally {
      await stopTestPostgres() // The next bench starts with an empty server.
    }
  }
}

function toNetwork(name: string): Network {
  const network = NETWORKS.find((known) => known === name)
  if (network === undefined) throw new Error(`no network ${name}; must be one of ${NETWORKS.join(', ')}`)
  return network
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} ${text} is not a number above 0`)
  return value
}

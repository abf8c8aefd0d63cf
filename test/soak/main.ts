/**
 * Runs the service for a long time under load and with a failure each minute: `npm run soak -- --minutes 30`.
 *
 * Real processes on a devnet: PostgreSQL, two chains, the daemon with its Ponders, the API. The first minute finds out how
 * many charges a second this machine settles; from then on half as many are made, paid, streamed, delivered and paid out,
 * and each minute something is killed or a node fails. At the end everything is let come to rest, and judged.
 */
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { runAttackSoak } from './attack-soak.ts'
import { runSoak } from './soak.ts'

const USAGE = `Runs the service under load, with a kill or a node's failure each minute, and judges what it left.

  npm run soak -- --minutes N    so long (30), the minute of calibration included
      --seed S                   another order of failures, other payments (1)
      --rate R                   charges a second, in place of half of what calibration finds
      --attack   customers beside every attack on the public API, in place of failures; default of every limit
      --help

Builds dist/ first. Prints progress each half minute and the figures at the end. Exits with 1, and says what,
if memory, handles, connections or tables grew beyond their bounds (from 5 minutes on), if an event was not delivered or not streamed, or if
the books do not close.
`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string' },
    attack: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else process.exitCode = await soak()

async function soak(): Promise<0 | 1> {
  const directory = await temporaryDirectory('soak')
  const minutes = positive('minutes', values.minutes)
  const say = (line: string) => console.log(line)
  const { figures, failures } = values.attack
    ? await runAttackSoak({ directory, minutes, say })
    : await runSoak({
        ...{ directory, minutes, say },
        seed: positive('seed', values.seed),
        rate: values.rate === undefined ? null : positive('rate', values.rate),
      })
  for (const figure of figures) console.log(figure)
  for (const failure of failures) console.log(`FAILED  ${failure}`)
  console.log(failures.length === 0 ? 'held' : `${failures.length} failed; the logs are in ${directory}`)
  if (failures.length === 0) await rm(directory, { recursive: true, force: true })
  return failures.length === 0 ? 0 : 1
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} ${text} is no number above 0`)
  return value
}

/**
 * Runs the service for a long time under load, with one fault per minute: `npm run soak -- --minutes 30`.
 *
 * Starts real processes on a devnet: PostgreSQL, two chains, the daemon with its Ponders, and the API. Unless `--rate`
 * is given, up to a minute is spent on measuring how many charges per second this machine settles, and half of that
 * rate is used. Then one fault of `faults.ts` occurs per minute. At the end, the run waits until all work is completed,
 * and evaluates the result. With `--attack`, `attack-soak.ts` runs instead.
 */
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { runAttackSoak } from './attack-soak.ts'
import { runSoak } from './soak.ts'

const USAGE = `Runs the service under load, with a killed process or a failing node every minute, and evaluates the result.

  npm run soak -- --minutes N    duration (30), including the minute of calibration
      --seed S                   seed for the failing nodes, killed Ponders, charges and payments (1)
      --rate R                   charges per second (half of the calibrated rate)
      --attack                   attack the public API while customers pay, without other faults and with the default limits
      --help

Builds dist/ first. Prints the progress every half minute, and the figures at the end. Exits with 1 and prints the reason
if memory, handles, connections or tables grew beyond their bounds (in runs of at least 5 minutes), if an event was not
delivered or not streamed, if the balances do not match, or if networks woke from sleep fewer than 2 times. With --attack,
exits with 1 if a customer's request failed, if no charge was paid, or if the API did not free all unread bytes and streams
at the end.
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
  console.log(
    failures.length === 0
      ? 'passed: every check held'
      : `${failures.length} failed; the logs are in ${directory}`,
  )
  if (failures.length === 0) await rm(directory, { recursive: true, force: true })
  return failures.length === 0 ? 0 : 1
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} ${text} is not a number above 0`)
  return value
}

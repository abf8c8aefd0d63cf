/**
 * Records the clients' view of a run of the service, and judges the record with an independent checker.
 * Usage: `npm run history -- --minutes 60`.
 *
 * Starts real processes on a devnet: PostgreSQL, two chains with five nodes, the daemon with its Ponders, and the API.
 * Two organizations create and read charges, and payers pay the charges, while faults happen, by default one each
 * minute. At the end, the checker compares the record with the logs of the chains. It shares no code with the service.
 */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { checkRecord, type Verdict } from './checker/check-record.ts'
import { parseRecord } from './checker/entry.ts'
import { buildControl, CONTROLS, type Control, getControl, isReported } from './controls.ts'
import { type HistoryOptions, RECORD_FILE, runHistory } from './run-history.ts'

const USAGE = `Records a run of the service with a fault each minute, and judges the record with an independent checker.

  npm run history -- --minutes N   duration (10); after it, every charge must end within five minutes
      --seed S                     seed of the charges, payments and faults (1)
      --rate R                     charges per second (0.5)
      --every S                    seconds between two faults (60)
      --control NAME               run a build without a rule, which the checker must report; may be repeated:
                                   ${CONTROLS.map(({ name }) => name).join(', ')}
      --check FILE                 only check an existing record
      --help

Builds dist/ first. Prints the progress every half minute. Exits with 1 and prints the findings if the record breaks a
rule; with --control, if the checker does not report the removed rule. The record and the logs of such a run are kept.
`

/** Maximum findings printed per rule, because findings of one rule usually have the same cause. */
const MAX_FINDINGS = 10

const QUIET_WITHIN_MS = 5 * 60_000
/** Shorter, because without a rule some charges might never become final. */
const QUIET_OF_CONTROL_WITHIN_MS = 3 * 60_000

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '0.5' },
    every: { type: 'string', default: '60' },
    control: { type: 'string', multiple: true, default: [] },
    check: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else if (values.check !== undefined)
  process.exitCode = judge(checkRecord(parseRecord(readFileSync(values.check, 'utf8'))), [])
else process.exitCode = await run(values.control.map(getControl))

async function run(controls: readonly Control[]): Promise<0 | 1> {
  const directory = await temporaryDirectory('history')
  console.log(`the record and the logs are in ${directory}`)
  const build = controls.length > 0 ? await buildControl(controls) : null
  try {
    const options: HistoryOptions = {
      ...{ directory, minutes: positive('minutes'), seed: positive('seed'), rate: positive('rate') },
      ...{ everySeconds: positive('every'), report: (line) => console.log(line) },
      quietWithinMs: controls.length > 0 ? QUIET_OF_CONTROL_WITHIN_MS : QUIET_WITHIN_MS,
      ...(build !== null && { confine: build.confine }),
    }
    const exitCode = judge(await runHistory(options), controls)
    if (exitCode === 0) await rm(directory, { recursive: true, force: true })
    else console.log(`the record is ${join(directory, RECORD_FILE)}`)
    return exitCode
  } finally {
    build?.remove()
  }
}

/**
 * Prints the verdicts and returns the exit code. A run without controls must break no rule. In a run with controls, the
 * checker must report each control.
 */
function judge(verdicts: readonly Verdict[], controls: readonly Control[]): 0 | 1 {
  for (const { rule, findings } of verdicts) {
    console.log(`${findings.length === 0 ? 'holds  ' : 'BROKEN '} ${rule}`)
    for (const finding of findings.slice(0, MAX_FINDINGS)) console.log(`        ${finding}`)
    if (findings.length > MAX_FINDINGS) console.log(`        and ${findings.length - MAX_FINDINGS} more`)
  }
  const broken = verdicts.filter(({ findings }) => findings.length > 0).map(({ rule }) => rule)
  const missed = controls.filter((control) => !isReported(control, verdicts))
  for (const { name, reportedBy } of missed)
    console.log(`FAILED  the checker does not report "${reportedBy}" for the control ${name}`)
  const hasFailed = controls.length > 0 ? missed.length > 0 : broken.length > 0
  console.log(hasFailed ? 'failed' : 'passed')
  return hasFailed ? 1 : 0
}

function positive(name: 'minutes' | 'seed' | 'rate' | 'every'): number {
  const value = Number(values[name])
  if (!(value > 0)) throw new Error(`--${name} ${values[name]} is not a number above 0`)
  return value
}

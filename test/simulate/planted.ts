import { makeScratchCopy } from '../mutants/scratch-copy.ts'
import { MUTANTS } from '../mutants/table.ts'
import { runStep } from '../runner/run-step.ts'

/** Rules whose loss must show in the history of some seed; as `npm run mutants` takes them out. */
const PLANTED: readonly string[] = [
  'every node that answers must say gone before a row vanishes',
  'nothing has vanished before a node without it is past its depth',
  'what the feed takes back between reading and marking is not credited',
  'the identity of a payment is its ordinal, not its log index',
  'expiry waits for a block so late at depth, not for a head',
  'what is mined in the second of the deadline is late',
  'nothing is signed while a transaction of the payout is unresolved',
  'a transaction is resolved at its confirmation depth and not before',
  'a transaction that a reorganization has removed is sent again',
  'no charge ends before its balances were read',
  'a charge is settled when what decides it is distributed, and not before',
  'money from the charge itself credits nothing',
]

/** Seeds that a planted bug may live through. */
const SEEDS = 200
const TIMEOUT_MS = 3_600_000

/** Takes each rule out of a copy of the code and runs seeds until one fails; answers 1 if there is a rule that none misses. */
export async function findKillingSeeds(only: string): Promise<0 | 1> {
  const copy = makeScratchCopy()
  process.once('exit', copy.remove)
  const survivors: string[] = []
  for (const mutant of MUTANTS.filter(({ rule }) => PLANTED.includes(rule) && rule.includes(only))) {
    const { output, reason } = await copy.without(mutant, () =>
      runStep({
        ...{
          name: 'simulate',
          phase: 'beside',
          timeoutMs: TIMEOUT_MS,
          directory: copy.directory,
          tests: null,
        },
        ...{ command: 'node', environment: {} },
        args: ['--import', 'tsx', 'test/simulate/main.ts', '--first-failure', '--seeds', String(SEEDS)],
      }),
    )
    const found = /FAILED (\d+)[^\n]*\n([^\n]*)/.exec(output)
    if (found === null) survivors.push(mutant.rule)
    console.log(
      `${found === null ? `SURVIVED (${reason ?? 'no seed failed'})` : `seed ${found[1]}`}  ${mutant.rule}`,
    )
    if (found !== null) console.log(`  ${found[2]?.trim()}`)
  }
  return survivors.length === 0 ? 0 : 1
}

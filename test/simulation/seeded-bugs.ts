import type { Mutant } from '../mutation/mutant.ts'
import { MUTANTS } from '../mutation/mutants.ts'
import { makeScratchCopy } from '../mutation/scratch-copy.ts'
import { runStep } from '../runner/run-step.ts'

/**
 * Rules whose loss must show in the history of some seed; as `npm run test:mutation` takes them out. Where another rule stands
 * behind one, as balances that must have been read stand behind every deadline, no history shows that it is gone; such
 * rules are not here, nor those of which none of 24 seeds has shown that they are, but for what becomes of single logs
 * that a node leaves out: few histories have such a node, and the 123rd is the first that shows it.
 */
export const PLANTED: readonly string[] = [
  'a log in the ledger keeps its ordinal, even if an earlier log appears later',
  'late money never changes the status',
  'the received amount is the sum of all credits',
  'an overpayment has one event',
  'every status of a charge has an event',
  'a delivery that the endpoint rejects is not delivered',
  'a transfer mined in the second of the deadline is late',
  'a transfer is credited exactly at its confirmation depth',
  'testnet money is never credited to a live charge',
  'rows and head are committed together',
  'the confirmed head is at depth, not the head',
  'a transaction is resolved exactly at its confirmation depth',
  'a charge is settled exactly when the deciding amounts are distributed',
  'a silent node never lowers the quorum',
  'a row needs the quorum of its chain, not one node',
  'nodes that report different contents for one log position contradict each other',
]

const TIMEOUT_MS = 3_600_000

type Terms = {
  /** What the rules that are taken out contain. */
  readonly only: string
  /** That a planted bug may live through. */
  readonly seeds: number
  /** So many seeds at a time. */
  readonly workers: number
}

/** Takes each rule out of a copy of the code and runs seeds until one fails; answers 1 if there is a rule that none misses. */
export async function findKillingSeeds({ only, seeds, workers }: Terms): Promise<0 | 1> {
  const copy = makeScratchCopy()
  process.once('exit', copy.remove)
  const survivors: string[] = []
  for (const rule of PLANTED.filter((each) => each.includes(only))) {
    const mutant = ruleOf(rule)
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
        args: [
          ...['--import', 'tsx', 'test/simulation/main.ts', '--first-failure'],
          ...['--seeds', String(seeds), '--workers', String(workers)],
        ],
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

function ruleOf(rule: string): Mutant {
  const mutant = MUTANTS.find((each) => each.rule === rule)
  if (mutant === undefined) throw new Error(`the table of mutants has no rule ${JSON.stringify(rule)}`)
  return mutant
}

import type { Mutant } from '../mutation/mutant.ts'
import { MUTANTS } from '../mutation/mutants.ts'
import { makeScratchCopy } from '../mutation/scratch-copy.ts'
import { runStep } from '../runner/run-step.ts'

/**
 * Rules whose removal must make the history of some seed fail. They are removed as in `npm run test:mutation`. The list
 * leaves out rules behind which another rule has the same effect, such as deadlines, which also require that balances
 * were read. It also leaves out rules whose removal none of 24 seeds detected. The rules about single logs that a node
 * omits are an exception: few histories have such a node, and seed 123 is the first that detects the removal of one of
 * them.
 */
export const PLANTED: readonly string[] = [
  'a log in the ledger keeps its ordinal, even if an earlier log appears later',
  'late money never changes the status',
  'the received amount is the sum of all credits',
  'an overpaid charge sends charge.overpaid once',
  'a charge sends an event for every change of its status',
  'a delivery that the endpoint rejects does not count as delivered',
  'a transfer whose block time is exactly the deadline is late',
  'a transfer is credited as soon as it is at confirmation depth, and not before',
  'testnet money is never credited to a live charge',
  'rows and head are committed together',
  'the confirmed head lies below the head by the confirmation depth',
  'a transaction is resolved exactly at its confirmation depth',
  'a charge is settled only once the amounts that decide its settlement are distributed',
  'a silent node never lowers the quorum',
  'a row counts only if the quorum of its chain reports it',
  'nodes that report different contents for one log position contradict each other',
  'open refunds reserve their amount',
  'a refund that was paid after its end counts only up to the amount that is left',
  'a refund is confirmed only at confirmation depth',
  'an open charge keeps a network awake',
  'a failed payout keeps a network awake',
  'a held share keeps a network awake',
  'an open refund keeps a network awake',
  'a row that does not count yet keeps a network awake',
  'a network with work does not fall asleep',
  'a sleeping network wakes for work that nothing has requested',
]

const TIMEOUT_MS = 3_600_000

type Terms = {
  /** Text that the removed rules must contain. */
  readonly only: string
  /** Maximum number of seeds per rule, before the rule counts as not detected. */
  readonly seeds: number
  /** Number of seeds that run at the same time. */
  readonly workers: number
}

/**
 * Removes each rule from a copy of the code, and runs seeds until one fails. Returns 1 if no seed detects the removal
 * of some rule.
 */
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

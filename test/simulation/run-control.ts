import { runSeeds } from './run-seeds.ts'

type Terms = { readonly seeds: readonly number[]; readonly workers: number }

/** A violation that only a lost commit explains: a charge or an event that a merchant received no longer exists. */
const LOST = /ch_\w+ was answered with 201, but is gone|was sent evt_\w+, which is not an event/

/** Share of the histories that must show a violation. The others may have created no charge. */
const NEARLY_ALL = 0.8

/**
 * Runs seeds in which a failover loses the last commits (`failover.ts`), and prints the violation of each. Returns 1 if
 * the invariants detect the loss in fewer than 80 % of the seeds.
 */
export async function runControl({ seeds, workers }: Terms): Promise<0 | 1> {
  let caught = 0
  await runSeeds({
    ...{ seeds, workers, order: { failover: 'asynchronous' } },
    onOutcome: ({ seed, failure }) => {
      const found = LOST.exec(failure ?? '')?.[0]
      if (found !== undefined) caught += 1
      console.log(found === undefined ? `MISSED ${seed}  ${failure ?? 'held'}` : `caught ${seed}  ${found}`)
      return Promise.resolve('more')
    },
  })
  console.log(`lost commits: caught in ${caught} of ${seeds.length} seeds from ${seeds[0]}`)
  return caught >= Math.max(1, Math.floor(NEARLY_ALL * seeds.length)) ? 0 : 1
}

import { createClient, custom } from 'viem'
import { newId } from '../../../shared/domain/ids.ts'
import { type Machine, runOn } from './owned-process.ts'

/** Maximum number of ids to create. One draw of random bytes yields fewer ids than this. */
const MAX_IDS = 1_000

/** Our function that creates ids, and viem's, which creates one per client. Both buffer random bytes for later ids. */
const MAKERS: readonly (() => unknown)[] = [
  () => newId('req', 0),
  () => createClient({ transport: custom({ request: () => Promise.resolve(null) }) }),
]

/**
 * Uses up the random bytes that an earlier history has left in the buffers of this process, so that the ids of the next
 * history depend only on its seed.
 */
export function useUpIds(machine: Machine): void {
  for (const make of MAKERS) {
    const drawn = { times: 0 }
    const fraction = () => {
      drawn.times += 1
      return machine.fraction()
    }
    runOn({ ...machine, fraction }, () => {
      for (let ids = 0; drawn.times === 0 && ids < MAX_IDS; ids += 1) make()
    })
    if (drawn.times === 0) throw new Error(`${MAX_IDS} ids were created without drawing random bytes`)
  }
}

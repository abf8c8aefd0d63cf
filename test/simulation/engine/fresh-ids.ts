import { createClient, custom } from 'viem'
import { newId } from '../../../shared/domain/ids.ts'
import { type Machine, runOn } from './owned-process.ts'

/** Above how many ids are made of what was drawn for them at once. */
const MAX_IDS = 1_000

/** What makes ids, ours and viem's for its clients, of chance that it keeps for the next ones. */
const MAKERS: readonly (() => unknown)[] = [
  () => newId('req', 0),
  () => createClient({ transport: custom({ request: () => Promise.resolve(null) }) }),
]

/**
 * Uses up the chance that ids of an earlier history have left in this process: those of the next one are made of its
 * own.
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
    if (drawn.times === 0) throw new Error(`${MAX_IDS} ids were made without asking for chance`)
  }
}

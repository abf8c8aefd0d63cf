import { newId } from '../../../shared/domain/ids.ts'
import { type Machine, runOn } from './owned-process.ts'

/** Above how many ids are made of bytes that were asked for at once. */
const MOST_IDS = 1_000

/**
 * Uses up the random bytes that ids of an earlier history have left in this process: those of the next one are made of
 * its own.
 */
export function useUpIds(machine: Machine): void {
  const asked = { bytes: 0 }
  const noting: Machine = {
    ...machine,
    fraction: () => {
      asked.bytes += 1
      return machine.fraction()
    },
  }
  runOn(noting, () => {
    for (let ids = 0; asked.bytes === 0 && ids < MOST_IDS; ids += 1) newId('req', 0)
  })
  if (asked.bytes === 0) throw new Error(`${MOST_IDS} ids were made without asking for a random byte`)
}

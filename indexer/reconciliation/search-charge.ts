import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { RANGES_OF_A_DAY } from './ranges-since.ts'
import { readSince } from './read-since.ts'
import type { ScanDeps } from './record-missed.ts'
import { scanCharges } from './scan-charges.ts'
import type { Stray } from './stray.ts'

/** What a search works with. */
export type SearchDeps = ScanDeps & { readonly blockTimeMs: number; readonly now: Clock }

/** What a charge's whole life has shown, by every node that answered. */
export type SearchResult = {
  /** How many nodes answered all that they were asked. */
  readonly answers: number
  /** Whether that reached back to when the charge was made. */
  readonly isComplete: boolean
  readonly strays: readonly Stray[]
}

/**
 * Reads everything that the chain has of a charge since it was made, newest first, from each node by itself, and records
 * what our rows did not have: one of them may answer nothing where another has a payment.
 *
 * It costs a node three requests for each range at most, and reaches back a day and an hour at least, unless the node
 * answers narrow ranges alone; an older life is for a person to look into.
 */
export async function searchCharge(
  deps: SearchDeps,
  nodes: readonly ChainNode[],
  { charge, block }: { readonly charge: ReconciledCharge; readonly block: number },
): Promise<SearchResult> {
  const strays = new Map<string, Stray>()
  let answers = 0
  let isComplete = false
  for (const node of nodes) {
    const found = await searchNode(deps, { node, nodes }, { charge, block }).catch((error: unknown) => {
      deps.log.warn({ msg: 'A node could not be searched for a charge', charge_id: charge.id, error })
      return null
    })
    if (found === null) continue
    answers += 1
    isComplete = found.isComplete
    for (const stray of found.strays) strays.set(`${stray.txHash}/${stray.logIndex}`, stray)
  }
  return { answers, isComplete, strays: [...strays.values()] }
}

async function searchNode(
  deps: SearchDeps,
  { node, nodes: witnesses }: { readonly node: ChainNode; readonly nodes: readonly ChainNode[] },
  { charge, block }: { readonly charge: ReconciledCharge; readonly block: number },
): Promise<Omit<SearchResult, 'answers'>> {
  const { blockTimeMs } = deps
  const ageMs = deps.now().getTime() - charge.createdAt.getTime()
  const { answers, isComplete } = await readSince({
    life: { block, ageMs, blockTimeMs },
    maxRanges: RANGES_OF_A_DAY,
    read: (range) =>
      scanCharges(deps, { nodes: [node], witnesses, charges: [charge], ...range, withStrays: true }),
  })
  if (answers.some(({ isUnsure }) => isUnsure))
    throw new AppError('rpc_unavailable', 'nobody else could be asked what this node shows')
  return { isComplete, strays: answers.flatMap(({ strays }) => strays) }
}

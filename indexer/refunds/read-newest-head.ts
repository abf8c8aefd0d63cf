import { setTimeout as delay } from 'node:timers/promises'
import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import { queryHeadNumber, queryResponsiveHeads, requireHeight } from '../../shared/chain/nodes/query-head.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'

type Deps = {
  readonly chains: readonly Pick<CheckedChain, 'chain' | 'deployment'>[]
  readonly now: Clock
  /** Maximum time to wait until a quorum reaches the newest head that a node shows. */
  readonly headWaitMs?: number
}

const MAX_WAIT_MS = 3_000
const POLL_MS = 500
/** Maximum age of the quorum's head if a node shows a newer head: 30 s, or ten block times if that is longer. */
const OLD_MS = 30_000
const OLD_BLOCKS = 10
/** Maximum time since the head was read. An equal transfer that is sent in this time would pay the refund. */
const MAX_AGE_MS = 5_000

/**
 * Returns the number of the highest block that a quorum has reached, after waiting up to 3 s for the quorum to reach
 * the newest head of any node. A head that no quorum reaches in time is ignored: with a made-up head, one node could
 * prevent the merchant's transfer from counting.
 *
 * @throws {AppError} `rpc_unavailable` if the chain is not configured, if no quorum responds, or if the quorum's head
 * is old and a node shows a newer head, because an equal transfer between these heads would pay the refund
 */
export async function readNewestHead(deps: Deps, chainId: number): Promise<number> {
  const found = deps.chains.find(({ deployment }) => deployment.chainId === chainId)
  if (found === undefined) throw new AppError('rpc_unavailable', `chain ${chainId} is not read at the moment`)
  const { chain, deployment } = found
  const { heads, height } = await queryResponsiveHeads(chain, deployment)
  const newest = Math.max(...heads.map(({ number }) => number))
  let agreed = requireHeight(chain, { height, responding: heads.length })
  const { headWaitMs = MAX_WAIT_MS } = deps
  const startedAt = performance.now()
  while (agreed < newest && performance.now() - startedAt < headWaitMs) {
    await delay(POLL_MS)
    agreed = Math.max(agreed, await queryHeadNumber(chain))
  }
  if (agreed < newest) await requireRecent(deps, { ...found, block: agreed })
  return agreed
}

/**
 * Requires that the head was read at most 5 s ago. The request might have waited for the charge's lock, and an equal
 * transfer that was sent during the wait must not pay the refund.
 *
 * @param readAt - `performance.now()` when the head was read
 * @throws {AppError} `service_unavailable`
 */
export function requireFreshHead(readAt: number): void {
  if (performance.now() - readAt <= MAX_AGE_MS) return
  throw new AppError(
    'service_unavailable',
    'the request waited too long for another request about the charge; try again',
  )
}

async function requireRecent(
  { now }: Deps,
  { chain, deployment, block }: Deps['chains'][number] & { readonly block: number },
): Promise<void> {
  const verdict = await queryBlock(chain, block)
  const oldMs = Math.max(OLD_MS, OLD_BLOCKS * deployment.blockTimeMs)
  const isRecent =
    verdict.outcome === 'agreed' && now().getTime() - verdict.agreed.value.timestamp * 1000 <= oldMs
  if (!isRecent)
    throw new AppError(
      'rpc_unavailable',
      'the nodes contradict each other on the head of the network; try again',
    )
}

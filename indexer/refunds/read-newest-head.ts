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
/** Maximum age of the quorum's head if a node shows a newer one. */
const OLD_MS = 30_000
const OLD_BLOCKS = 10
/** Maximum age of a head. An equal transfer that was sent after the head was read would pay the refund. */
const MAX_AGE_MS = 5_000

/**
 * Returns the head of the chain: the newest head of any node, once a quorum has reached it. A head that no quorum
 * reaches in time is ignored, because one node must not void a payment that follows.
 *
 * @throws {AppError} `rpc_unavailable` if the chain is not configured, if no quorum responds, or if the quorum's head
 * is old and a node shows a newer one, because an equal transfer between the two would pay the refund
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
 * Requires that a head was read at most 5 s ago. A request may have waited for the lock of its charge, and an equal
 * transfer that was sent during the wait must not pay the refund.
 *
 * @param readAt - time of the monotonic clock (`performance.now()`) at which the head was read
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

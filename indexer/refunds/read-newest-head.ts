import { setTimeout as delay } from 'node:timers/promises'
import { queryHeadNumber, queryResponsiveHeads, requireHeight } from '../../shared/chain/nodes/query-head.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'

/** Time for which a declaration or an approval waits until a quorum reaches the newest head that a node shows. */
const MAX_WAIT_MS = 3_000
const POLL_MS = 500

/**
 * Returns the head of the chain: the newest head of any node, once a quorum has reached it. A claim that no quorum
 * reaches in time is ignored, because one node must not void a payment that follows.
 */
export async function readNewestHead(
  { chains }: { readonly chains: readonly CheckedChain[] },
  chainId: number,
): Promise<number> {
  const found = chains.find(({ deployment }) => deployment.chainId === chainId)
  if (found === undefined) throw new AppError('rpc_unavailable', `chain ${chainId} is not read at the moment`)
  const { chain, deployment } = found
  const { heads, height } = await queryResponsiveHeads(chain, deployment)
  const newest = Math.max(...heads.map(({ number }) => number))
  let agreed = requireHeight(chain, { height, responding: heads.length })
  for (let waited = 0; agreed < newest && waited < MAX_WAIT_MS; waited += POLL_MS) {
    await delay(POLL_MS)
    agreed = Math.max(agreed, await queryHeadNumber(chain))
  }
  return agreed
}

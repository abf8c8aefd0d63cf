import { expect } from 'chai'
import { createPublicClient, custom } from 'viem'
import { readDivided } from '../../../indexer/refunds/read-divided.ts'
import type { RefundWatchDeps } from '../../../indexer/refunds/read-transfers.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { NodeBudgetError } from '../../../shared/chain/pacing/throttle.ts'
import type { WatchedRefund } from '../../../shared/db/refunds/daemon/watched-refunds.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { chainAt } from '../../support/chain-at.ts'

const ADDRESS = `0x${'11'.repeat(20)}`

describe('readDivided', () => {
  it('does not divide a range if the budget of a node has no room for the request', async () => {
    const asked = await countRequests(() => new NodeBudgetError('the day’s requests are spent'))
    expect(asked).to.equal(2)
  })

  it('divides a range whose logs the nodes refuse to list', async () => {
    const asked = await countRequests((isLastBlock) => (isLastBlock ? null : new Error('too many results')))
    expect(asked).to.be.greaterThan(20)
  })
})

/**
 * Reads 100 blocks for eight refunds from two nodes, and returns the number of requests.
 *
 * @param fail - returns the error of a request, or `null` for success; `isLastBlock` is false if the request covers
 * several blocks
 */
async function countRequests(fail: (isLastBlock: boolean) => Error | null): Promise<number> {
  let asked = 0
  const request = async ({ params }: { readonly params?: readonly unknown[] }) => {
    asked += 1
    const [filter] = (params ?? []) as [{ fromBlock?: string; toBlock?: string }?]
    const error = fail(filter?.fromBlock === undefined || filter.fromBlock === filter.toBlock)
    if (error !== null) throw error
    return filter?.fromBlock === undefined ? { number: '0x64' } : []
  }
  const transport = custom({ request }, { retryCount: 0 })
  const connect = () => createPublicClient({ transport }) as unknown as ChainClient
  const chain = chainAt(['http://a.example', 'http://b.example'], { connect })
  const deps = { chain, deployment: { chainId: 1, tokens: [{ emitter: ADDRESS }] } }
  const refunds = Array.from({ length: 8 }, (_, at) => ({
    id: `rf_${at}`,
    sender: ADDRESS,
    destination: ADDRESS,
  }))
  const scan = { fromBlock: 1, toBlock: 100, deep: 100, asksEveryNode: false }
  await readDivided(deps as unknown as RefundWatchDeps, {
    ...scan,
    refunds: refunds as unknown as readonly WatchedRefund[],
  }).catch((error: unknown) => expect(error).to.be.instanceOf(AppError))
  return asked
}

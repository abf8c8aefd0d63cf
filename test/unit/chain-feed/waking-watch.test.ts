import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createWakingWatch } from '../../../indexer/chain-feed/waking-watch.ts'

/** Above the head that the node returns, so that no logs are read. */
const START_BLOCK = 10

describe('the watch of a waking network', () => {
  it('stops only after the current reads of all watches have ended', async () => {
    const reads: (() => void)[] = []
    const client = {
      getBlockNumber: () => new Promise<bigint>((resolve) => reads.push(() => resolve(0n))),
    }
    const deployment = { chainId: 1, pollingIntervalMs: 1, blockTimeMs: 1_000 }
    const watch = createWakingWatch({ client, deployment, isLevel: () => true } as never)
    watch.begin(START_BLOCK)
    watch.begin(START_BLOCK)
    const [first, second] = reads
    let hasStopped = false
    const stopping = watch.stop().then(() => {
      hasStopped = true
    })
    second?.()
    await nextTurn()
    expect(hasStopped).to.equal(false)
    first?.()
    await stopping
  })
})

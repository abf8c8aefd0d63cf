import { expect } from 'chai'
import { CONFIRMED, openCharge, SEEN, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import type { NetworkFixture } from '../network-fixture.ts'

/** Does not apply to a confirmation depth of one block, at which a payment is credited in its first block. */
export const reorganization: NetworkCase = {
  name: 'reorg',
  claim:
    'does not credit a payment that is reorganized away before confirmation depth, and credits the next payment once',
  isShort: false,
  isAlone: true,
  isSlow: true,
  run: async (stage) => {
    if (stage.row.confirmations === 1) return 'no depth'
    const { pace, row } = stage
    const { id, address } = await openCharge(stage)
    const [payer, again] = [stage.nextPayer(), stage.nextPayer()]
    await pace.pause()
    const [way] = stage.ways
    await payer.submit(way, address, '10')
    await pace.mine(1)
    await until(stage, id, SEEN)
    await takeBack(stage, 1)
    await pace.mine(row.confirmations + 1)
    const gone = await until(stage, id, {
      ...{ what: 'without its payment', depths: 1 },
      holds: ({ txHash }) => txHash === null,
    })
    expect(gone).to.include({ status: 'pending', amountReceivedExact: null })
    const txHash = await again.submit(way, address, '10')
    await pace.mine(row.confirmations)
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '10', txHash })
    return undefined
  },
}

/** Replaces the last `depth` blocks with empty blocks. */
async function takeBack({ node }: NetworkFixture, depth: number): Promise<void> {
  await node.request({ method: 'anvil_reorg' as never, params: [depth, []] as never })
}

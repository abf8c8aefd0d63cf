import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { transferLog } from '../../support/ponder-chain.ts'
import {
  createPonderFixture,
  createTestFeed,
  PONDER_TIMEOUT_MS,
  type Stage,
  USDC,
} from '../../support/ponder-fixture.ts'

const STRANGER = `0x${'99'.repeat(20)}` as Address

describe('transfers out of an escrow, with a real Ponder and a real chain', function () {
  this.timeout(PONDER_TIMEOUT_MS)

  let stage: Stage
  let feed: ReturnType<typeof createTestFeed>

  before(async () => {
    stage = await createPonderFixture()
    feed = createTestFeed(stage)
    await feed.start()
    await stage.level()
  })

  after(async () => {
    await feed?.stop()
    await stage?.close()
  })

  const movementsOf = (chargeId: string) => stage.sql`
    select action, ordinal, recipient, amount_atomic, inclusion from escrow_transfers
    where charge_id = ${chargeId} order by id`

  it('are classified per transaction: as a refund if too little reaches the split; transfers of zero are ignored', async () => {
    const { id, address, split } = await stage.addCharge({ escrowReleaser: STRANGER })
    await stage.chain.speak(USDC, [
      transferLog({ from: address, to: STRANGER, amount: 0n }),
      transferLog({ from: address, to: split, amount: 7n }),
      transferLog({ from: address, to: STRANGER, amount: 3n }),
    ])
    await stage.chain.mine()
    await stage.level()
    expect([...(await movementsOf(id))]).to.deep.equal([
      { action: 'refund', ordinal: 1, recipient: split, amountAtomic: 7n, inclusion: 'included' },
      { action: 'refund', ordinal: 2, recipient: STRANGER, amountAtomic: 3n, inclusion: 'included' },
    ])
  })

  it('are a release if the whole amount reaches the split, minus the token’s own fee', async () => {
    const { id, address, split } = await stage.addCharge({ escrowReleaser: STRANGER })
    await stage.chain.speak(USDC, [
      transferLog({ from: address, to: STRANGER, amount: 2n }),
      transferLog({ from: address, to: split, amount: 998n }),
    ])
    await stage.chain.mine()
    await stage.level()
    expect((await movementsOf(id)).map(({ action }) => action)).to.deep.equal(['release', 'release'])
  })

  it('are missing after a reorganization, and orphaned only at confirmation depth', async () => {
    const { id, address, split } = await stage.addCharge({ escrowReleaser: STRANGER })
    const becomes = (inclusion: string) =>
      waitFor(async () => (await movementsOf(id))[0]?.['inclusion'] === inclusion, {
        what: `the transfer to be ${inclusion}`,
        timeoutMs: 45_000,
      })
    await stage.chain.speak(USDC, [transferLog({ from: address, to: split, amount: 7n })])
    await stage.chain.mine()
    await becomes('included')
    await stage.chain.reorg(1)
    await becomes('missing')
    await stage.chain.mine(2)
    await becomes('orphaned')
  })
})

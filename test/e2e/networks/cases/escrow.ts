import { expect } from 'chai'
import { prepareAndOrder } from '../../../support/escrow-scenario.ts'
import { CONFIRMED, openCharge, SETTLED, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'

/** Uses the network's first way to pay, which differs most from plain USDC. */
export const escrow: NetworkCase = {
  name: 'escrow',
  claim: 'keeps the money of an escrow in a Safe until the releaser signs, and then pays it out',
  isShort: false,
  run: async (stage) => {
    const releaserAddress = stage.devnet.description.accounts.releaser.address.toLowerCase()
    const { id, address } = await openCharge(stage, { escrow: { releaserAddress } })
    await stage.nextPayer().pay(stage.ways[0], address, '10')
    const confirmed = await until(stage, id, CONFIRMED)
    expect(confirmed).to.include({ amountReceivedExact: '10', settlementStatus: null })
    const { answer } = await prepareAndOrder(stage.devnet, id, 'release')
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 202])
    const settled = await until(stage, id, SETTLED)
    expect(settled.escrow.releasedAt).to.be.a('string')
  },
}

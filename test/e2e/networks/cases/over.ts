import { expect } from 'chai'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'

/** What is too much is said, and kept. */
export const over: NetworkCase = {
  name: 'over',
  claim: 'more than was asked for confirms, and is named as too much',
  isShort: false,
  run: async (stage) => {
    const { id, address } = await openCharge(stage)
    await stage.nextPayer().pay(stage.ways[0], address, '12.5')
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '12.5', isOverpaid: true })
  },
}

import { expect } from 'chai'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'

export const over: NetworkCase = {
  name: 'over',
  claim: 'confirms an overpaid charge, and marks it as overpaid',
  isShort: false,
  run: async (stage) => {
    const { id, address } = await openCharge(stage)
    await stage.nextPayer().pay(stage.ways[0], address, '12.5')
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '12.5', isOverpaid: true })
  },
}

import { expect } from 'chai'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import type { NetworkFixture } from '../network-fixture.ts'
import type { Way } from '../way.ts'

/** Verifies exact payments in each token of the network, and natively if the native coin is one of the tokens. */
export const exact: NetworkCase = {
  name: 'exact',
  claim: 'credits ten dollars for ten dollars in each token, regardless of its decimals and fee',
  isShort: true,
  run: async (stage) => {
    await Promise.all(stage.ways.map((way) => payExactly(stage, way)))
  },
}

async function payExactly(stage: NetworkFixture, way: Way): Promise<void> {
  const { id, address } = await openCharge(stage, { acceptedPayments: [way.pair] })
  const { transactionHash } = await stage.nextPayer().pay(way, address, '10')
  expect(await until(stage, id, CONFIRMED)).to.deep.include({
    ...{ amountReceivedExact: '10', isOverpaid: false },
    ...{ paidWith: [way.pair], txHash: transactionHash },
  })
}

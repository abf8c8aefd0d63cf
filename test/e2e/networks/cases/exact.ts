import { expect } from 'chai'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import type { NetworkFixture } from '../network-fixture.ts'
import type { Way } from '../way.ts'

/** Pays with each token of the network, and with the native coin if the coin is also a token. */
export const exact: NetworkCase = {
  name: 'exact',
  claim:
    'credits exactly ten dollars for ten dollars in each token, regardless of the token’s decimals and fee',
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

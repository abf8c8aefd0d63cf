import { openCharge, SETTLED, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import { expectPaidOut } from '../paid-out.ts'

export const payout: NetworkCase = {
  name: 'payout',
  claim:
    'pays the merchant and the treasury their shares of the address terms in one transaction of our relayer',
  isShort: true,
  run: async (stage) => {
    const made = await openCharge(stage)
    await stage.nextPayer().pay(stage.ways[0], made.address, '10')
    await until(stage, made.id, SETTLED)
    await expectPaidOut(stage, made, { dollars: '10', heldFor: [] })
  },
}

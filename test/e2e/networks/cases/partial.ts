import { expect } from 'chai'
import { parseUnits } from 'viem'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import { formatDollars, getArrivingAmount } from '../way.ts'

/** Pays four dollars and one unit of the token, and later the remaining amount. */
export const partial: NetworkCase = {
  name: 'partial',
  claim:
    'credits the exact amount of a partial payment, and confirms the charge once the remaining amount is paid',
  isShort: false,
  run: async (stage) => {
    const [way] = stage.ways
    const { id, address } = await openCharge(stage)
    const payer = stage.nextPayer()
    const sent = parseUnits('4', way.decimals) + 1n
    await payer.send(way, address, sent)
    const part = getArrivingAmount(way, sent)
    const partly = await until(stage, id, {
      ...{ what: 'partially paid', depths: 1 },
      holds: ({ status }) => status === 'partially_paid',
    })
    expect(partly).to.include({ amountReceivedExact: formatDollars(way, part) })
    await payer.pay(way, address, formatDollars(way, parseUnits('10', way.decimals) - part))
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '10', isOverpaid: false })
  },
}

import { expect } from 'chai'
import { chooseAffordable } from '../../../../api/client/exit/choose-affordable.ts'
import type { QuotedPayment } from '../../../../api/client/exit/sender.ts'
import type { Address } from '../../../../shared/domain/address.ts'

const OWN = `0x${'11'.repeat(20)}` as Address
const TOKEN = { symbol: 'USDC', address: `0x${'22'.repeat(20)}`, decimals: 6 }

/** Returns the dollars of the chosen payments. Each payment pays a held share to the merchant. */
function choose(quotes: readonly (readonly [dollars: number, cost: bigint])[], funds: bigint) {
  const payments = quotes.map(([dollars, cost]) => ({
    ...{
      charge: { family: 'evm' },
      token: TOKEN,
      recipient: OWN,
      amount: BigInt(dollars) * 1_000_000n,
      cost,
    },
  })) as unknown as readonly QuotedPayment[]
  const payouts = new Map([['evm', [OWN]]] as const)
  return chooseAffordable(payments, { funds, payouts }).map(({ amount }) => Number(amount / 1_000_000n))
}

describe('chooseAffordable', () => {
  it('chooses the largest payments whose gas the account can pay', () => {
    expect(
      choose(
        [
          [1, 1n],
          [90, 1n],
          [5, 1n],
        ],
        2n,
      ),
    ).to.deep.equal([90, 5])
  })

  it('skips a payment whose gas exceeds the remaining funds, but not cheaper payments after it', () => {
    expect(
      choose(
        [
          [100, 6n],
          [90, 1n],
          [80, 5n],
          [70, 4n],
        ],
        5n,
      ),
    ).to.deep.equal([90, 70])
  })
})

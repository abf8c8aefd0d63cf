import { expect } from 'chai'
import { hasOwed, isCovered, isSettled, updateLedgers } from '../../../indexer/payouts/update-ledgers.ts'
import type { PairLedger } from '../../../shared/db/charges/daemon/charge-state.ts'
import { atomic, atto } from '../../../shared/domain/money.ts'
import { buildCharge, buildCredit, buildInbox, buildSplitEvent } from '../../support/factories.ts'

const UNIT_ATTO = 10n ** 12n

describe('the ledger of a token whose transfer logs have more decimals than the token', () => {
  it('rounds down only the sum: two payments of 0.6 units make one unit and a remainder of 0.2', () => {
    const ledger = credited([600_000_000_000n, 600_000_000_000n])
    expect(ledger).to.include({ creditedAtomic: 1n, creditedDustAtto: 200_000_000_000n })
    expect(ledger).to.include({ settlementAtomic: 1n, settlementDustAtto: 200_000_000_000n })
  })

  it('adds the remainder of earlier turns', () => {
    const before = credited([2n * UNIT_ATTO + 900_000_000_000n])
    const after = credited([200_000_000_000n], [before])
    expect(after).to.include({ creditedAtomic: 3n, creditedDustAtto: 100_000_000_000n })
  })

  it('is settled once all whole units are distributed, regardless of the remainder', () => {
    const ledger = { ...credited([7n * UNIT_ATTO + 1n]), distributedAtomic: atomic(7n) }
    expect(isSettled([ledger])).to.equal(true)
    expect(isCovered(ledger)).to.equal(true)
    expect(hasOwed(ledger)).to.equal(false)
    expect(isSettled([{ ...ledger, distributedAtomic: atomic(6n) }])).to.equal(false)
  })

  it('is not settled if nothing is payable, because its credits were struck', () => {
    const struck = { ...credited([7n * UNIT_ATTO]), creditedAtomic: atomic(0n) }
    expect(isSettled([struck])).to.equal(false)
  })

  it('stays settled if a late payment completes another unit', () => {
    const settled = { ...credited([7n * UNIT_ATTO + 900_000_000_000n]), distributedAtomic: atomic(7n) }
    const late = credited([100_000_000_000n], [settled], { isSettling: false })
    expect(late).to.include({ creditedAtomic: 8n, settlementAtomic: 7n })
    expect(isSettled([late])).to.equal(true)
    expect(hasOwed(late)).to.equal(true)
  })

  it('counts distributions in atomic units of the token', () => {
    const [event] = [buildSplitEvent({ amountAtomic: atomic(5n) })]
    const mail = buildInbox({
      charge: buildCharge({}),
      ledgers: [credited([5n * UNIT_ATTO])],
      splitEvents: [event],
    })
    expect(updateLedgers(mail, new Set())[0]).to.include({ creditedAtomic: 5n, distributedAtomic: 5n })
  })
})

/** Returns the ledger of a token with 6 decimals after these credits, in 10⁻¹⁸ dollars. */
function credited(
  amounts: readonly bigint[],
  ledgers: readonly PairLedger[] = [],
  { isSettling } = { isSettling: true },
): PairLedger {
  const credits = amounts.map((amount) =>
    buildCredit({ valueAtomic: atomic(amount), amountAtto: atto(amount) }),
  )
  const mail = buildInbox({ charge: buildCharge({}), ledgers, credits })
  const [ledger] = updateLedgers(mail, new Set(isSettling ? credits.map(({ id }) => id) : []))
  if (ledger === undefined) throw new Error('the credits must create a ledger')
  return ledger
}

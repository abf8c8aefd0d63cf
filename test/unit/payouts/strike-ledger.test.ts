import { expect } from 'chai'
import { strikeLedger } from '../../../indexer/payouts/strike-ledger.ts'
import type { PairLedger } from '../../../shared/db/charges/daemon/charge-state.ts'
import type { StruckRow } from '../../../shared/db/charges/daemon/strikes.ts'
import { type AttoDollars, atomic, atto } from '../../../shared/domain/money.ts'
import { buildCharge, CHAINS, getTokenAddress, KEEPER, MERCHANT, randomHex } from '../../support/factories.ts'

const DOLLAR = 1_000_000n
const DOLLAR_ATTO = 10n ** 18n
const BEFORE = new Date('2026-11-20T12:00:00Z')
const AFTER = new Date('2026-11-20T13:00:00Z')

describe('strikeLedger', () => {
  it('subtracts a struck credit, and lowers the settling amount to the remaining on-time credits', () => {
    expect(changes({ event: 'credited', onTime: true })).to.deep.equal({
      creditedAtomic: 7n * DOLLAR,
      settlementAtomic: 5n * DOLLAR,
    })
  })

  it('keeps the settling amount if the remaining on-time credits cover it', () => {
    const remainingAtto = atto(8n * DOLLAR_ATTO)
    expect(changes({ event: 'credited', onTime: true }, { remainingAtto })).to.deep.equal({
      creditedAtomic: 7n * DOLLAR,
    })
  })

  it('does not change the settling amount of an escrow that has ended', () => {
    const charge = buildCharge({ escrowReleaser: KEEPER, escrowReleasedAt: AFTER })
    expect(changes({ event: 'credited', onTime: true }, { charge })).to.deep.equal({
      creditedAtomic: 7n * DOLLAR,
    })
  })

  it('rounds the whole sum down if the token cannot represent it', () => {
    const ledger = { ...LEDGER, creditedDustAtto: atto(3n) }
    const amountAtto = atto(DOLLAR_ATTO + 5n)
    const remainingAtto = atto(8n * DOLLAR_ATTO)
    expect(changes({ event: 'credited', amountAtto }, { ledger, remainingAtto })).to.deep.equal({
      creditedAtomic: 9n * DOLLAR - 1n,
      creditedDustAtto: 10n ** 12n - 2n,
    })
  })

  it('does not lower the credited or the distributed amount below zero', () => {
    const ledger = { ...LEDGER, creditedAtomic: atomic(DOLLAR), distributedAtomic: atomic(DOLLAR) }
    expect(changes({ event: 'credited' }, { ledger })).to.deep.include({ creditedAtomic: 0n })
    expect(changes({ event: 'distributed' }, { ledger })).to.deep.equal({ distributedAtomic: 0n })
  })

  it('subtracts a struck distribution, so that its amount is owed again', () => {
    expect(changes({ event: 'distributed' })).to.deep.equal({ distributedAtomic: DOLLAR })
  })

  it('reverts a hold or release of the merchant’s share, and ignores other shares', () => {
    expect(changes({ event: 'held', party: MERCHANT })).to.deep.equal({ merchantHeldAtomic: -DOLLAR })
    expect(changes({ event: 'released', party: MERCHANT })).to.deep.equal({ merchantHeldAtomic: 5n * DOLLAR })
    expect(changes({ event: 'held', party: KEEPER })).to.deep.equal({})
  })

  it('lowers the withdrawn amount by a struck release, and the released amount by a transfer into the split', () => {
    const charge = buildCharge({ escrowReleaser: KEEPER })
    const ledger = { ...LEDGER, withdrawnAtomic: atomic(9n * DOLLAR), releasedAtomic: atomic(8n * DOLLAR) }
    const { splitAddress } = charge
    expect(changes({ event: 'release', party: splitAddress }, { charge, ledger })).to.deep.equal({
      ...{ withdrawnAtomic: 6n * DOLLAR, releasedAtomic: 5n * DOLLAR },
    })
    expect(changes({ event: 'release', party: KEEPER }, { charge, ledger })).to.deep.equal({
      withdrawnAtomic: 6n * DOLLAR,
    })
    expect(changes({ event: 'refund', party: splitAddress }, { charge, ledger })).to.deep.equal({
      releasedAtomic: 5n * DOLLAR,
    })
  })
})

const LEDGER: PairLedger = {
  ...{ chargeId: 'ch_1', network: 'base', token: 'USDC', chainId: CHAINS.base.chainId, decimals: 6 },
  tokenAddress: getTokenAddress('base'),
  ...{ creditedAtomic: atomic(10n * DOLLAR), creditedDustAtto: atto(0n) },
  ...{ settlementAtomic: atomic(8n * DOLLAR), settlementDustAtto: atto(0n) },
  ...{ withdrawnAtomic: null, withdrawnDustAtto: atto(0n), releasedAtomic: null, releasedDustAtto: atto(0n) },
  ...{ distributedAtomic: atomic(4n * DOLLAR), merchantHeldAtomic: atomic(2n * DOLLAR) },
}

/** Strikes a row of 3 dollars and returns the changed columns. By default, 5 dollars of on-time credits remain. */
function changes(
  row: Partial<StruckRow>,
  {
    charge = buildCharge(),
    ledger = LEDGER,
    remainingAtto = atto(5n * DOLLAR_ATTO),
  }: { charge?: ReturnType<typeof buildCharge>; ledger?: PairLedger; remainingAtto?: AttoDollars } = {},
): Partial<PairLedger> {
  const struck: StruckRow = {
    ...{ kind: 'transfer', rowId: 1, chargeId: charge.id, network: 'base', token: 'USDC' },
    ...{
      chainId: ledger.chainId,
      tokenAddress: ledger.tokenAddress,
      txHash: randomHex(32),
      event: 'credited',
    },
    ...{ party: KEEPER, amountAtomic: atomic(3n * DOLLAR), amountAtto: atto(3n * DOLLAR_ATTO) },
    ...{ onTime: null, countedAt: BEFORE, struckAt: AFTER },
    ...row,
  }
  const after = strikeLedger(ledger, struck, { charge, remainingAtto })
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => value !== ledger[key as keyof PairLedger]),
  )
}

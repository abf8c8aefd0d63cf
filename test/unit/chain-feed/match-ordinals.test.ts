import { expect } from 'chai'
import fc from 'fast-check'
import { matchOrdinals } from '../../../indexer/chain-feed/match-ordinals.ts'
import type { ChainRow } from '../../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'

const BLOCK: Hex = `0x${'b1'.repeat(32)}`
const FORK: Hex = `0x${'b2'.repeat(32)}`
const PAYER = `0x${'9a'.repeat(20)}` as Address
const MINE: Hex = `0x${'aa'.repeat(32)}`

type Said = Partial<ChainRow> & { readonly amount: bigint; readonly at: number; readonly ordinal: number }

function row({ amount, at, ...said }: Said): ChainRow {
  return {
    ...{ chainId: 1, chargeId: 'ch_1', kind: '', tokenAddress: PAYER, party: PAYER, isAccepted: true },
    ...{ txHash: MINE, blockNumber: 1, blockHash: BLOCK, blockTimestamp: 1 },
    ...{ amountAtomic: amount, logIndex: at },
    ...said,
  }
}

function kept(observed: readonly ChainRow[], ledger: readonly ChainRow[]): readonly number[] {
  return matchOrdinals(observed, { ledger, rowOf: (one) => one }).map(({ ordinal }) => ordinal)
}

describe('keepOrdinals', () => {
  const first = row({ amount: 10n, at: 5, ordinal: 0 })
  const second = row({ amount: 90n, at: 7, ordinal: 1 })
  const secondAlone = { ...second, ordinal: 0 }

  it('leaves those of what the ledger does not know as they were counted', () => {
    expect(kept([first, second], [])).to.deep.equal([0, 1])
  })

  it('knows a log again that was shown without the one before it, and gives that one an ordinal of its own', () => {
    expect(kept([first, second], [secondAlone])).to.deep.equal([1, 0])
  })

  it('knows a log again that is shown without the one before it', () => {
    expect(kept([secondAlone], [first, second])).to.deep.equal([1])
  })

  it('takes two logs of one block for two, which neither say the same nor stand at the same place', () => {
    expect(kept([first], [secondAlone])).to.deep.equal([1])
  })

  it('knows a log again by what it says, where nodes count the logs of a block otherwise', () => {
    const recounted = [
      { ...first, logIndex: 7 },
      { ...second, logIndex: 9 },
    ]
    expect(kept(recounted, [secondAlone, { ...first, ordinal: 1 }])).to.deep.equal([1, 0])
  })

  it('takes two that say the same each for the one at its place', () => {
    const twin = row({ amount: 10n, at: 7, ordinal: 1 })
    expect(kept([first, twin], [{ ...twin, ordinal: 0 }])).to.deep.equal([1, 0])
  })

  it('takes what says another amount at the same place for the same log', () => {
    expect(kept([{ ...first, amountAtomic: 11n }], [first])).to.deep.equal([0])
  })

  it('knows a row again that says something else since its transaction was included elsewhere', () => {
    const changed = [row({ amount: 11n, at: 2, ordinal: 0, blockHash: FORK }), { ...second, blockHash: FORK }]
    expect(kept(changed, [secondAlone, { ...first, ordinal: 1 }])).to.deep.equal([1, 0])
    expect(kept([{ ...changed[0], ordinal: 1 } as ChainRow], [first, second])).to.deep.equal([1])
  })

  it('keeps apart what is of other transactions, charges, tokens and kinds', () => {
    const others = [
      { ...first, txHash: FORK },
      { ...first, chargeId: 'ch_2' },
      { ...first, tokenAddress: `0x${'70'.repeat(20)}` as Address },
      { ...first, kind: 'held' },
    ]
    expect(kept([secondAlone], others)).to.deep.equal([0])
  })

  it('has every log of a transaction once in the end, whatever was left out before all were shown', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 3n }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), { maxLength: 6 }),
        (amounts, masks) => {
          // Each is counted as soon as it is there, and keeps what it said then; of equal ones any may be counted.
          const counted = new Map<number, ChainRow>()
          for (const mask of [...masks, amounts.map(() => true)]) {
            const shown = amounts.flatMap((amount, at) =>
              mask[at] === true ? [row({ amount, at, ordinal: 0 })] : [],
            )
            // Transfers of nothing are counted in the ordinals, and not recorded.
            const observed = shown
              .map((one, ordinal) => ({ ...one, ordinal }))
              .filter(({ amountAtomic }) => amountAtomic > 0n)
            const ledger = [...counted.values()]
            for (const one of matchOrdinals(observed, { ledger, rowOf: (each) => each }))
              counted.set(one.ordinal, {
                ...one,
                amountAtomic: counted.get(one.ordinal)?.amountAtomic ?? one.amountAtomic,
              })
          }
          const credited = [...counted.values()].map(({ amountAtomic }) => amountAtomic)
          expect(credited).to.have.members(amounts.filter((amount) => amount > 0n))
        },
      ),
    )
  })
})

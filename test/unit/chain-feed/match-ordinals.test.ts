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
  return matchOrdinals(observed, ledger).map(({ ordinal }) => ordinal)
}

describe('matchOrdinals', () => {
  const first = row({ amount: 10n, at: 5, ordinal: 0 })
  const second = row({ amount: 90n, at: 7, ordinal: 1 })
  const secondAlone = { ...second, ordinal: 0 }

  it('keeps the ordinals of rows that are not in the ledger', () => {
    expect(kept([first, second], [])).to.deep.equal([0, 1])
  })

  it('recognizes a log that was first shown without the log before it, which gets its own ordinal', () => {
    expect(kept([first, second], [secondAlone])).to.deep.equal([1, 0])
  })

  it('recognizes a log that is now shown without the log before it', () => {
    expect(kept([secondAlone], [first, second])).to.deep.equal([1])
  })

  it('treats two logs of one block as distinct if both their content and their position differ', () => {
    expect(kept([first], [secondAlone])).to.deep.equal([1])
  })

  it('recognizes a log by its content if nodes number the logs of a block differently', () => {
    const recounted = [
      { ...first, logIndex: 7 },
      { ...second, logIndex: 9 },
    ]
    expect(kept(recounted, [secondAlone, { ...first, ordinal: 1 }])).to.deep.equal([1, 0])
  })

  it('matches each of two logs with equal content by its position', () => {
    const twin = row({ amount: 10n, at: 7, ordinal: 1 })
    expect(kept([first, twin], [{ ...twin, ordinal: 0 }])).to.deep.equal([1, 0])
  })

  it('matches a log at the same position although its amount differs', () => {
    expect(kept([{ ...first, amountAtomic: 11n }], [first])).to.deep.equal([0])
  })

  it('recognizes a row whose content changed when its transaction was included in another block', () => {
    const changed = [row({ amount: 11n, at: 2, ordinal: 0, blockHash: FORK }), { ...second, blockHash: FORK }]
    expect(kept(changed, [secondAlone, { ...first, ordinal: 1 }])).to.deep.equal([1, 0])
    expect(kept([{ ...changed[0], ordinal: 1 } as ChainRow], [first, second])).to.deep.equal([1])
  })

  it('distinguishes rows of different transactions, charges, tokens and kinds', () => {
    const others = [
      { ...first, txHash: FORK },
      { ...first, chargeId: 'ch_2' },
      { ...first, tokenAddress: `0x${'70'.repeat(20)}` as Address },
      { ...first, kind: 'held' },
    ]
    expect(kept([secondAlone], others)).to.deep.equal([0])
  })

  it('records every transfer above zero exactly once, regardless of the logs that the node omitted before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 3n }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), { maxLength: 6 }),
        (amounts, masks) => {
          // A row keeps the amount of the log that was recorded first. Any of several equal logs may be recorded.
          const counted = new Map<number, ChainRow>()
          for (const mask of [...masks, amounts.map(() => true)]) {
            const shown = amounts.flatMap((amount, at) =>
              mask[at] === true ? [row({ amount, at, ordinal: 0 })] : [],
            )
            // Transfers of zero get ordinals, but are not recorded.
            const observed = shown
              .map((one, ordinal) => ({ ...one, ordinal }))
              .filter(({ amountAtomic }) => amountAtomic > 0n)
            const ledger = [...counted.values()]
            for (const one of matchOrdinals(observed, ledger))
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

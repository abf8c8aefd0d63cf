import { expect } from 'chai'
import * as fc from 'fast-check'
import { assignOrdinals, type ChainLog } from '../../shared/domain/transfer.ts'

type TokenLog = ChainLog & { readonly token: string }

const logs = fc
  .uniqueArray(fc.record({ logIndex: fc.nat(10_000), token: fc.constantFrom('USDC', 'USDT') }), {
    selector: ({ logIndex }) => logIndex,
    maxLength: 30,
  })
  .map((rows) => rows.map((row): TokenLog => ({ txHash: `0x${'ab'.repeat(32)}`, blockNumber: 1, ...row })))

const identified = (input: readonly TokenLog[]) => assignOrdinals(input, ({ token }) => token)

const identitiesOf = (input: readonly TokenLog[]) =>
  identified(input).map(({ token, ordinal }) => `${token} ${ordinal}`)

describe('invariants of transfer identities', () => {
  it('different transfers have different identities', () => {
    fc.assert(
      fc.property(logs, (input) => {
        expect(new Set(identitiesOf(input)).size).to.equal(input.length)
      }),
    )
  })

  it('identities do not depend on the order of the logs', () => {
    fc.assert(
      fc.property(
        logs.chain((input) =>
          fc.tuple(fc.constant(input), fc.shuffledSubarray(input, { minLength: input.length })),
        ),
        ([input, shuffled]) => {
          expect(identified(shuffled)).to.deep.equal(identified(input))
        },
      ),
    )
  })

  it('identities do not depend on the transaction’s position in its block', () => {
    fc.assert(
      fc.property(logs, fc.nat(1_000), (input, offset) => {
        const moved = input.map((log) => ({ ...log, logIndex: log.logIndex + offset }))
        expect(identitiesOf(moved)).to.deep.equal(identitiesOf(input))
      }),
    )
  })
})

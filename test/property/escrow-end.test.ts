import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Address } from '../../shared/domain/address.ts'
import {
  type CountedCredit,
  type CountedMovement,
  type EscrowRecord,
  findEscrowEnd,
  isEscrowDust,
} from '../../shared/domain/escrow-end.ts'
import { atto, micro } from '../../shared/domain/money.ts'

const amountMicro = micro(10_000_000n)
const amountAtto = fc
  .oneof(
    fc.integer({ min: 1, max: 12 }).map((n) => 10n ** 18n * BigInt(n)),
    fc.bigInt(1n, 2n * 10n ** 17n),
  )
  .map(atto)
const timestamp = fc.integer({ min: 1, max: 9 })

const credit: fc.Arbitrary<CountedCredit> = fc.record({
  pair: fc.constantFrom('USDC/base', 'USDT/bnb'),
  sender: fc.constantFrom(...(['0xa', '0xb', '0xc'] as string[] as Address[])),
  ...{ amountAtto, timestamp },
})

const movement: fc.Arbitrary<CountedMovement> = fc.record({
  ...{ amountAtto, timestamp, isIntoSplit: fc.boolean() },
  orderedAction: fc.constantFrom(null, null, null, 'release', 'refund'),
})

const record: fc.Arbitrary<EscrowRecord> = fc.record({
  amountMicro: fc.constant(amountMicro),
  credits: fc.array(credit, { maxLength: 8 }),
  movements: fc.array(movement, { maxLength: 8 }),
})

describe('invariants of the end of an escrow', () => {
  it('occurs only if nearly all of the credits have left or an order was executed, and is never caused by dust', () => {
    check((of) => {
      const end = findEscrowEnd(of)
      if (end === null) return
      const moments = of.movements.map((one) => upTo(of, one.timestamp))
      expect(moments.some(({ credited }) => credited > 0n)).to.equal(true)
      const isGone = moments.some(({ credited, left }) => credited > 0n && left * 100n >= credited * 99n)
      const isOrdered = of.movements.some(({ orderedAction }) => orderedAction === end.action)
      expect(end.byEndpoint ? isOrdered : isGone).to.equal(true)
    })
  })

  it('occurs whenever all credits have left and the credits are not only dust', () => {
    check((of) => {
      const { credited } = upTo(of, 9)
      const rest = { amountAtto: atto(credited), timestamp: 10, isIntoSplit: true, orderedAction: null }
      const end = findEscrowEnd({ ...of, movements: [...of.movements, rest] })
      expect(end !== null).to.equal(credited > 0n)
    })
  })

  it('stays the same regardless of later credits and transfers', () => {
    fc.assert(
      fc.property(record, fc.array(credit), fc.array(movement), (of, credits, movements) => {
        const end = findEscrowEnd(of)
        if (end === null) return
        const later = <Row extends { timestamp: number }>(rows: readonly Row[]) =>
          rows.map((row) => ({ ...row, timestamp: row.timestamp + 10 }))
        const grown = {
          ...of,
          credits: [...of.credits, ...later(credits)],
          movements: [...of.movements, ...later(movements)],
        }
        expect(findEscrowEnd(grown)).to.deep.equal(end)
      }),
    )
  })

  it('depends on the rows, not on their order, unless orders of both actions were executed', () => {
    check((of) => {
      const turned = { ...of, credits: of.credits.toReversed(), movements: of.movements.toReversed() }
      const isUnambiguous = new Set(of.movements.flatMap((one) => one.orderedAction ?? [])).size < 2
      if (isUnambiguous) expect(findEscrowEnd(turned)).to.deep.equal(findEscrowEnd(of))
    })
  })

  it('is not changed by dust from third parties', () => {
    check((of) => {
      const dust = Array.from({ length: 20 }, (_, at): CountedCredit => {
        const sender = `0xd${at}` as Address
        return { pair: 'USDC/base', sender, amountAtto: atto(10n ** 17n - 1n), timestamp: 1 }
      })
      expect(findEscrowEnd({ ...of, credits: [...dust, ...of.credits] })).to.deep.equal(findEscrowEnd(of))
    })
  })
})

function check(law: (of: EscrowRecord) => void): void {
  fc.assert(fc.property(record, law), { numRuns: 1_000 })
}

/**
 * Returns the sum of the credits without dust and the sum of the outgoing transfers, up to and including a timestamp.
 * The credits are summed per pair and sender to find the dust.
 */
function upTo({ credits, movements }: EscrowRecord, timestamp: number) {
  const totals = new Map<string, bigint>()
  for (const one of credits.filter((row) => row.timestamp <= timestamp)) {
    const key = `${one.pair} ${one.sender}`
    totals.set(key, (totals.get(key) ?? 0n) + one.amountAtto)
  }
  const counted = [...totals.values()].filter((total) => !isEscrowDust(atto(total), amountMicro))
  const left = movements.filter((row) => row.timestamp <= timestamp).map((row) => row.amountAtto as bigint)
  return { credited: total(counted), left: total(left) }
}

function total(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

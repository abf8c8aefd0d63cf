import { expect } from 'chai'
import * as fc from 'fast-check'
import { balanceOf, sumEntries } from '../../shared/domain/accounting/books.ts'
import type { BookedCharge } from '../../shared/domain/accounting/build-entries.ts'
import { buildTurns } from '../../shared/domain/accounting/build-turns.ts'
import { ACCOUNTS } from '../../shared/domain/accounting/entry.ts'
import type { LedgerFact } from '../../shared/domain/accounting/ledger-fact.ts'
import type { Address } from '../../shared/domain/address.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import { atto, micro, microToAtto } from '../../shared/domain/money.ts'
import { type Percent, parsePercent } from '../../shared/domain/percent.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { buildBookedCharge, buildFact, NOBODY, sumAccounts } from '../support/accounting-facts.ts'
import { CHAINS, type ChainName, KEEPER, MERCHANT, TREASURY } from '../support/factories.ts'

const NOW = new Date('2026-11-20T13:00:00Z')
const PARTNERS = ['b1', 'b2', 'b3', 'b4'].map((byte) => `0x${byte.repeat(20)}` as Address)

/**
 * In half of the cases, all parties have different addresses. In the others, any two parties can have the same address,
 * except the merchant and a recipient, which charge creation rejects.
 */
const parties = fc.oneof(
  fc.constant({ partners: PARTNERS, treasury: TREASURY }),
  fc.record({
    partners: fc.array(fc.constantFrom(TREASURY, ...PARTNERS), { minLength: 4, maxLength: 4 }),
    treasury: fc.constantFrom(MERCHANT, TREASURY),
  }),
)

/** Charges with up to four split recipients, a fee below 100 percent and an incentive of at most 5 percent. */
const charges: fc.Arbitrary<BookedCharge> = fc
  .record({
    feePercent: fc.integer({ min: 0, max: 999_999 }).map(percent),
    distributorFeePercent: fc.integer({ min: 0, max: 50_000 }).map(percent),
    percents: fc.array(fc.integer({ min: 1, max: 240_000 }).map(percent), { maxLength: 4 }),
    amountMicro: fc.bigInt({ min: 1n, max: 20_000_000n }).map(micro),
    parties,
  })
  .map(({ feePercent, distributorFeePercent, percents, amountMicro, parties: { partners, treasury } }) => {
    const splitRecipients = percents.map((share, index) => ({
      address: partners[index] as Address,
      percent: share,
    }))
    const terms = { feePercent, distributorFeePercent, merchant: MERCHANT, treasury }
    const allocated = allocate({ ...terms, splitRecipients })
    if (!allocated.ok) return null
    return buildBookedCharge({
      amountMicro,
      splitTerms: { factory: SPLIT_FACTORY, ...allocated.split },
      splitRecipients: splitRecipients.map(({ address }) => ({ address, percentText: '1' })),
    })
  })
  .filter((charge) => charge !== null)

const chains = fc.constantFrom<ChainName>('base', 'bnb')

/** Amounts without a fraction of the unit in the chain's logs: the token's unit, or 10^-18 dollars on Arc. */
const amounts = (chain: ChainName, isArc: boolean) => {
  const unit = isArc ? 1n : 10n ** BigInt(18 - CHAINS[chain].decimals)
  return fc.bigInt({ min: 1n, max: 20n * 10n ** 18n }).map((value) => atto((value / unit + 1n) * unit))
}

/** Payments on one pair, the distributors that share their sum, and the recipient that cannot be paid. */
const histories = fc.record({ chain: chains, isArc: fc.boolean() }).chain(({ chain, isArc }) =>
  fc.record({
    chain: fc.constant(chain),
    payments: fc.array(amounts(chain, isArc), { minLength: 1, maxLength: 4 }),
    distributors: fc.array(fc.constantFrom(NOBODY, KEEPER, MERCHANT), { minLength: 1, maxLength: 3 }),
    blocked: fc.constantFrom(null, MERCHANT, TREASURY, PARTNERS[0]),
    isReleased: fc.boolean(),
  }),
)
/** Rows of one pair in any order. Some are struck later. A party of `null` stands for the split. */
const anyFacts: fc.Arbitrary<readonly LedgerFact[]> = fc
  .array(
    fc.record({
      event: fc.constantFrom('credited', 'distributed', 'moved'),
      party: fc.constantFrom(KEEPER, null),
      amountAtto: amounts('base', false),
      isStruck: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((rows) => [
    ...rows.map(({ isStruck: _, ...row }) => buildFact(row)),
    ...rows
      .filter(({ isStruck }) => isStruck)
      .map(({ isStruck: _, ...row }) => buildFact({ ...row, struckAt: NOW })),
  ])
type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never

describe('accounting entries of any charge', () => {
  it('sum to zero, and account for the whole received amount, to the last unit', () => {
    check(({ charge, history }) => {
      const entries = bookHistory(charge, history)
      for (const { legs } of entries)
        expect(legs.reduce((sum, { amountAtto }) => sum + amountAtto, 0n)).to.equal(0n)
      const received = history.payments.reduce((sum, amount) => sum + amount, 0n)
      const assets = sumAccounts(entries, 'clearing', 'held', 'wallet', 'rounding')
      expect(assets + sumAccounts(entries, 'fee', 'incentive', 'share')).to.equal(received)
      expect(sumAccounts(entries, 'liability', 'sales')).to.equal(-received)
    })
  })

  it('leave nothing in clearing after the whole amount is distributed, and less than a unit in rounding', () => {
    check(({ charge, history }) => {
      const entries = bookHistory(charge, history)
      expect(sumAccounts(entries, 'clearing')).to.equal(0n)
      const unit = 10n ** BigInt(18 - CHAINS[history.chain].decimals)
      const rest = history.payments.reduce((sum, amount) => sum + amount, 0n) % unit
      expect(sumAccounts(entries, 'rounding')).to.equal(rest)
    })
  })

  it('book to each address the amount that the contract pays it', () => {
    check(({ charge, history }) => {
      const paid = new Map<string, bigint>()
      for (const event of runContract(charge, history))
        for (const [who, units] of event.paid) add(paid, who, units)
      const entries = bookHistory(charge, history)
      const scale = 10n ** BigInt(18 - CHAINS[history.chain].decimals)
      const booked = new Map<string, bigint>()
      for (const { legs } of entries)
        for (const { account, party, amountAtto } of legs)
          if (['wallet', 'fee', 'incentive', 'share'].includes(account))
            add(booked, party ?? '', amountAtto / scale)
      expect(withoutZeros(booked)).to.deep.equal(withoutZeros(paid))
    })
  })

  it('book all shares of an address with several roles to one account, so that a held share makes no balance negative', () => {
    check(({ charge, history }) => {
      const balances = new Map<string, bigint>()
      const accounts = new Map<string, string>()
      for (const { legs } of bookHistory(charge, history)) {
        for (const { account, party, amountAtto } of legs) {
          if (!['wallet', 'fee', 'share'].includes(account)) continue
          add(balances, party ?? '', amountAtto)
          expect(accounts.get(party ?? '') ?? account).to.equal(account)
          accounts.set(party ?? '', account)
        }
        for (const [party, balance] of balances) expect(balance >= 0n, `${party}: ${balance}`).to.equal(true)
      }
      if (accounts.has(MERCHANT)) expect(accounts.get(MERCHANT)).to.equal('wallet')
    })
  })

  it('never book a negative balance of the split or the Safe, for any uncredited, late or struck amounts', () => {
    fc.assert(
      fc.property(charges, fc.boolean(), anyFacts, (charge, isEscrow, facts) => {
        const booked = { ...charge, escrowReleaser: isEscrow ? KEEPER : null }
        const turns = facts.map((fact) => [{ ...fact, party: fact.party ?? booked.splitAddress }])
        const sums: Record<string, bigint> = {}
        for (const { legs } of bookFacts(booked, turns)) {
          for (const { account, amountAtto } of legs) sums[account] = (sums[account] ?? 0n) + amountAtto
          const { clearing = 0n, escrow = 0n, uncredited = 0n, escrow_uncredited: moved = 0n } = sums
          expect([clearing, escrow, -uncredited, -moved].map((amount) => amount < 0n)).to.not.include(true)
          expect(clearing * uncredited + escrow * moved, 'one of the two is zero').to.equal(0n)
        }
      }),
    )
  })

  it('date a sale by the payment that completed the amount, whether one turn or two turns count the payments', () => {
    check(({ charge, history }) => {
      const facts = listFacts(charge, history)
      const confirmed = { ...charge, isConfirmed: true }
      let received = 0n
      const completing = facts.find(({ event, amountAtto }) => {
        received += event === 'credited' ? amountAtto : 0n
        return received >= microToAtto(charge.amountMicro)
      })
      if (completing?.event !== 'credited') return
      const at = facts.indexOf(completing) + 1
      for (const turns of [[facts], [facts.slice(0, at), facts.slice(at)]]) {
        const entries = buildTurns(
          turns.map((counted) => ({
            ...{ charge: counted.includes(completing) ? confirmed : charge, facts: counted, now: NOW },
          })),
        )
        const sales = entries.filter(({ category }) => category === 'sale')
        expect(sales.map(({ postedAt }) => postedAt)).to.deep.equal([completing.minedAt])
      }
    })
  })

  it('book the sale of a confirmed charge’s amount without its excess, and no sale for an unconfirmed charge', () => {
    check(({ charge, history }) => {
      const received = history.payments.reduce((sum, amount) => sum + amount, 0n)
      const target = microToAtto(charge.amountMicro)
      expect(sumAccounts(bookHistory(charge, history), 'sales')).to.equal(0n)
      if (received < target) return
      const sold = bookHistory({ ...charge, isConfirmed: true }, history)
      expect(sumAccounts(sold, 'sales')).to.equal(0n - target)
      expect(sumAccounts(sold, 'liability')).to.equal(target - received)
    })
  })

  it('have distinct ids, which are the same whether one turn counts all rows or each row has its own turn', () => {
    check(({ charge, history }) => {
      const facts = listFacts(charge, history)
      const together = bookFacts(charge, [facts]).map(({ entryId }) => entryId)
      const oneByOne = bookFacts(
        charge,
        facts.map((fact) => [fact]),
      ).map(({ entryId }) => entryId)
      expect(oneByOne).to.deep.equal(together)
      expect(new Set(together).size).to.equal(together.length)
    })
  })

  it('have the same sums after a strike as without the struck row', () => {
    fc.assert(
      fc.property(charges, histories, fc.nat(), (charge, history, pick) => {
        const confirmed = { ...charge, isConfirmed: true }
        const facts = listFacts(charge, history)
        const struck = facts[pick % facts.length] as LedgerFact
        const after = bookFacts(confirmed, [facts, [{ ...struck, struckAt: NOW }]])
        const without = bookFacts(confirmed, [facts.filter((fact) => fact !== struck)])
        expect(sumsOf(after)).to.deep.equal(sumsOf(without))
        expect(after.filter(({ corrects }) => corrects !== null)).to.not.have.length(0)
      }),
    )
  })
})

function check(law: (life: { readonly charge: BookedCharge; readonly history: History }) => void): void {
  fc.assert(
    fc.property(charges, histories, (charge, history) => law({ charge, history })),
    { numRuns: 200 },
  )
}

function bookHistory(charge: BookedCharge, history: History) {
  return bookFacts(charge, [listFacts(charge, history)])
}

function bookFacts(charge: BookedCharge, turns: readonly (readonly LedgerFact[])[]) {
  return buildTurns(turns.map((facts) => ({ charge, facts, now: NOW })))
}

/** Returns the balances of all accounts, and the times of the first and the last payment. */
function sumsOf(entries: ReturnType<typeof bookFacts>) {
  const pairs = [...sumEntries(entries).values()]
  const balances = ACCOUNTS.map((account) => pairs.reduce((sum, pair) => sum + balanceOf(pair, account), 0n))
  const paid = pairs.filter(({ lastPaidAt }) => lastPaidAt !== null)
  return [balances, paid.map(({ firstPaidAt, lastPaidAt }) => [firstPaidAt, lastPaidAt])]
}

function listFacts(charge: BookedCharge, history: History): readonly LedgerFact[] {
  const { chain } = history
  const scale = 10n ** BigInt(18 - CHAINS[chain].decimals)
  const at = (order: number) => new Date(NOW.getTime() - 100_000 + order * 1000)
  const credits = history.payments.map((amountAtto, order) =>
    buildFact({ chain, amountAtto, minedAt: at(order) }),
  )
  const events = runContract(charge, history).map(({ event, account, units, txHash, ordinal }, order) =>
    buildFact({
      chain,
      event,
      party: account,
      amountAtto: atto(units * scale),
      txHash,
      ordinal,
      minedAt: at(50 + order),
    }),
  )
  return [...credits, ...events]
}

type ContractEvent = Pick<LedgerFact, 'event' | 'txHash' | 'ordinal'> & {
  readonly account: Address
  readonly units: bigint
  /** The amount that each account received in this event. */
  readonly paid: readonly (readonly [string, bigint])[]
}

/**
 * Models `PaymentSplit` in units of the token. The whole amount is distributed, in one part per distributor.
 */
function runContract(charge: BookedCharge, history: History): readonly ContractEvent[] {
  const { splitTerms } = charge
  const scale = 10n ** BigInt(18 - CHAINS[history.chain].decimals)
  const payable = history.payments.reduce((sum, amount) => sum + amount, 0n) / scale
  const parts = BigInt(history.distributors.length)
  const events: ContractEvent[] = []
  let held = 0n
  for (const [index, distributor] of history.distributors.entries()) {
    const units = payable / parts + (index === 0 ? payable % parts : 0n)
    if (units === 0n) continue
    const txHash = `0x${String(index).repeat(64)}` as const
    const incentive =
      distributor === NOBODY ? 0n : (units * BigInt(splitTerms.distributionIncentive)) / 1_000_000n
    const pot = units - incentive
    const others = splitTerms.allocations
      .slice(1)
      .map((allocation) => (pot * BigInt(allocation)) / 1_000_000n)
    const shares = [pot - others.reduce((sum, share) => sum + share, 0n), ...others]
    const due = splitTerms.recipients.map((who, place) => [who, shares[place] ?? 0n] as const)
    const paid = due.filter(([who]) => who !== history.blocked)
    events.push({
      event: 'distributed',
      account: distributor,
      units,
      txHash,
      ordinal: 0,
      paid: [[distributor, incentive], ...paid],
    })
    const unpaid = due.filter(([who, share]) => who === history.blocked && share > 0n)
    for (const [ordinal, [who, share]] of unpaid.entries()) {
      held += share
      events.push({ event: 'held', account: who, units: share, txHash, ordinal, paid: [] })
    }
  }
  const { blocked } = history
  if (!history.isReleased || held === 0n || blocked === null || blocked === undefined) return events
  const released = { event: 'released', account: blocked, units: held, ordinal: 0 } as const
  return [...events, { ...released, txHash: `0x${'e'.repeat(64)}`, paid: [[blocked, held]] }]
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}

function withoutZeros(sums: ReadonlyMap<string, bigint>): object {
  return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0n))
}

function percent(tenThousandths: number): Percent {
  const parsed = parsePercent((tenThousandths / 10_000).toFixed(4), { maxFractionDigits: 4 })
  if (parsed === null) throw new Error('not a percentage')
  return parsed
}

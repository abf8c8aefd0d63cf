import * as fc from 'fast-check'
import { type ChargeInbox, type ChargeOutcome, decideCharge } from '../../indexer/charges/decide-charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { DueCredit } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { PairLedger } from '../../shared/db/charges/daemon/charge-state.ts'
import { type AttoDollars, atomic, atto } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import {
  buildCharge,
  buildCredit,
  buildInbox,
  buildSplitEvent,
  type ChainName,
  EXPIRES_AT,
  IN_TIME,
  MERCHANT,
  TOO_LATE,
  TREASURY,
  units,
} from '../support/factories.ts'

/** The inputs of one turn of a charge. */
export type Step = Pick<ChargeInbox, 'credits' | 'splitEvents' | 'isDeadlinePassed' | 'facts'>

/** A turn's input and decision, and the charge and all ledgers after the turn. */
export type Lived = {
  readonly charge: ChargeRow
  readonly step: Step
  readonly decision: ChargeOutcome
  readonly ledgers: readonly PairLedger[]
}

/** A turn without changes. */
export const QUIET: Step = { credits: [], splitEvents: [], isDeadlinePassed: false, facts: [] }

const chain = fc.constantFrom<ChainName>('base', 'bnb')

/**
 * Mostly whole dollars, so that sums often reach the target of 10; otherwise down to the smallest unit of 6 or 18
 * decimals.
 */
const value = (of: ChainName) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 11 }).map((dollars) => units(dollars, of)) },
    { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: units(11, of) }).map(atomic) },
  )

const credit = (times: readonly number[]) =>
  chain.chain((of) =>
    fc
      .tuple(value(of), fc.constantFrom(...times))
      .map(([valueAtomic, blockTimestamp]) => buildCredit({ chain: of, valueAtomic, blockTimestamp })),
  )

/** Split events, whose amounts often exceed the charge's payments, so that pairs are often fully distributed. */
const splitEvent = chain.chain((of) =>
  fc
    .tuple(
      fc.oneof(value(of), fc.constant(units(1000, of))),
      fc.constantFrom('distributed', 'distributed', 'distributed', 'held', 'held', 'released'),
      fc.boolean(),
    )
    .chain(([amountAtomic, kind, isDeep]) =>
      fc
        .constantFrom(MERCHANT, TREASURY)
        .map((account) => buildSplitEvent({ chain: of, amountAtomic, kind, isDeep, account })),
    ),
)

const quietStep = fc.constant({ isDeadlinePassed: false, facts: [] })

const step = (times: readonly number[]): fc.Arbitrary<Step> =>
  fc
    .tuple(
      fc.array(credit(times), { maxLength: 3 }),
      fc.array(splitEvent, { maxLength: 4 }),
      fc.oneof(
        { weight: 5, arbitrary: quietStep },
        {
          weight: 1,
          arbitrary: fc.constant({ isDeadlinePassed: false, facts: [{ type: 'payouts.failed' }] }),
        },
      ),
    )
    .map(([credits, splitEvents, rest]) => ({ credits, splitEvents, ...rest }) as Step)

/** Turns of a charge. Payments in time are credited before the deadline passes, because the expiry waits for them. */
export const lives: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(step([IN_TIME, EXPIRES_AT.getTime() / 1000 - 1, TOO_LATE]), { maxLength: 5 }),
    fc.array(step([TOO_LATE, TOO_LATE + 86_400]), { maxLength: 4 }),
  )
  .map(([before, after]) => [...before, { ...QUIET, isDeadlinePassed: true }, ...after])

/** Runs the turns of a charge. Each turn reads the rows that the previous turn has written. */
export function live(steps: readonly Step[], born: ChargeRow = buildCharge()): readonly [Lived, ...Lived[]] {
  const lived: Lived[] = []
  let charge = born
  let ledgers: readonly PairLedger[] = []
  for (const [turn, news] of steps.entries()) {
    const mail = buildInbox({ charge, ledgers, ...news })
    const decision = decideCharge(mail, new Date(EXPIRES_AT.getTime() + turn * 1000))
    const kept = ledgers.filter((old) => !decision.ledgers.some((ledger) => pairKey(ledger) === pairKey(old)))
    ledgers = [...kept, ...decision.ledgers]
    charge = { ...charge, ...decision.state }
    lived.push({ charge, step: news, decision, ledgers })
  }
  const [first, ...others] = lived
  if (first === undefined) throw new Error('a life must have at least one turn')
  return [first, ...others]
}

export function listCredits(steps: readonly Step[]): readonly DueCredit[] {
  return steps.flatMap(({ credits }) => credits)
}

export function isOnTime({ blockTimestamp }: DueCredit): boolean {
  return blockTimestamp < TOO_LATE
}

export function sum(credits: readonly DueCredit[]): AttoDollars {
  return atto(credits.reduce((total, { amountAtto }) => total + amountAtto, 0n))
}

/** Whether the charge's status can still change. */
export function isOpen({ status }: ChargeRow): boolean {
  return status === 'pending' || status === 'partially_paid'
}

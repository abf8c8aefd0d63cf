import { expect } from 'chai'
import { type SnapshotFrom, transition } from 'xstate'
import { adjacencyMapToArray, getAdjacencyMap } from 'xstate/graph'
import { type ChargeEventType, type ChargeFact, chargeMachine } from '../../../machines/charge.ts'
import { atto } from '../../../shared/domain/money.ts'
import { formatRow, listMutants, readTable } from './machine-table.ts'

/**
 * From the specification, "Charge `status`", and decisions 3.5 to 3.7. *Short* and *enough* compare the money that
 * arrived in time with the target. *Above* marks the credit that raises the whole sum above the target. *Payable* means
 * that payouts may open (decisions 3.6). All other facts change nothing.
 */
const STATUS = readTable(`
  pending        | in time, short         | partially_paid | charge.partially_paid                  |
  pending        | in time, short, above  | partially_paid | charge.partially_paid, charge.overpaid |
  pending        | in time, enough        | confirmed      | charge.confirmed                       | payable
  pending        | in time, enough, above | confirmed      | charge.confirmed, charge.overpaid      | payable
  pending        | late, above            | pending        | charge.overpaid                        |
  pending        | deadline               | expired        | charge.expired                         |
  pending        | deadline, late money   | expired        | charge.expired                         | payable
  partially_paid | in time, short, above  | partially_paid | charge.overpaid                        |
  partially_paid | in time, enough        | confirmed      | charge.confirmed                       | payable
  partially_paid | in time, enough, above | confirmed      | charge.confirmed, charge.overpaid      | payable
  partially_paid | late, above            | partially_paid | charge.overpaid                        |
  partially_paid | deadline               | underpaid      | charge.underpaid                       | payable
  partially_paid | deadline, late money   | underpaid      | charge.underpaid                       | payable
  confirmed      | in time                | confirmed      |                                        | payable
  confirmed      | in time, above         | confirmed      | charge.overpaid                        | payable
  confirmed      | late                   | confirmed      |                                        | payable
  confirmed      | late, above            | confirmed      | charge.overpaid                        | payable
  expired        | in time                | expired        |                                        | payable
  expired        | in time, above         | expired        | charge.overpaid                        | payable
  expired        | late                   | expired        |                                        | payable
  expired        | late, above            | expired        | charge.overpaid                        | payable
  underpaid      | in time                | underpaid      |                                        | payable
  underpaid      | in time, above         | underpaid      | charge.overpaid                        | payable
  underpaid      | late                   | underpaid      |                                        | payable
  underpaid      | late, above            | underpaid      | charge.overpaid                        | payable
`)

/**
 * From the specification, "Escrow", and decisions 4.1 and 4.4. An escrow ends only once. The releaser alone moves
 * payments that arrive after its end.
 */
const ESCROW = readTable(`
  held     | escrow.released by endpoint | released | charge.escrow_released | payable
  held     | escrow.released on chain    | released |                        | payable
  held     | escrow.refunded by endpoint | refunded | charge.escrow_refunded |
  held     | escrow.refunded on chain    | refunded |                        |
`)

/** From the specification, "Charge `settlementStatus`", and decisions 3.6 and 4.4. */
const SETTLEMENT = readTable(`
  none      | payable, escrow none                     | pending   |                          | openPayouts
  none      | payable, escrow released                 | pending   |                          | openPayouts
  none      | payable, escrow none, expired            | none      |                          | openPayouts
  none      | payable, escrow released, expired        | none      |                          | openPayouts
  none      | late_funds.due, escrow none, expired     | pending   |                          |
  none      | late_funds.due, escrow released, expired | pending   |                          |
  pending   | payable, escrow none                     | pending   |                          | openPayouts
  pending   | payable, escrow released                 | pending   |                          | openPayouts
  pending   | payable, escrow none, expired            | pending   |                          | openPayouts
  pending   | payable, escrow released, expired        | pending   |                          | openPayouts
  pending   | payouts.completed                        | completed | charge.settled           |
  pending   | payouts.failed                           | failed    | charge.settlement_failed |
  completed | payable, escrow none                     | completed |                          | openPayouts
  completed | payable, escrow released                 | completed |                          | openPayouts
  completed | payable, escrow none, expired            | completed |                          | openPayouts
  completed | payable, escrow released, expired        | completed |                          | openPayouts
  failed    | payable, escrow none                     | failed    |                          | openPayouts
  failed    | payable, escrow released                 | failed    |                          | openPayouts
  failed    | payable, escrow none, expired            | failed    |                          | openPayouts
  failed    | payable, escrow released, expired        | failed    |                          | openPayouts
  failed    | payouts.completed                        | completed | charge.settled           |
  none      | split.reached                            | none      |                          | openPayouts
  pending   | split.reached                            | pending   |                          | openPayouts
  completed | split.reached                            | completed |                          | openPayouts
  failed    | split.reached                            | failed    |                          | openPayouts
`)

const TARGET = atto(3n)

const FACTS: readonly ChargeFact[] = [
  ...[1n, 3n, 4n].flatMap((amount) =>
    [true, false].map((onTime) => ({ type: 'transfer.credited', amountAtto: atto(amount), onTime }) as const),
  ),
  { type: 'deadline.passed' },
  { type: 'late_funds.due' },
  { type: 'payouts.completed' },
  { type: 'payouts.failed' },
  ...[true, false].flatMap((byEndpoint) => [
    { type: 'escrow.released', byEndpoint } as const,
    { type: 'escrow.refunded', byEndpoint } as const,
  ]),
  { type: 'split.reached' },
]

describe('chargeMachine', () => {
  const walk = walkThrough(chargeMachine)
  const strikes = walk
    .filter(({ fact }) => fact.type === 'transfer.credited')
    .flatMap(({ fact, after }) =>
      fact.type === 'transfer.credited'
        ? [take(chargeMachine, after, { ...fact, type: 'transfer.struck' })]
        : [],
    )

  it('changes the status only as the specification states', () => {
    expect(rowsOf(walk, statusRow)).to.deep.equal(STATUS)
  })

  it('changes the escrow only as the specification states', () => {
    expect(rowsOf(walk, escrowRow)).to.deep.equal(ESCROW)
  })

  it('settles only as the specification states', () => {
    expect(rowsOf(walk, settlementRow)).to.deep.equal(SETTLEMENT)
  })

  it('is confirmed if and only if the money that arrived in time reaches the target before the charge is final', () => {
    for (const { before, after, fact } of walk) {
      const isReached = after.context.onTimeAtto >= TARGET
      if (after.value.status === 'confirmed') expect(isReached).to.equal(true)
      if (isReached && fact.type === 'transfer.credited' && !isFinal(before))
        expect(after.value.status).to.equal('confirmed')
    }
  })

  it('does not settle while the money is in an escrow or after a refund', () => {
    for (const { after } of walk) {
      if (after.value.escrow === 'held' || after.value.escrow === 'refunded')
        expect(after.value.settlement).to.equal('none')
    }
  })

  it('adds every credit to the received amount, in time or late', () => {
    expect(walk.filter((step) => !isSummedUp(step))).to.deep.equal([])
  })

  it('subtracts a struck credit from the sum without changing a status', () => {
    for (const { before, after, appended, opensPayouts } of strikes) {
      expect(after.value).to.deep.equal(before.value)
      expect({ appended, opensPayouts }).to.deep.equal({ appended: [], opensPayouts: false })
    }
    expect(strikes.filter((step) => !isSummedUp(step))).to.deep.equal([])
  })

  it('appends charge.overpaid once, even if a strike and another credit follow', () => {
    const credit = { type: 'transfer.credited', amountAtto: atto(4n), onTime: true } as const
    const struck = { ...credit, type: 'transfer.struck' } as const
    const [paid, without, again] = [credit, struck, credit].reduce<readonly Step[]>(
      (steps, fact) => [
        ...steps,
        take(chargeMachine, steps.at(-1)?.after ?? start(chargeMachine, 'none'), fact),
      ],
      [],
    )
    expect([paid, without, again].map((step) => step?.appended)).to.deep.equal([
      ['charge.confirmed', 'charge.overpaid'],
      [],
      [],
    ])
  })

  it('differs from these tables if its definition lacks any one transition, action, guard or target', () => {
    const judged = new Map([...walk, ...strikes].map((step) => [judge(step), step]))
    const unnoticed = listMutants(chargeMachine).filter(({ machine }) =>
      [...judged].every(([verdict, { before, fact }]) => judge(take(machine, before, fact)) === verdict),
    )
    expect(unnoticed.map(({ mistake }) => mistake)).to.deep.equal([])
  })
})

type Snapshot = SnapshotFrom<typeof chargeMachine>

type Step = {
  readonly before: Snapshot
  readonly fact: ChargeFact
  readonly after: Snapshot
  readonly appended: readonly ChargeEventType[]
  readonly opensPayouts: boolean
}

/**
 * Takes every transition from a new charge, with and without escrow, until the received amount is two units above the
 * target.
 */
function walkThrough(machine: typeof chargeMachine): readonly Step[] {
  return (['none', 'held'] as const).flatMap((escrow) => {
    const reached = getAdjacencyMap(machine, {
      fromState: start(machine, escrow),
      events: FACTS,
      serializeState: ({ value, context }) =>
        [...Object.values(value), context.receivedAtto, context.onTimeAtto].join(),
      serializeEvent: (fact) => Object.values(fact).join(),
      stopWhen: ({ context }) => context.receivedAtto > TARGET + 1n,
    })
    return adjacencyMapToArray(reached).map(({ state, event }) => take(machine, state, event as ChargeFact))
  })
}

function start(machine: typeof chargeMachine, escrow: 'none' | 'held'): Snapshot {
  return machine.resolveState({
    value: { status: 'pending', settlement: 'none', escrow },
    context: {
      ...{ targetAtto: TARGET, receivedAtto: atto(0n), onTimeAtto: atto(0n) },
      isOverpaidAnnounced: false,
    },
  })
}

function take(machine: typeof chargeMachine, before: Snapshot, fact: ChargeFact): Step {
  // Resolve again: a snapshot contains the transitions of the machine that created it.
  const { value, context } = before
  const [after, actions] = transition(machine, machine.resolveState({ value, context }), fact)
  return {
    ...{ before, fact, after },
    appended: actions.flatMap(({ type, params }) =>
      type === 'appendEvent' ? [(params as { type: ChargeEventType }).type] : [],
    ),
    opensPayouts: actions.some(({ type }) => type === 'openPayouts'),
  }
}

/** Returns the distinct rows of a region. `rowOf` returns `null` for a step that changes nothing in the region. */
function rowsOf(walk: readonly Step[], rowOf: (step: Step) => string | null): readonly string[] {
  return [...new Set(walk.map(rowOf))].filter((row) => row !== null).toSorted()
}

function statusRow(step: Step): string | null {
  if (!isOfStatus(step.fact)) return null
  const cells = statusCells(step)
  // For a held or refunded escrow, the machine does not show whether the charge is payable, so the table decides.
  const isPayable = isEscrowed(step) ? STATUS.includes(formatRow([...cells, 'payable'])) : step.opensPayouts
  const isIdle = step.before.value.status === step.after.value.status && cells[3] === '' && !isPayable
  return isIdle ? null : formatRow([...cells, isPayable ? 'payable' : ''])
}

function escrowRow(step: Step): string | null {
  if (isOfStatus(step.fact) || step.fact.type === 'split.reached') return null
  const cells = escrowCells(step)
  if (cells[0] === cells[2] && cells[3] === '' && !step.opensPayouts) return null
  return formatRow([...cells, step.opensPayouts ? 'payable' : ''])
}

function settlementRow(step: Step): string | null {
  const { before, after, opensPayouts } = step
  const cells = [before.value.settlement, settlementFact(step), after.value.settlement]
  const appended = eventsOf(step, /settle/)
  const isIdle = cells[0] === cells[2] && appended === '' && !opensPayouts
  return isIdle ? null : formatRow([...cells, appended, opensPayouts ? 'openPayouts' : ''])
}

/**
 * Returns the fact that affects the settlement. Whether the charge is payable comes from the tables of status and
 * escrow, not from the machine.
 */
function settlementFact(step: Step): string {
  const isPayable =
    STATUS.includes(formatRow([...statusCells(step), 'payable'])) ||
    ESCROW.includes(formatRow([...escrowCells(step), 'payable']))
  if (!isPayable && step.fact.type !== 'late_funds.due') return step.fact.type
  const { escrow, status } = step.after.value
  const expired = status === 'expired' ? ', expired' : ''
  return `${isPayable ? 'payable' : step.fact.type}, escrow ${escrow}${expired}`
}

function statusCells(step: Step): string[] {
  const { before, after } = step
  return [before.value.status, statusFact(step), after.value.status, eventsOf(step, /paid|confirmed|expired/)]
}

function escrowCells(step: Step): string[] {
  const { before, fact, after } = step
  const how = 'byEndpoint' in fact ? (fact.byEndpoint ? ' by endpoint' : ' on chain') : ''
  return [before.value.escrow, fact.type + how, after.value.escrow, eventsOf(step, /escrow/)]
}

function statusFact({ before, fact }: Step): string {
  const { receivedAtto, onTimeAtto } = before.context
  if (fact.type === 'deadline.passed') return receivedAtto > onTimeAtto ? 'deadline, late money' : 'deadline'
  if (fact.type !== 'transfer.credited') return fact.type
  const isAbove = receivedAtto <= TARGET && receivedAtto + fact.amountAtto > TARGET
  const isEnough = onTimeAtto + fact.amountAtto >= TARGET
  return [
    fact.onTime ? 'in time' : 'late',
    ...(fact.onTime && !isFinal(before) ? [isEnough ? 'enough' : 'short'] : []),
    ...(isAbove ? ['above'] : []),
  ].join(', ')
}

function eventsOf({ appended }: Step, ofRegion: RegExp): string {
  return appended.filter((type) => ofRegion.test(type)).join(', ')
}

function isSummedUp({ before, fact, after }: Step): boolean {
  const credited =
    'amountAtto' in fact ? (fact.type === 'transfer.struck' ? -1n * fact.amountAtto : fact.amountAtto) : 0n
  return after.context.receivedAtto === before.context.receivedAtto + credited
}

/**
 * Returns the same text for equal steps. The text includes the settlement even if nothing changes, because a missing
 * guard would show there.
 */
function judge(step: Step): string {
  const { before, fact } = step
  const rows = [statusRow(step), escrowRow(step), settlementRow(step), isSummedUp(step)]
  return [before.value.settlement, fact.type, ...rows].join('\n')
}

function isOfStatus({ type }: ChargeFact): boolean {
  return type === 'transfer.credited' || type === 'deadline.passed'
}

function isFinal({ value }: Snapshot): boolean {
  return value.status !== 'pending' && value.status !== 'partially_paid'
}

function isEscrowed({ after }: Step): boolean {
  return after.value.escrow === 'held' || after.value.escrow === 'refunded'
}

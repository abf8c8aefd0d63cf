import { expect } from 'chai'
import { transition } from 'xstate'
import { adjacencyMapToArray, getAdjacencyMap } from 'xstate/graph'
import { type PayoutFact, payoutMachine } from '../../../machines/payout.ts'
import { formatRow, listMutants, readTable } from './machine-table.ts'

/**
 * Status, fact, next status and actions, from the specification, "Payout attempt", and decisions 3.6 and 5.2 to 5.4.
 * Other facts change nothing.
 */
const TABLE = readTable(`
  pending    | worker.claimed        | processing | beginAttempt, announceClaimed
  pending    | distribution.seen     | processing | recordDistribution, endHold, endLease, announceClaimed
  pending    | payout.covered        | completed  | noteStart, complete, endHold, endLease
  pending    | payout.covered, offered | completed | noteStart, complete, endHold, endLease, announceClaimed
  pending    | payout.restricted     | held       | recordError, undoAttempt, hold, endLease
  pending    | dust.found            | pending    | awaitMore
  pending    | funds.added, untried  | pending    | hasten
  processing | worker.resumed        | processing | renewLease
  processing | transaction.signed    | processing | endHold, endLease
  processing | payout.covered        | completed  | complete, endHold, endLease
  processing | payout.covered, offered | completed | complete, endHold, endLease
  processing | payout.restricted     | held       | recordError, undoAttempt, hold, endLease
  processing | distribution.orphaned | pending    | clearDistribution, reopenAfterGrace, endHold, endLease, announceAvailable
  processing | distribution.fell_short | pending  | reopenAfterGrace, endHold, endLease, announceAvailable
  processing | attempt.postponed     | pending    | recordError, undoAttempt, scheduleNodeRetry, endHold, endLease, announceAvailable
  processing | nothing.found         | processing | scheduleLook, endLease
  processing | attempt.failed        | pending    | recordError, scheduleRetry, endHold, endLease, announceAvailable
  processing | attempt.failed, last  | failed     | recordError, leaveToKeepers, endHold, endLease, reportFailed, announceAvailable
  processing | dust.found            | processing | awaitMore
  processing | funds.added           | processing | hasten
  processing | funds.added, untried  | processing | hasten
  held       | worker.claimed        | processing | beginAttempt, announceClaimed
  held       | distribution.seen     | processing | recordDistribution, endHold, endLease, announceClaimed
  held       | payout.covered        | completed  | noteStart, complete, endHold, endLease
  held       | payout.covered, offered | completed | noteStart, complete, endHold, endLease, announceClaimed
  held       | payout.restricted     | held       | recordError, undoAttempt, hold, endLease
  held       | dust.found            | held       | awaitMore
  completed  | funds.added           | pending    | reopen, reopenAfterGrace, endHold, endLease, announceAvailable
  completed  | funds.added, untried  | pending    | reopen, reopenAfterGrace, endHold, endLease, announceAvailable
  failed     | payout.covered        | completed  | complete, endHold, endLease
  failed     | payout.covered, offered | completed | complete, endHold, endLease, announceClaimed
  failed     | funds.added           | pending    | reopen, reopenAfterGrace, endHold, endLease, announceAvailable
  failed     | funds.added, untried  | pending    | reopen, reopenAfterGrace, endHold, endLease, announceAvailable
`)

const FACTS: readonly PayoutFact[] = [
  { type: 'worker.claimed' },
  { type: 'distribution.seen' },
  { type: 'distribution.orphaned' },
  { type: 'distribution.fell_short' },
  { type: 'attempt.postponed' },
  { type: 'nothing.found' },
  { type: 'attempt.failed', isLast: false },
  { type: 'attempt.failed', isLast: true },
  { type: 'payout.restricted' },
  { type: 'payout.covered', isOffered: false },
  { type: 'payout.covered', isOffered: true },
  { type: 'funds.added', isUntried: false },
  { type: 'funds.added', isUntried: true },
  { type: 'worker.resumed' },
  { type: 'dust.found' },
  { type: 'transaction.signed' },
]

describe('payoutMachine', () => {
  it('has exactly the transitions of the specification', () => {
    expect(transitionsOf(payoutMachine)).to.deep.equal(TABLE)
  })

  it('differs from the specification after any single mistake', () => {
    const unnoticed = listMutants(payoutMachine).filter(
      ({ machine }) => transitionsOf(machine).join('\n') === TABLE.join('\n'),
    )
    expect(unnoticed.map(({ mistake }) => mistake)).to.deep.equal([])
  })
})

function transitionsOf(machine: typeof payoutMachine): readonly string[] {
  const reached = getAdjacencyMap(machine, {
    events: FACTS,
    serializeState: ({ value }) => value,
    serializeEvent: nameOf,
  })
  return adjacencyMapToArray(reached)
    .flatMap(({ state, event }) => {
      const [next, actions] = transition(machine, state, event)
      if (next.value === state.value && actions.length === 0) return []
      return [formatRow([state.value, nameOf(event), next.value, actions.map(({ type }) => type).join(', ')])]
    })
    .toSorted()
}

function nameOf(fact: PayoutFact): string {
  if (fact.type === 'attempt.failed' && fact.isLast) return `${fact.type}, last`
  if (fact.type === 'funds.added' && fact.isUntried) return `${fact.type}, untried`
  return fact.type === 'payout.covered' && fact.isOffered ? `${fact.type}, offered` : fact.type
}

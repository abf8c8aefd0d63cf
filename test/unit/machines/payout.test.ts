import { expect } from 'chai'
import { transition } from 'xstate'
import { adjacencyMapToArray, getAdjacencyMap } from 'xstate/graph'
import { type PayoutFact, payoutMachine } from '../../../machines/payout.ts'
import { formatRow, mutantsOf, readTable } from './machine-table.ts'

/** The specification, "Payout attempt", and decisions 3.6 and 5.2 to 5.4. What is not listed changes nothing. */
const TABLE = readTable(`
  pending    | worker.claimed        | processing | announceClaimed
  pending    | distribution.seen     | processing | announceClaimed
  pending    | payout.covered        | completed  | reportCompleted
  pending    | payout.covered, offered | completed | announceClaimed, reportCompleted
  pending    | payout.restricted     | held       | scheduleRecheck
  processing | payout.covered        | completed  | reportCompleted
  processing | payout.covered, offered | completed | reportCompleted
  processing | payout.restricted     | held       | scheduleRecheck
  processing | distribution.vanished | pending    | announceAvailable
  processing | distribution.fell_short | pending  | announceAvailable
  processing | attempt.postponed     | pending    | announceAvailable
  processing | nothing.found         | processing | scheduleRecheck
  processing | attempt.failed        | pending    | scheduleRetry, announceAvailable
  processing | attempt.failed, last  | failed     | reportFailed, announceAvailable
  held       | worker.claimed        | processing | announceClaimed
  held       | distribution.seen     | processing | announceClaimed
  held       | payout.covered        | completed  | reportCompleted
  held       | payout.covered, offered | completed | announceClaimed, reportCompleted
  held       | payout.restricted     | held       | scheduleRecheck
  completed  | funds.added           | pending    | announceAvailable
  failed     | payout.covered        | completed  | reportCompleted
  failed     | payout.covered, offered | completed | announceClaimed, reportCompleted
  failed     | funds.added           | pending    | announceAvailable
`)

const FACTS: readonly PayoutFact[] = [
  { type: 'worker.claimed' },
  { type: 'distribution.seen' },
  { type: 'distribution.vanished' },
  { type: 'distribution.fell_short' },
  { type: 'attempt.postponed' },
  { type: 'nothing.found' },
  { type: 'attempt.failed', isLast: false },
  { type: 'attempt.failed', isLast: true },
  { type: 'payout.restricted' },
  { type: 'payout.covered', isOffered: false },
  { type: 'payout.covered', isOffered: true },
  { type: 'funds.added' },
]

describe('payoutMachine', () => {
  it('does what the specification says, and nothing else', () => {
    expect(transitionsOf(payoutMachine)).to.deep.equal(TABLE)
  })

  it('would not get away with any small mistake', () => {
    const unnoticed = mutantsOf(payoutMachine).filter(
      ({ machine }) => transitionsOf(machine).join('\n') === TABLE.join('\n'),
    )
    expect(unnoticed.map(({ mistake }) => mistake)).to.deep.equal([])
  })
})

/** Every transition that can be reached and changes anything. */
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
  return fact.type === 'payout.covered' && fact.isOffered ? `${fact.type}, offered` : fact.type
}

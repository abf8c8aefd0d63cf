import { expect } from 'chai'
import { type SnapshotFrom, transition } from 'xstate'
import { adjacencyMapToArray, getAdjacencyMap } from 'xstate/graph'
import { type RefundFact, refundMachine } from '../../../machines/refund.ts'
import { formatRow, listMutants, readTable } from './machine-table.ts'

/** Status, fact, next status and actions, from decisions 9.6. Other facts change nothing. */
const TABLE = readTable(`
  awaiting_destination | destination.claimed  | awaiting_approval    | announceClaimed
  awaiting_destination | deadline.passed      | expired              | noteExpired, announceExpired
  awaiting_destination | cancel.ordered       | canceled             | noteCanceled
  awaiting_approval    | destination.approved | awaiting_payment     | fixDestination, announceApproved
  awaiting_approval    | destination.rejected | awaiting_destination |
  awaiting_approval    | deadline.passed      | expired              | noteExpired, announceExpired
  awaiting_approval    | cancel.ordered       | canceled             | noteCanceled
  awaiting_payment     | transfer.seen        | seen                 | recordTransfer
  awaiting_payment     | transfer.final       | confirmed            | recordTransfer, noteConfirmed, announceRefunded
  awaiting_payment     | deadline.passed      | expired              | noteExpired, announceExpired
  awaiting_payment     | cancel.ordered       | canceled             | noteCanceled
  seen                 | transfer.seen        | seen                 | recordTransfer
  seen                 | transfer.vanished    | awaiting_payment     | clearTransfer
  seen                 | transfer.final       | confirmed            | recordTransfer, noteConfirmed, announceRefunded
  canceled             | transfer.final       | confirmed            | recordTransfer, noteConfirmed, announceRefunded
  expired              | transfer.final       | confirmed            | recordTransfer, noteConfirmed, announceRefunded
  seen, canceled       | transfer.seen        | seen                 | recordTransfer
  seen, canceled       | transfer.vanished    | canceled             | clearTransfer
  seen, canceled       | transfer.final       | confirmed            | recordTransfer, noteConfirmed, announceRefunded
  seen, expired        | transfer.seen        | seen                 | recordTransfer
  seen, expired        | transfer.vanished    | expired              | clearTransfer
  seen, expired        | transfer.final       | confirmed            | recordTransfer, noteConfirmed, announceRefunded
  canceled             | transfer.seen        | seen                 | recordTransfer
  expired              | transfer.seen        | seen                 | recordTransfer
`)

const FACTS: readonly RefundFact[] = [
  { type: 'destination.claimed' },
  { type: 'destination.approved' },
  { type: 'destination.rejected' },
  { type: 'transfer.seen' },
  { type: 'transfer.vanished' },
  { type: 'transfer.final' },
  { type: 'deadline.passed' },
  { type: 'cancel.ordered' },
]

describe('refundMachine', () => {
  it('has exactly the transitions of the decisions', () => {
    expect(transitionsOf(refundMachine)).to.deep.equal(TABLE)
  })

  it('differs from the decisions after any single mistake', () => {
    const unnoticed = listMutants(refundMachine).filter(
      ({ machine }) => transitionsOf(machine).join('\n') === TABLE.join('\n'),
    )
    expect(unnoticed.map(({ mistake }) => mistake)).to.deep.equal([])
  })
})

function transitionsOf(machine: typeof refundMachine): readonly string[] {
  const reached = getAdjacencyMap(machine, {
    events: FACTS,
    serializeState: nameOf,
    serializeEvent: ({ type }) => type,
  })
  return adjacencyMapToArray(reached)
    .flatMap(({ state, event }) => {
      const [next, actions] = transition(machine, state, event)
      if (next.value === state.value && actions.length === 0) return []
      return [formatRow([nameOf(state), event.type, next.value, actions.map(({ type }) => type).join(', ')])]
    })
    .toSorted()
}

/** Returns the name of a state, such as `seen, expired` if the refund expired before its transfer was seen. */
function nameOf({ value, context: { end } }: SnapshotFrom<typeof refundMachine>): string {
  return value === 'seen' && end !== null ? `${value}, ${end}` : value
}

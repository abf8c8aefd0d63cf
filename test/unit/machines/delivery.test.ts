import { expect } from 'chai'
import { transition } from 'xstate'
import { type DeliveryFact, deliveryMachine } from '../../../machines/delivery.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../shared/domain/delivery.ts'

const succeeded: DeliveryFact = { type: 'attempt.succeeded' }
const failed: DeliveryFact = { type: 'attempt.failed', isLast: false }
const failedLast: DeliveryFact = { type: 'attempt.failed', isLast: true }
const retry: DeliveryFact = { type: 'retry.requested' }

/** From the specification, "Webhook delivery status", and decisions 6.3: every status with every fact. */
const TABLE: readonly (readonly [DeliveryStatus, DeliveryFact, DeliveryStatus, readonly string[]])[] = [
  ['pending', succeeded, 'delivered', ['noteDelivered']],
  ['pending', failed, 'pending', ['scheduleNext']],
  ['pending', failedLast, 'failed', ['noteFailed', 'announceFailed']],
  ['pending', retry, 'pending', ['startCycle']],
  ['delivered', succeeded, 'delivered', []],
  ['delivered', failed, 'delivered', []],
  ['delivered', failedLast, 'delivered', []],
  ['delivered', retry, 'pending', ['startCycle']],
  ['failed', succeeded, 'failed', []],
  ['failed', failed, 'failed', []],
  ['failed', failedLast, 'failed', []],
  ['failed', retry, 'pending', ['startCycle']],
]

describe('deliveryMachine', () => {
  it('has exactly the states of the domain', () => {
    expect(Object.keys(deliveryMachine.states)).to.have.members([...DELIVERY_STATUSES])
  })

  for (const [from, fact, to, effects] of TABLE) {
    const last = 'isLast' in fact ? (fact.isLast ? ', the last' : ', not the last') : ''
    it(`changes from ${from} to ${to} on ${fact.type}${last}, with ${effects.join() || 'no effect'}`, () => {
      const before = deliveryMachine.resolveState({ value: from, context: {} })
      const [next, actions] = transition(deliveryMachine, before, fact)
      expect(next.value).to.equal(to)
      expect(actions.map(({ type }) => type)).to.deep.equal(effects)
    })
  }
})

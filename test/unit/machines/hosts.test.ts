import { expect } from 'chai'
import { PAYOUT_COLUMNS, PAYOUT_EFFECTS } from '../../../indexer/payouts/decide-payout.ts'
import { REFUND_COLUMNS, REFUND_EFFECTS } from '../../../indexer/refunds/decide-refund.ts'
import { DELIVERY_COLUMNS } from '../../../indexer/webhooks/decide-delivery.ts'
import { chargeMachine } from '../../../machines/charge.ts'
import { deliveryMachine } from '../../../machines/delivery.ts'
import { endpointHealthMachine } from '../../../machines/endpoint-health.ts'
import { payoutMachine } from '../../../machines/payout.ts'
import { refundMachine } from '../../../machines/refund.ts'

/** For each machine, the actions that its host performs, and the assignments that the machine itself performs. */
const HOSTS = {
  charge: [chargeMachine, ['appendEvent', 'openPayouts', 'credit', 'strike']],
  payout: [payoutMachine, [...Object.keys(PAYOUT_COLUMNS), ...PAYOUT_EFFECTS]],
  refund: [refundMachine, [...Object.keys(REFUND_COLUMNS), ...REFUND_EFFECTS]],
  delivery: [deliveryMachine, [...Object.keys(DELIVERY_COLUMNS), 'announceFailed']],
  'endpoint health': [endpointHealthMachine, ['announceUnhealthy', 'announceRecovered']],
} as const

describe('the host of a machine', () => {
  for (const [name, [machine, handled]] of Object.entries(HOSTS)) {
    it(`handles exactly the actions of the ${name} machine`, () => {
      expect(Object.keys(machine.implementations.actions ?? {})).to.have.members([...handled])
    })

    it(`handles only actions that a transition of the ${name} machine uses`, () => {
      const text = JSON.stringify(machine.config)
      // Another action enqueues `credit`, so the configuration does not contain it. `charge.test.ts` covers it.
      const unused = handled.filter((action) => !text.includes(`"${action}"`))
      expect(unused).to.deep.equal(name === 'charge' ? ['credit'] : [])
    })
  }
})

import type { Mutant } from '../mutant.ts'

const EVENTS = 'test/integration/charges/charge-events.test.ts'
const DELIVERIES = 'test/integration/db/insert-deliveries.test.ts'
const SIGNATURE = 'test/unit/webhooks/signature.test.ts'
const SLOTS = 'test/unit/webhooks/allocate-slots.test.ts'
const TARGETS = 'test/integration/webhooks/target-safety.test.ts'

/** Rules for the path of an event to its receivers. */
export const NOTIFYING_RULES: readonly Mutant[] = [
  {
    rule: 'events get their numbers from one locked counter',
    at: 'shared/db/events/daemon/events.ts#sequenceEvents',
    take: 'select last_seq from event_sequence for update',
    put: 'select last_seq from event_sequence',
    test: {
      file: EVENTS,
      title:
        'leaves no gaps and keeps the order of each charge’s events if two calls run concurrently while events are appended',
    },
  },
  {
    rule: 'an event that the daemon inserts gets its deliveries',
    at: 'shared/db/events/daemon/insert-deliveries.ts#insertDeliveries',
    take: 'list_receiving_webhooks(event) as webhook_id',
    put: 'list_receiving_webhooks(event) as webhook_id where false',
    test: { file: DELIVERIES, title: 'inserts a delivery for a webhook that ' },
  },
  {
    rule: 'the event of a new charge gets its deliveries',
    at: 'shared/db/migrations/000016_create_charges.sql#create_charges',
    take: 'list_receiving_webhooks(event) as webhook_id',
    put: 'list_receiving_webhooks(event) as webhook_id where false',
    test: {
      file: 'test/integration/db/roles.test.ts',
      title: 'creates the delivery of a charge’s event through',
    },
  },
  {
    rule: 'a deleted webhook does not receive further events',
    at: 'shared/db/migrations/000013_webhooks.sql#list_receiving_webhooks',
    take: 'w.organization_id = e.organization_id and w.deleted_at is null',
    put: 'w.organization_id = e.organization_id',
    test: { file: DELIVERIES, title: 'does not insert a delivery for a webhook that' },
  },
  {
    rule: 'a request to retry a delivery is kept if an attempt begins while it is processed',
    at: 'indexer/webhooks/process-requests.ts#retry',
    take: "? 'waiting' : 'done'",
    put: "? 'done' : 'done'",
    test: {
      file: 'test/integration/webhooks/delivery.test.ts',
      title: 'waits until the attempt has ended that began while the request was processed',
    },
  },
  {
    rule: 'a request to retry a delivery does not lock the delivery during an attempt',
    at: 'shared/db/webhooks/daemon/deliveries.ts#lockIdleDelivery',
    take: 'and (d.leased_until is null or d.leased_until <= ${now})',
    put: '',
    test: {
      file: 'test/integration/webhooks/delivery.test.ts',
      title: 'does not lock a delivery whose attempt is in flight',
    },
  },
  {
    rule: 'a signature covers the time of the attempt',
    at: 'shared/domain/webhook-signature.ts#signAttempt',
    take: 'hmac(secret, `${timestamp}.`, body)',
    put: "hmac(secret, '', body)",
    test: {
      file: SIGNATURE,
      title: 'is the hex HMAC of time and body, with the whole text of the secret as the key',
    },
  },
  {
    rule: 'during a rotation the old secret also signs',
    at: 'shared/domain/webhook-signature.ts#signAttempt',
    take: 'const around = secrets.length > 1 ? [...secrets, secrets[0]] : secrets',
    put: 'const around = [secrets[0]]',
    test: { file: SIGNATURE, title: 'is accepted with the new and the old secret during a rotation,' },
  },
  {
    rule: 'a webhook targets only public addresses',
    at: 'shared/domain/webhook-target.ts#isPublic',
    take: "if (address.range() !== 'unicast') return false",
    put: "if (address.range() === 'loopback') return false",
    test: { file: TARGETS, title: 'does not connect to https://' },
  },
  {
    rule: 'every address of a webhook host must be public, not just one of them',
    at: 'shared/domain/webhook-target.ts#requireReachable',
    take: "if (reaches.includes('none')) {",
    put: "if (reaches.every((reach) => reach === 'none')) {",
    test: { file: TARGETS, title: 'does not connect to the name' },
  },
  {
    rule: 'failing endpoints together use at most half of the slots',
    at: 'indexer/webhooks/allocate-slots.ts#allocateSlots',
    take: '|| (isFailing && freeForFailing <= 0)',
    put: '',
    test: {
      file: SLOTS,
      title: 'gives all failing endpoints together at most the slots reserved for them',
    },
  },
  {
    rule: 'a delivery that the endpoint rejects does not count as delivered',
    at: 'indexer/webhooks/decide-delivery.ts#isSuccess',
    take: 'responseCode >= 200 && responseCode < 300',
    put: 'responseCode >= 200',
    test: { file: 'test/integration/webhooks/delivery.test.ts', title: 'attempts at 0, 5 minutes, 30' },
  },
  {
    rule: 'a failing endpoint has one slot',
    at: 'indexer/webhooks/allocate-slots.ts#SLOTS_OF_FAILING',
    take: 'const SLOTS_OF_FAILING = 1',
    put: 'const SLOTS_OF_FAILING = 5',
    test: { file: SLOTS, title: 'gives a failing endpoint one slot, but none while an attempt is in flight' },
  },
]

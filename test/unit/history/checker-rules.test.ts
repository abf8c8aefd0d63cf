import { expect } from 'chai'
import type { ChargeView } from '../../history/checker/charge-view.ts'
import { checkRecord, RULES } from '../../history/checker/check-record.ts'
import { type Entry, parseRecord } from '../../history/checker/entry.ts'
import {
  at,
  CONFIRMED,
  charge,
  creation,
  distribution,
  event,
  exchange,
  frame,
  holdingRecord,
  MERCHANT,
  PAID,
  PAYER,
  SETTLED,
  SPLIT,
  TIMELINE,
  time,
  transfer,
  UNPAID,
} from './hand-written.ts'

/** A change to `holdingRecord`, a record that satisfies every rule. */
type Change = (entries: readonly Entry[]) => readonly Entry[]

/** Changes that a rule accepts, and changes that it reports, with a part of the finding. */
type Cases = {
  readonly accepts?: Readonly<Record<string, Change>>
  readonly reports: Readonly<Record<string, readonly [change: Change, finding: string]>>
}

const add =
  (...more: readonly Entry[]): Change =>
  (entries) =>
    [...entries, ...more].toSorted((one, other) => one.atMs - other.atMs)

const remove =
  (isRemoved: (entry: Entry) => boolean): Change =>
  (entries) =>
    entries.filter((entry) => !isRemoved(entry))

const replace =
  (from: string, to: string, isIncluded: (entry: Entry) => boolean = () => true): Change =>
  (entries) =>
    entries.map((entry) =>
      isIncluded(entry) ? (JSON.parse(JSON.stringify(entry).replaceAll(from, to)) as Entry) : entry,
    )

const both =
  (first: Change, second: Change): Change =>
  (entries) =>
    second(first(entries))

const isType = (type: Entry['type']) => (entry: Entry) => entry.type === type
const isFinalRead = ({ atMs, type }: Entry) => type === 'response' && atMs >= Date.parse(time(19))
const isEvent = (type: string, channel: 'delivery' | 'frame') => (entry: Entry) =>
  entry.type === channel && JSON.stringify(entry).includes(`evt_${PAID}_${type}`)

const read = (seconds: number, fields: Partial<ChargeView>) =>
  add(...exchange(seconds, { line: `GET /v1/charges/${PAID}`, json: charge(PAID, fields) }))

const listen = { organization: 'second', path: '/v1/webhooks/listen', connection: 2, event: 'x' }
const split = SPLIT[PAID]
const again = { ...charge(PAID), id: 'ch_again' }
const lostRequest = (entries: readonly Entry[]) =>
  add(
    at(1.1, {
      ...{ type: 'request', id: 900, organization: 'first', method: 'POST', path: '/v1/charges' },
      body: JSON.stringify({ idempotencyKey: 'lost' }),
    }),
    at(1.2, { type: 'lost', id: 900, reason: 'ECONNRESET' }),
    ...event(1.3, { type: 'charge.created', data: { ...again, externalRef: 'lost' } }),
    ...event(1.4, { type: 'charge.created', data: { ...again, id: 'ch_more', externalRef: 'lost' } }),
  )(entries)
const dust = { ...charge(UNPAID, { status: 'expired', amountReceivedExact: '2' }) }

const CASES: Readonly<Record<string, Cases>> = {
  'a created charge is found again': {
    reports: {
      'a charge that no later request finds': [
        remove((entry) => entry.type === 'request' && entry.atMs >= Date.parse(time(19))),
        `${PAID} of first was created, and is not found`,
      ],
      'a charge with another address at the end': [replace(split, MERCHANT, isFinalRead), `${PAID}: address`],
      'a charge with another amount at the end': [
        replace(
          '\\"amountExact\\":\\"10\\",\\"amountR',
          '\\"amountExact\\":\\"11\\",\\"amountR',
          isFinalRead,
        ),
        `${PAID}: amountExact was 10, and is 11`,
      ],
    },
  },
  'an idempotency key creates one charge': {
    accepts: {
      'the same charge for a repeated request': add(...creation(3, { data: charge(PAID) })),
      'an error for another body with the same key': add(
        ...exchange(3, {
          ...{
            line: 'POST /v1/charges',
            body: { amount: 11, idempotencyKey: `key of ${PAID}` },
            status: 409,
          },
          json: { error: { code: 'idempotency_key_reused', message: 'used' } },
        }),
      ),
    },
    reports: {
      'two charges for one key': [
        add(...creation(3, { data: again })),
        `the key "first key of ${PAID}" created 2`,
      ],
      'two charges for one key if every response was lost': [
        lostRequest,
        'the key "first lost" created 2 charges',
      ],
      'another body that is accepted for the same key': [
        add(...creation(3, { data: charge(PAID), body: { amount: 11 } })),
        `the key "first key of ${PAID}" was accepted with 2 different bodies`,
      ],
    },
  },
  'statuses change only along the specification': {
    accepts: {
      // Requested at 7.95 s, shown as confirmed by the stream at 8 s, returned at 8.05 s.
      'an older state in a response to an earlier request': read(7.95, {}),
    },
    reports: {
      'a confirmed charge that is pending again': [
        read(15, {}),
        `${PAID}: status changed from confirmed to pending`,
      ],
      'a settlement that is pending again': [
        read(15, CONFIRMED),
        `${PAID}: settlementStatus changed from completed to pending`,
      ],
      'a charge that one client sees as expired and another as confirmed': [
        add(frame(8, charge(PAID, { status: 'expired' }), 9)),
        `${PAID}: status was both confirmed and expired`,
      ],
      'a status that does not exist': [read(15, { status: 'paid' }), `${PAID}: status is "paid"`],
      'a status that changes back within a stream': [
        add(frame(8.05, charge(PAID))),
        `${PAID}: status changed from confirmed to pending in one stream`,
      ],
      'a status that changes back in the events': [
        add(
          ...event(12, { type: 'charge.partially_paid', data: charge(PAID, { status: 'partially_paid' }) }),
        ),
        `${PAID}: status changed from confirmed to partially_paid in one stream`,
      ],
    },
  },
  'the terms and times of a charge never change': {
    reports: {
      'a deadline that changes': [
        read(15, { ...SETTLED, expiresAt: time(70) }),
        `${PAID}: expiresAt had 2 values`,
      ],
      'a time of confirmation that changes': [
        read(15, { ...SETTLED, confirmedAt: time(9) }),
        `${PAID}: confirmedAt had 2 values`,
      ],
      'a received amount that falls': [
        read(15, { ...SETTLED, amountReceivedExact: '9' }),
        `${PAID}: the received amount fell to 9`,
      ],
      'a confirmation without its time': [
        read(15, { ...SETTLED, confirmedAt: null }),
        `${PAID} is confirmed with`,
      ],
      'a settlement without its time': [read(15, { ...SETTLED, settledAt: null }), `${PAID} has settlement`],
      'a confirmed charge that received too little': [
        read(15, { ...SETTLED, amountReceivedExact: '9.999999' }),
        `${PAID} is confirmed with 9.999999`,
      ],
      'an exact payment that is reported as an overpayment': [
        read(15, { ...SETTLED, isOverpaid: true }),
        `${PAID} has isOverpaid true`,
      ],
    },
  },
  'every event arrives, unchanged and in order': {
    accepts: {
      'an event that shows the state of a later event of the same commit': add(
        ...event(8.05, { type: 'charge.partially_paid', data: charge(PAID, CONFIRMED) }),
      ),
      'an event that arrives twice': add(
        ...event(8.1, { type: 'charge.confirmed', data: charge(PAID, CONFIRMED) }).slice(0, 1),
      ),
    },
    reports: {
      'a repetition with other bytes': [
        add(...event(9, { type: 'charge.confirmed', data: charge(PAID, CONFIRMED) }).slice(0, 1)),
        `evt_${PAID}_charge.confirmed arrived with 2 different texts`,
      ],
      'two events for one confirmation': [
        both(
          add(...event(8.1, { type: 'charge.confirmed', data: charge(PAID, CONFIRMED) })),
          replace(
            'evt_',
            'evt_other_',
            ({ atMs, type }) => type === 'frame' && atMs === Date.parse(time(8.11)),
          ),
        ),
        `charge.confirmed of ${PAID} has 2 ids`,
      ],
      'an event whose charge has another state': [
        replace('\\"confirmed\\"', '\\"pending\\"', isEvent('charge.confirmed', 'delivery')),
        `evt_${PAID}_charge.confirmed is charge.confirmed, but its charge is pending`,
      ],
      'an overpayment of a charge that is not overpaid': [
        add(...event(8.2, { type: 'charge.overpaid', data: charge(PAID, CONFIRMED) })),
        `evt_${PAID}_charge.overpaid is charge.overpaid, but its charge is confirmed, pending, not overpaid`,
      ],
      'an event that does not exist': [
        add(...event(8.2, { type: 'charge.paid', data: charge(PAID, CONFIRMED) })),
        `evt_${PAID}_charge.paid is charge.paid`,
      ],
      'an event that arrives only in the stream': [
        remove(isEvent('charge.settled', 'delivery')),
        `charge.settled of ${PAID} did not arrive by webhook`,
      ],
      'an event that arrives only at the webhook': [
        remove(isEvent('charge.settled', 'frame')),
        `charge.settled of ${PAID} did not arrive by stream`,
      ],
      'an expired charge without its event': [
        remove((entry) => JSON.stringify(entry).includes('charge.expired')),
        `charge.expired of ${UNPAID} did not arrive by webhook`,
      ],
      'a settlement that arrives before its confirmation': [
        add(...event(7, { type: 'charge.settled', data: charge(PAID, SETTLED) })),
        `${PAID}: charge.settled arrived before charge.confirmed (webhook)`,
      ],
      'webhooks and a stream that have different orders': [
        add(
          ...event(8.05, { type: 'charge.overpaid', data: charge(PAID, CONFIRMED) }).slice(0, 1),
          ...event(8.3, { type: 'charge.overpaid', data: charge(PAID, CONFIRMED) }).slice(1),
        ),
        `${PAID}: webhooks show charge.created, charge.overpaid, charge.confirmed, charge.settled, the stream`,
      ],
    },
  },
  'a charge is credited with exactly the transfers at confirmation depth': {
    accepts: {
      'an open charge, which another rule reports': replace('\\"expired\\"', '\\"pending\\"', isFinalRead),
      // At 7.15 s, the head is block 12, so block 10 has 3 confirmations.
      'a credit as soon as the block might be at depth': add(frame(7.1, charge(PAID, CONFIRMED), 9)),
      'a credit before the head falls in a reorganization': add(
        frame(7.1, charge(PAID, CONFIRMED), 9),
        at(7.14, { type: 'head', network: 'base', number: 3, askedMs: Date.parse(time(7.12)) }),
      ),
      'a transfer from the charge to itself': add(transfer(11, { from: split })),
    },
    reports: {
      'a credit before the confirmation depth': [
        add(frame(6.1, charge(PAID, CONFIRMED), 9)),
        `${PAID} shows 10 at 12:00:06.100, but the chain 0 at depth`,
      ],
      'a credit time before the confirmation depth': [
        replace(`\\"creditedAt\\":\\"${time(8)}`, `\\"creditedAt\\":\\"${time(5)}`, isFinalRead),
        `${PAID} was credited with 0x10 at ${time(5)}, before block 10 was at depth`,
      ],
      'a credit whose transfer a reorganization removed': [
        remove(isType('transfer')),
        `${PAID} received 10, but the chain shows 0`,
      ],
      'a credit above the transferred amount': [
        replace('10000000', '9999999', isType('transfer')),
        `${PAID} received 10, but the chain shows 9.999999 in 1 transfers`,
      ],
      'a transfer at depth that is not credited': [
        add(transfer(11)),
        `${PAID} received 10, but the chain shows 20 in 2 transfers`,
      ],
      'a credited transaction that the chain does not have': [
        replace('0x10', '0x99', isFinalRead),
        `${PAID} was credited with 10 USDC on base by 0x99`,
      ],
      'a transaction of the chain that the timeline does not credit': [
        replace(JSON.stringify(JSON.stringify(TIMELINE[1])).slice(1, -1), '{}', isFinalRead),
        `${PAID} was not credited with 10 USDC on base by 0x10`,
      ],
      'a status that a late transfer changed': [
        replace(`"timestamp":${Date.parse(time(5)) / 1000}`, `"timestamp":${Date.parse(time(60)) / 1000}`),
        `${PAID} is confirmed, but its transfers in time make it expired`,
      ],
      'a pair that paid but is missing from paidWith': [
        replace(
          '\\"paidWith\\":[{\\"token\\":\\"USDC\\",\\"network\\":\\"base\\"}]',
          '\\"paidWith\\":[]',
          isFinalRead,
        ),
        `${PAID} shows paidWith`,
      ],
    },
  },
  'every payment is distributed exactly once': {
    reports: {
      'a settlement without a distribution': [
        remove(isType('distribution')),
        `${PAID} is settled, and has distributed 0 of 10 USDC on base`,
      ],
      'a settlement although only a part was distributed': [
        replace('10000000', '9000000', isType('distribution')),
        `${PAID} is settled, and has distributed 9 of 10 USDC on base`,
      ],
      'more distributions than payments': [add(distribution(15, '0')), `${PAID} has distributed 2 times 10`],
      'a payout to an account that the terms do not name': [
        add(transfer(14, { from: split, to: PAYER, logIndex: 2 })),
        `${PAID} paid ${PAYER}`,
      ],
      'a distribution that the chain does not have': [
        replace('0x14', '0x99', isFinalRead),
        `${PAID} shows a distribution of 10 USDC on base by 0x99`,
      ],
      'a distribution that the timeline shows twice': [
        replace('{\\"type\\":\\"split.d', `${escaped(TIMELINE[2])},{\\"type\\":\\"split.d`, isFinalRead),
        `${PAID} shows a distribution of 10 USDC on base by 0x14`,
      ],
      'a distribution that the timeline does not show': [
        replace('split.distributed', 'split.other', isFinalRead),
        `${PAID} does not show the distribution of 10 USDC on base by 0x14`,
      ],
    },
  },
  'no organization sees the data of another': {
    accepts: {
      'an outage instead of 404': add(
        ...exchange(3, {
          ...{ organization: 'second', line: `GET /v1/charges/${PAID}`, status: 503 },
          json: { error: { code: 'service_unavailable', message: 'later' } },
        }),
      ),
    },
    reports: {
      'a charge that another organization can read': [
        add(...exchange(3, { organization: 'second', line: `GET /v1/charges/${PAID}`, json: charge(PAID) })),
        `second received 200 for GET /v1/charges/${PAID}`,
      ],
      'a page with another organization’s charge': [
        add(
          ...exchange(3, { organization: 'second', line: 'GET /v1/charges', json: { data: [charge(PAID)] } }),
        ),
        `second received ${PAID} of first in the response to GET /v1/charges`,
      ],
      'a frame with another organization’s charge': [
        add(at(3, { type: 'frame', ...listen, data: `{"data":{"id":"${PAID}"}}` })),
        `second received ${PAID} of first in the stream /v1/webhooks/listen`,
      ],
      'a delivery with another organization’s charge': [
        add(
          at(3, { type: 'delivery', organization: 'second', deliveryId: 'evt_1', body: PAID, status: 200 }),
        ),
        `second received ${PAID} of first in the delivery evt_1`,
      ],
    },
  },
  'every charge ends, and its money is paid out': {
    reports: {
      'a charge that stays open': [
        replace('\\"expired\\"', '\\"pending\\"', isFinalRead),
        `${UNPAID} is still pending`,
      ],
      'a paid charge that is not settled': [
        replace('\\"completed\\"', '\\"pending\\"', isFinalRead),
        `${PAID} is confirmed, but its settlement is pending`,
      ],
      'late money of an expired charge that is not paid out': [
        add(...exchange(19.3, { organization: 'second', line: `GET /v1/charges/${UNPAID}`, json: dust })),
        `${UNPAID} is expired, but its settlement is null`,
      ],
      'a run that ended too early': [remove(isType('quiet')), 'the run ended before'],
    },
  },
  'the record contains a case of each rule': {
    reports: {
      'a record of one organization': [
        remove((entry) => 'organization' in entry && entry.organization === 'second'),
        'no charges of two organizations',
      ],
      'a record without keys': [replace('idempotencyKey', 'otherKey'), 'no creation with an idempotency key'],
      'a record without settled charges': [
        replace('\\"completed\\"', '\\"pending\\"', isFinalRead),
        'no settled charge',
      ],
      'a record without expired charges': [
        replace('\\"expired\\"', '\\"pending\\"', isFinalRead),
        'no expired charge',
      ],
      'a record without deliveries': [remove(isType('delivery')), 'no event in a delivery'],
      'a record without frames': [remove(isType('frame')), 'no event in a stream\nno stream of a charge'],
      'a record without heights': [remove(isType('head')), 'no height of a chain'],
      'a record without transfers': [remove(isType('transfer')), 'no transfer on a chain'],
      'a record without distributions': [remove(isType('distribution')), 'no distribution on a chain'],
      'a record without requests for another organization’s charges': [
        remove((entry) => entry.type === 'response' && entry.status === 404),
        'no request for another organization’s charge',
      ],
    },
  },
  'an outage is reported as 503, with the specified body': {
    accepts: {
      'a response 503 with a code': add(
        ...exchange(3, {
          line: 'GET /v1/charges',
          status: 503,
          json: { error: { code: 'x', message: 'y' } },
        }),
      ),
    },
    reports: {
      'a response 500': [
        add(
          ...exchange(3, {
            line: 'GET /v1/charges',
            status: 500,
            json: { error: { code: 'x', message: 'y' } },
          }),
        ),
        'first: GET /v1/charges returned 500',
      ],
      'an error without a code': [
        add(...exchange(3, { line: 'GET /v1/charges', status: 400, json: { message: 'no' } })),
        'first: GET /v1/charges returned 400 without a code',
      ],
    },
  },
}

describe('the checker of a history', () => {
  it('accepts a record that satisfies every rule', () => {
    expect(findingsIn(holdingRecord())).to.deep.equal([])
  })

  it('has a broken record for each rule', () => {
    expect(Object.keys(CASES)).to.have.members(RULES.map(({ name }) => name))
  })

  it('parses each line of a record as an entry', () => {
    const entries = holdingRecord()
    expect(parseRecord(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))).to.deep.equal(entries)
  })

  for (const [rule, { accepts = {}, reports }] of Object.entries(CASES)) {
    describe(`"${rule}"`, () => {
      for (const [title, change] of Object.entries(accepts))
        it(`accepts ${title}`, () => {
          expect(findingsOf(rule, change)).to.deep.equal([])
        })

      for (const [title, [change, finding]] of Object.entries(reports))
        it(`reports ${title}`, () => {
          expect(findingsOf(rule, change).join('\n')).to.include(finding)
        })
    })
  }
})

function findingsOf(rule: string, change: Change): readonly string[] {
  return checkRecord(change(holdingRecord())).find((verdict) => verdict.rule === rule)?.findings ?? []
}

function findingsIn(entries: readonly Entry[]): readonly string[] {
  return checkRecord(entries).flatMap(({ findings }) => findings)
}

/** Returns a value's JSON, escaped for use inside a JSON string. */
function escaped(value: object): string {
  return JSON.stringify(JSON.stringify(value)).slice(1, -1)
}

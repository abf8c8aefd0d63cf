import type { ChargeView } from '../../history/checker/charge-view.ts'
import type { Entry, Fact } from '../../history/checker/entry.ts'

/** The first organization's charge is paid and settled; the second organization's charge expires. */
export const PAID = 'ch_paid'
export const UNPAID = 'ch_unpaid'

const START_MS = Date.parse('2026-11-28T12:00:00.000Z')
const TOKEN = `0x${'70'.repeat(20)}`
export const SPLIT = { [PAID]: `0x${'a1'.repeat(20)}`, [UNPAID]: `0x${'b2'.repeat(20)}` } as const
export const [PAYER = '', MERCHANT = '', KEEPER = ''] = ['cc', 'dd', 'ee'].map(
  (byte) => `0x${byte.repeat(20)}`,
)

/** Returns the ISO time this many seconds after the start of the record. */
export function time(seconds: number): string {
  return new Date(START_MS + seconds * 1000).toISOString()
}

/** Returns an entry this many seconds after the start of the record. */
export function at(seconds: number, fact: Fact): Entry {
  return { ...fact, atMs: START_MS + seconds * 1000 }
}

/** Returns a charge that was just created. */
export function charge(id: keyof typeof SPLIT, fields: Partial<ChargeView> = {}): ChargeView {
  return {
    ...{ id, amountExact: '10', amountReceivedExact: null, isOverpaid: false, address: SPLIT[id] },
    ...{ acceptedPayments: [{ token: 'USDC', network: 'base' }], paidWith: [] },
    addressTerms: { recipients: [{ address: MERCHANT }] },
    ...{ status: 'pending', settlementStatus: null, externalRef: `key of ${id}` },
    ...{ createdAt: time(1), expiresAt: time(id === PAID ? 60 : 10), confirmedAt: null, settledAt: null },
    ...fields,
  }
}

/** Fields of the paid charge after the payment is credited, and after it is paid out. */
export const CONFIRMED = {
  ...{ amountReceivedExact: '10', paidWith: [{ token: 'USDC', network: 'base' }] },
  ...{ status: 'confirmed', settlementStatus: 'pending', confirmedAt: time(8) },
} as const
export const SETTLED = { ...CONFIRMED, settlementStatus: 'completed', settledAt: time(13) } as const

let lastId = 0

/** Returns a request and its response, 0.1 s later. */
export function exchange(
  seconds: number,
  { organization = 'first', line, body, status = 200, json }: ExchangePlan,
): readonly Entry[] {
  const [method = '', path = ''] = line.split(' ')
  lastId += 1
  return [
    at(seconds, { type: 'request', id: lastId, organization, method, path, body: toText(body) }),
    at(seconds + 0.1, { type: 'response', id: lastId, status, body: JSON.stringify(json) }),
  ]
}

type ExchangePlan = {
  readonly organization?: string
  readonly line: string
  readonly body?: object
  readonly status?: number
  readonly json: unknown
}

function toText(body: object | undefined): string | null {
  return body === undefined ? null : JSON.stringify(body)
}

/** Returns an event that arrives at the webhook, and 10 ms later in the stream. */
export function event(seconds: number, { organization = 'first', type, data }: EventPlan): readonly Entry[] {
  const text = JSON.stringify({ id: `evt_${data.id}_${type}`, event: type, createdAt: time(seconds), data })
  const deliveryId = `evt_${data.id}_${type}`
  return [
    at(seconds, { type: 'delivery', organization, deliveryId, body: text, status: 200 }),
    at(seconds + 0.01, {
      ...{ type: 'frame', organization, path: '/v1/webhooks/listen' },
      ...{ connection: organization === 'first' ? 1 : 2, event: type, data: text },
    }),
  ]
}

type EventPlan = { readonly organization?: string; readonly type: string; readonly data: ChargeView }

export function frame(seconds: number, data: ChargeView, connection = 3): Entry {
  return at(seconds, {
    ...{ type: 'frame', organization: 'first', path: `/v1/charges/${data.id}/events`, connection },
    ...{ event: 'charge', data: JSON.stringify(data) },
  })
}

/** Returns a transfer of 10 USDC from the payer to the paid charge, mined in this block. */
export function transfer(block: number, fields: Partial<Extract<Fact, { type: 'transfer' }>> = {}): Entry {
  return at(20, {
    ...{ type: 'transfer', network: 'base', token: 'USDC', txHash: `0x${block}`, logIndex: 0, block },
    ...{ timestamp: START_MS / 1000 + block - 5, from: PAYER, to: SPLIT[PAID], value: '10000000' },
    ...fields,
  })
}

/** Returns a distribution of the paid charge's split, mined in this block; `value` is in atomic units. */
export function distribution(block: number, value = '10000000'): Entry {
  const { txHash, logIndex, timestamp } = transfer(block) as Extract<Entry, { type: 'transfer' }>
  return at(20, {
    ...{ type: 'distribution', network: 'base', token: 'USDC', txHash, logIndex, block, timestamp, value },
    ...{ split: SPLIT[PAID], distributor: KEEPER },
  })
}

/** Returns the request that creates a charge, and its response. */
export function creation(
  seconds: number,
  { organization = 'first', data, body = {} }: { organization?: string; data: ChargeView; body?: object },
): readonly Entry[] {
  const { externalRef } = data
  const request = { amount: 10, idempotencyKey: externalRef, externalRef, ...body }
  return exchange(seconds, {
    organization,
    line: 'POST /v1/charges',
    body: request,
    status: 201,
    json: data,
  })
}

export const TIMELINE = [
  { type: 'charge.created', network: null, token: null, txHash: null },
  {
    ...{ type: 'transaction.detected', network: 'base', token: 'USDC', txHash: '0x10' },
    ...{ amountExact: '10', creditedAt: time(8) },
  },
  { type: 'split.distributed', network: 'base', token: 'USDC', txHash: '0x14', amountExact: '10' },
] as const

/** Returns one head per second. The chain mines one block per second, starting with block 5 in second 0. */
function heads(): readonly Entry[] {
  return Array.from({ length: 25 }, (_, second) =>
    at(second + 0.2, {
      ...{ type: 'head', network: 'base', number: second + 5 },
      askedMs: START_MS + second * 1000 + 150,
    }),
  )
}

/**
 * Returns a record that satisfies every rule of the checker. The confirmation depth is 3: a payment in block 10 is at
 * depth in second 7, and is distributed in block 14.
 */
export function holdingRecord(): readonly Entry[] {
  const token = { address: TOKEN, decimals: 6 }
  const base = { network: 'base', rpcUrl: 'http://127.0.0.1', confirmations: 3, tokens: { USDC: token } }
  const [second, expired] = ['second', charge(UNPAID, { status: 'expired' })]
  const entries = [
    at(0, { type: 'setup', networks: [base] }),
    ...heads(),
    ...creation(1, { data: charge(PAID) }),
    ...event(1.2, { type: 'charge.created', data: charge(PAID) }),
    ...creation(1, { organization: second, data: charge(UNPAID) }),
    ...event(1.2, { organization: second, type: 'charge.created', data: charge(UNPAID) }),
    ...exchange(2, {
      ...{ organization: second, line: `GET /v1/charges/${PAID}`, status: 404 },
      json: { error: { code: 'charge_not_found', message: `charge ${PAID} does not exist` } },
    }),
    frame(2, charge(PAID)),
    ...exchange(5.5, { line: `GET /v1/charges/${PAID}`, json: charge(PAID) }),
    frame(8, charge(PAID, CONFIRMED)),
    ...event(8.1, { type: 'charge.confirmed', data: charge(PAID, CONFIRMED) }),
    ...event(12, { organization: second, type: 'charge.expired', data: expired }),
    frame(13, charge(PAID, SETTLED)),
    ...event(13.1, { type: 'charge.settled', data: charge(PAID, SETTLED) }),
    at(18, { type: 'quiet' }),
    ...exchange(19, { line: `GET /v1/charges/${PAID}`, json: charge(PAID, SETTLED) }),
    ...exchange(19, { line: `GET /v1/charges/${PAID}/timeline`, json: TIMELINE }),
    ...exchange(19, { organization: second, line: `GET /v1/charges/${UNPAID}`, json: expired }),
    ...exchange(19.5, { line: 'GET /v1/charges?limit=100', json: { data: [charge(PAID, SETTLED)] } }),
    transfer(10),
    distribution(14),
    transfer(14, { from: SPLIT[PAID], to: MERCHANT, value: '9900000', logIndex: 1 }),
  ]
  return entries.toSorted((one, other) => one.atMs - other.atMs)
}

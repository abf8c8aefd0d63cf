import { expect } from 'chai'
import { type ClientRecord, findUnanswered, findWrongResponses } from './api-invariants.ts'
import type { Exchange } from './client.ts'

describe('the invariants of the API’s responses', () => {
  it('hold for a charge that was requested twice with one idempotency key, and read later', () => {
    const read = get({ sentMs: 30, status: 'confirmed' })
    expect(problems({ exchanges: [created(), created({ receivedMs: 25 }), read] })).to.deep.equal([])
  })

  it('fail if one idempotency key has created two charges', () => {
    const exchanges = [created(), created({ id: 'ch_2' })]
    expect(problems({ exchanges })).to.deep.equal(['the key org_one k has created ch_1 and ch_2'])
  })

  it('fail if a charge is shown with another address', () => {
    const exchanges = [created(), get({ address: '0x2' })]
    expect(problems({ exchanges })[0]).to.match(/^ch_1 was shown with other terms: .*0x2/)
  })

  it('fail if a charge is shown to another organization', () => {
    const exchanges = [created(), get({ organizationId: 'org_two' })]
    expect(problems({ exchanges })).to.deep.equal(['ch_1 was shown to org_one and to org_two'])
  })

  it('fail if a read that was sent after the response 201 does not find the charge', () => {
    const lost = { ...get({ sentMs: 20 }), code: 'charge_not_found', charges: [] }
    expect(problems({ exchanges: [created(), lost] })).to.deep.equal([
      'ch_1 was created, and was not found later',
    ])
    expect(problems({ exchanges: [created(), { ...lost, sentMs: 19 }] })).to.deep.equal([])
    expect(problems({ exchanges: [created(), { ...lost, organizationId: 'org_two' }] })).to.deep.equal([])
  })

  it('fail if a final status changes or a status returns to an earlier one, unless the reads overlap', () => {
    const confirmed = get({ status: 'confirmed', sentMs: 30 })
    const later = get({ status: 'expired', sentMs: 40 })
    const overlapping = { ...later, sentMs: 39 }
    expect(problems({ exchanges: [created(), confirmed, later] })).to.deep.equal([
      'ch_1 was confirmed, and expired later',
    ])
    expect(problems({ exchanges: [created(), confirmed, overlapping] })).to.deep.equal([])
    const [partly, again] = [get({ status: 'partially_paid', sentMs: 30 }), get({ sentMs: 40 })]
    expect(problems({ exchanges: [partly, again] })).to.deep.equal([
      'ch_1 was partially_paid, and pending later',
    ])
  })

  it('fail if a request receives an error that no valid request may receive', () => {
    const failed = { ...get(), status: 500, code: 'internal_error', charges: [] }
    expect(problems({ exchanges: [failed] })).to.deep.equal([
      'GET /v1/charges/ch_1 was answered with 500 internal_error',
    ])
  })

  it('fail if a pair is not supported, unless a feed can be ahead of its chain', () => {
    const exchanges = [{ ...get(), status: 422, code: 'token_not_supported', charges: [] }]
    expect(problems({ exchanges })).to.have.length(1)
    expect(problems({ exchanges, mayLackPairs: true })).to.deep.equal([])
  })

  it('fail if a walk through all pages omits a charge that existed before, or shows a charge twice', () => {
    const walk = { organizationId: 'org_one', startedMs: 20, ids: ['ch_1'] }
    const exchanges = [created(), created({ id: 'ch_2', key: 'l', receivedMs: 21 })]
    expect(problems({ exchanges, walks: [walk] })).to.deep.equal([])
    expect(problems({ exchanges, walks: [{ ...walk, ids: [] }] })).to.deep.equal([
      'a walk of org_one through all pages omitted ch_1',
    ])
    expect(problems({ exchanges, walks: [{ ...walk, ids: ['ch_2', 'ch_1', 'ch_2'] }] })).to.deep.equal([
      'a walk of org_one through all pages showed ch_2 twice',
    ])
  })

  it('fail at rest if a request is still unanswered', () => {
    const record = { exchanges: [], waiting: { size: 1 }, walks: [] }
    expect(findUnanswered(record)).to.deep.equal(['1 requests to the API are still unanswered'])
    expect(findUnanswered({ ...record, waiting: { size: 0 } })).to.deep.equal([])
  })
})

type Fields = Partial<Pick<Exchange, 'organizationId' | 'key' | 'sentMs' | 'receivedMs'>> & {
  readonly id?: string
  readonly status?: string
  readonly address?: string
}

function created({ receivedMs = 20, key = 'k', ...fields }: Fields = {}): Exchange {
  return { ...exchange({ ...fields, receivedMs, key }), method: 'POST', path: '/v1/charges', status: 201 }
}

function get(fields: Fields = {}): Exchange {
  return exchange(fields)
}

function exchange({
  id = 'ch_1',
  status = 'pending',
  address = '0x1',
  organizationId = 'org_one',
  key = null,
  sentMs = 10,
  receivedMs = sentMs + 10,
}: Fields): Exchange {
  return {
    ...{ organizationId, key, method: 'GET', path: `/v1/charges/${id}`, status: 200, code: null },
    ...{ charges: [{ id, status, address }], sentMs, receivedMs },
  }
}

function problems(record: Partial<ClientRecord>): readonly string[] {
  return findWrongResponses({ exchanges: [], waiting: { size: 0 }, walks: [], ...record })
}

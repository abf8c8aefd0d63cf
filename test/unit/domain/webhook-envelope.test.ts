import { expect } from 'chai'
import { presentEnvelope } from '../../../shared/domain/webhook-envelope.ts'

describe('presentEnvelope', () => {
  const createdAt = new Date('2026-11-20T12:00:00.000Z')

  it('returns the specification’s envelope with its fields in order', () => {
    const text = presentEnvelope({ id: 'evt_1', type: 'charge.created', createdAt, data: '{"amount":10}' })
    expect(text).to.equal(
      '{"id":"evt_1","event":"charge.created","createdAt":"2026-11-20T12:00:00.000Z","data":{"amount":10}}',
    )
  })

  it('keeps the original text of its data', () => {
    const data = '{"metadata":{"b":1.0,"a":99999999999.123456}}'
    expect(presentEnvelope({ id: 'evt_1', type: 'charge.created', createdAt, data })).to.contain(
      `"data":${data}}`,
    )
  })
})

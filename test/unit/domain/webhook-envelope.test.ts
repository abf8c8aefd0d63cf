import { expect } from 'chai'
import { presentEnvelope } from '../../../shared/domain/webhook-envelope.ts'

describe('presentEnvelope', () => {
  const createdAt = new Date('2026-11-20T12:00:00.000Z')

  it('is the envelope of the specification, its fields in order', () => {
    const text = presentEnvelope({ id: 'evt_1', type: 'charge.created', createdAt, data: '{"amount":10}' })
    expect(text).to.equal(
      '{"id":"evt_1","event":"charge.created","createdAt":"2026-11-20T12:00:00.000Z","data":{"amount":10}}',
    )
  })

  it('leaves the text of its data as it is', () => {
    const data = '{"metadata":{"b":1.0,"a":99999999999.123456}}'
    expect(presentEnvelope({ id: 'evt_1', type: 'charge.created', createdAt, data })).to.contain(
      `"data":${data}}`,
    )
  })
})

import { expect } from 'chai'
import { listErrorCodes } from '../../../api/docs/openapi/error-codes.ts'
import { renderDocs } from '../../../api/docs/page.ts'
import { WEBHOOK_EVENT_TYPES } from '../../../shared/domain/event.ts'
import { readDocument, readRouteTable } from '../../support/route-table.ts'

const page = renderDocs(readDocument())

describe('the documentation page', () => {
  for (const route of readRouteTable()) {
    it(`shows every possible error of ${route.method} ${route.path}`, () => {
      const errors = readSection(route.operationId).split('possible errors').at(-1) ?? ''
      const codes = [...errors.matchAll(/<td>\d{3}<\/td><td><code>(\w+)<\/code>/g)].map(([, code]) => code)
      expect(codes).to.have.members(listErrorCodes(route))
    })
  }

  it('shows the parameters that endpoints share', () => {
    expect(readSection('listCharges')).to.include('<code>cursor</code>').and.include('<code>limit</code>')
    expect(readSection('getCharge')).to.include('<code>id</code>').and.include('matches ^ch_')
  })

  it('links the body of every event, and shows the headers', () => {
    const events = readSection('events')
    for (const type of [...WEBHOOK_EVENT_TYPES, 'webhook.test']) {
      expect(events).to.match(new RegExp(`<code>${type}</code></td><td><a href="#schema-\\w+Event">`))
    }
    expect(events).to.include('<code>X-Service-Signature</code>').and.include('<code>webhook-id</code>')
  })

  it('shows a derived schema’s own fields and a link to its base schema', () => {
    const checked = readSection('schema-CheckedCharge')
    expect(checked).to.include('All fields of <a href="#schema-Charge">Charge</a>, and:')
    expect(checked).to.include('<code>transactionSender</code>').and.not.include('<code>amount</code>')
  })
})

function readSection(id: string): string {
  const [, text = ''] = page.split(`<section aria-labelledby="${id}">`)
  return text.split('</section>')[0] ?? ''
}

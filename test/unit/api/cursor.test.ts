import { expect } from 'chai'
import { type CursorScope, decodeCursor, encodeCursor } from '../../../api/http/cursor.ts'
import { AppError } from '../../../shared/domain/errors.ts'

describe('a cursor', () => {
  const scope: CursorScope = { secrets: ['secret'], list: 'charges', filter: ['org_one', 'live', undefined] }
  const position = { atMicros: 1_795_000_000_123_456, id: 'ch_01' }

  it('decodes to the position it was created from', () => {
    const cursor = encodeCursor(scope, position)
    expect(decodeCursor(scope, cursor)).to.deep.equal(position)
    expect(cursor).to.match(/^[A-Za-z0-9_-]{1,500}$/)
  })

  const foreign: readonly (readonly [title: string, scope: CursorScope])[] = [
    ['another list', { ...scope, list: 'recipients' }],
    ['another organization', { ...scope, filter: ['org_two', 'live', undefined] }],
    ['another filter', { ...scope, filter: ['org_one', 'live', 'pending'] }],
    ['another secret', { ...scope, secrets: ['other'] }],
  ]
  for (const [title, other] of foreign) {
    it(`is rejected for ${title}`, () => expectRefused(other, encodeCursor(scope, position)))
  }

  it('is signed with the first secret, and accepted with any of them', () => {
    const changing = { ...scope, secrets: ['new', 'secret'] }
    expect(decodeCursor(changing, encodeCursor(scope, position))).to.deep.equal(position)
    const signedNow = encodeCursor(changing, position)
    expect(decodeCursor({ ...scope, secrets: ['new'] }, signedNow)).to.deep.equal(position)
    expectRefused(scope, signedNow)
  })

  it('is rejected if any byte is changed', () => {
    const bytes = Buffer.from(encodeCursor(scope, position), 'base64url')
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expectRefused(scope, changed.toString('base64url'))
    }
  })

  it('is rejected if anything is appended', () => {
    for (const more of ['!!', ' ', '=', '\n']) expectRefused(scope, encodeCursor(scope, position) + more)
  })

  it('is rejected if it is text that encodeCursor has not created', () => {
    for (const text of ['', 'x', 'AAAA', 'é', 'a'.repeat(500)]) expectRefused(scope, text)
  })
})

function expectRefused(scope: CursorScope, cursor: string): void {
  expect(() => decodeCursor(scope, cursor))
    .to.throw(AppError)
    .with.property('param', 'cursor')
}

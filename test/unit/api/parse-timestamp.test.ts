import { expect } from 'chai'
import { parseTimestamp } from '../../../api/http/parse-timestamp.ts'

describe('parseTimestamp', () => {
  const read: readonly (readonly [text: string, moment: string])[] = [
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.123456+02:00', '2026-01-31T10:00:00.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ]
  for (const [text, moment] of read) {
    it(`parses ${text}`, () => expect(parseTimestamp(text)?.toISOString()).to.equal(moment))
  }

  const refused = [
    ...['', 'x', '2026', '2026-13-01', '2026-02-30', '2025-02-29T00:00:00Z', '2026-01-31T25:00:00Z'],
    ...['2026-01-31T12:00:00', '2026-01-31 12:00:00Z', '9999-12-31T23:59:59-01:00', '+010000-01-01'],
  ]
  for (const text of refused) {
    it(`rejects ${JSON.stringify(text)}`, () => expect(parseTimestamp(text)).to.equal(null))
  }
})

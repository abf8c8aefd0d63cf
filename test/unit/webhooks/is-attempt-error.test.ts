import { expect } from 'chai'
import { isAttemptError } from '../../../indexer/webhooks/is-attempt-error.ts'

describe('a failed batch of attempt records', () => {
  for (const [code, title, expected] of [
    ['22003', 'a value that the database rejects', true],
    ['57014', 'a statement that timed out', false],
    ['40P01', 'a deadlock', false],
  ] as const)
    it(`is ${expected ? '' : 'not '}retried one by one after ${title}`, () => {
      expect(isAttemptError(Object.assign(new Error(title), { code }))).to.equal(expected)
    })
})

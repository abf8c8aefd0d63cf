import { expect } from 'chai'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { runHistory } from './run-history.ts'

describe('a history of one minute', function () {
  this.timeout(20 * 60_000)

  it('breaks no rule of the checker', async () => {
    const verdicts = await runHistory({
      ...{ directory: await temporaryDirectory('history'), minutes: 1, seed: 1, rate: 0.5, everySeconds: 20 },
      ...{ quietWithinMs: 5 * 60_000, report: () => undefined },
    })
    expect(verdicts.filter(({ findings }) => findings.length > 0)).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { runSoak } from './soak.ts'

describe('a soak run of one minute', function () {
  this.timeout(20 * 60_000)

  it('ends with every event delivered and every balance matched', async () => {
    const { figures, failures } = await runSoak({
      directory: await temporaryDirectory('soak'),
      minutes: 1,
      seed: 1,
      rate: 2,
      say: () => {},
    })
    expect(failures).to.deep.equal([])
    expect(figures[0]).to.match(/^2 charges per second, as requested; \d+ charges in 1 minutes, 1 faults/)
  })
})

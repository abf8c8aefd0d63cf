import { expect } from 'chai'
import { limitConcurrency } from '../../../api/metrics/metrics-runner.ts'
import type { MetricsQuery } from '../../../shared/db/metrics/api/metrics-query.ts'
import { AppError } from '../../../shared/domain/errors.ts'

const QUERY = {} as MetricsQuery

describe('the metrics queries of a process', () => {
  let begun: (() => void)[]
  let run: ReturnType<typeof limitConcurrency>

  beforeEach(() => {
    begun = []
    run = limitConcurrency(() => new Promise((resolve) => begun.push(() => resolve([]))))
  })

  it('run two at a time, and the next query starts when one of the two has ended', async () => {
    const [first] = [run(QUERY), run(QUERY), run(QUERY)]
    expect(begun).to.have.length(2)
    begun[0]?.()
    await first
    expect(begun).to.have.length(3)
  })

  it('are rejected if a hundred queries are already waiting, and the waiting queries still run', async () => {
    const asked = Array.from({ length: 102 }, () => run(QUERY))
    const refusal = await run(QUERY).catch((error: unknown) => error)
    expect(refusal).to.be.instanceOf(AppError).with.property('code', 'service_unavailable')
    for (let ended = 0; ended < 102; ended += 1) {
      begun[ended]?.()
      await asked[ended]
    }
    expect(begun).to.have.length(102)
  })
})

import { expect } from 'chai'
import { createMetrics, registerAsked } from '../../../shared/runtime/metrics.ts'

describe('a gauge that is asked for', () => {
  it('leaves all others where they are when it fails, is left out itself, and is counted', async () => {
    const metrics = createMetrics({ service: 'test' })
    let isDown = false
    registerAsked(metrics, {
      name: 'asked',
      help: 'Asked',
      ask: async () => {
        if (isDown) throw new Error('the database is down')
        return 7
      },
    })
    registerAsked(metrics, { name: 'other', help: 'Other', ask: async () => 8 })
    expect(await metrics.metrics()).to.match(/^asked\{service="test"\} 7$/m)
    isDown = true
    await metrics.metrics()
    const text = await metrics.metrics()
    expect(text).to.match(/^other\{service="test"\} 8$/m)
    expect(text).to.include('process_cpu_seconds_total')
    expect(text, 'no old value passes for a new one').not.to.match(/^asked\{/m)
    expect(text).to.match(/^metrics_failed_asks_total\{gauge="asked",service="test"\} [12]$/m)
    isDown = false
    expect(await metrics.metrics()).to.match(/^asked\{service="test"\} 7$/m)
  })
})

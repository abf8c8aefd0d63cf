import { expect } from 'chai'
import { createMetrics, registerGauge, registerGaugeByChain } from '../../../shared/runtime/metrics.ts'

describe('a gauge that is read at each scrape', () => {
  it('is omitted and counted if reading it fails, without affecting other metrics', async () => {
    const metrics = createMetrics({ service: 'test' })
    let isDown = false
    registerGauge(metrics, 'asked', {
      help: 'Asked',
      ask: async () => {
        if (isDown) throw new Error('the database is down')
        return 7
      },
    })
    registerGauge(metrics, 'other', { help: 'Other', ask: async () => 8 })
    expect(await metrics.metrics()).to.match(/^asked\{service="test"\} 7$/m)
    isDown = true
    await metrics.metrics()
    const text = await metrics.metrics()
    expect(text).to.match(/^other\{service="test"\} 8$/m)
    expect(text).to.include('process_cpu_seconds_total')
    expect(text, 'an old value must not be shown as the current one').not.to.match(/^asked\{/m)
    expect(text).to.match(/^metrics_collect_errors_total\{gauge="asked",service="test"\} [12]$/m)
    isDown = false
    expect(await metrics.metrics()).to.match(/^asked\{service="test"\} 7$/m)
  })
})

describe('a gauge by chain that is read at each scrape', () => {
  it('shows only the chains with a result, and no chain while reading fails', async () => {
    const metrics = createMetrics({ service: 'test' })
    let answer: ReadonlyMap<number, number> | null = new Map([
      [8453, 1],
      [56, 2],
    ])
    registerGaugeByChain(metrics, 'asked', {
      help: 'Asked',
      ask: async () => answer ?? Promise.reject(new Error('the database is down')),
    })
    expect(linesOf(await metrics.metrics())).to.deep.equal([
      'asked{chain_id="8453",service="test"} 1',
      'asked{chain_id="56",service="test"} 2',
    ])
    answer = new Map([[56, 3]])
    expect(linesOf(await metrics.metrics())).to.deep.equal(['asked{chain_id="56",service="test"} 3'])
    answer = null
    expect(linesOf(await metrics.metrics())).to.deep.equal([])
  })
})

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('asked{'))
}

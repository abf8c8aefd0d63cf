import { expect } from 'chai'
import { createMetrics, registerAsked, registerAskedByChain } from '../../../shared/runtime/metrics.ts'

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

describe('a gauge that is asked for by chain', () => {
  it('shows the chains that are answered alone, and none while nobody answers', async () => {
    const metrics = createMetrics({ service: 'test' })
    let answer: ReadonlyMap<number, number> | null = new Map([
      [8453, 1],
      [56, 2],
    ])
    registerAskedByChain(metrics, {
      name: 'asked',
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

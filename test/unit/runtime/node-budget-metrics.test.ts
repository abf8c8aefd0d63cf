import { expect } from 'chai'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import { registerNodeBudgets } from '../../../shared/runtime/node-budget-metrics.ts'

describe('the metrics of node budgets', () => {
  it('show sent, refused and throttled requests, the pause, and the day’s limit and remaining requests', async () => {
    const registry = createMetrics({ service: 'test' })
    const usage = {
      ...{ sent: { payment: 5, background: 2 }, refused: { payment: 0, background: 3 } },
      ...{ throttled: 1, pausedMs: 2_500, sentInDay: 7 },
    }
    const limited = {
      chainId: 1,
      name: 'a.example',
      budget: { perDay: 100 },
      pacer: { getUsage: () => usage },
    }
    const free = { ...limited, name: 'b.example', budget: { perDay: null } }
    registerNodeBudgets(registry, [limited, free])
    await registry.metrics()
    const text = await registry.metrics()
    const valueOf = (name: string, node: string, labels = '') =>
      new RegExp(`^${name}\\{chain_id="1",node="${node}",${labels}.*\\} (.*)$`, 'm').exec(text)?.[1]
    expect(valueOf('node_requests_total', 'a.example', 'priority="payment"')).to.equal('5')
    expect(valueOf('node_requests_refused_total', 'a.example', 'priority="background"')).to.equal('3')
    expect(valueOf('node_throttled_total', 'a.example')).to.equal('1')
    expect(valueOf('node_paused_seconds', 'a.example')).to.equal('2.5')
    expect(valueOf('node_day_requests_limit', 'a.example')).to.equal('100')
    expect(valueOf('node_day_requests_left', 'a.example')).to.equal('93')
    expect(valueOf('node_day_requests_left', 'b.example')).to.equal(undefined)
  })
})

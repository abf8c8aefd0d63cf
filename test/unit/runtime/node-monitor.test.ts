import { expect } from 'chai'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import { createNodeMonitor } from '../../../shared/runtime/node-monitor.ts'
import { recordingLog } from '../../support/recording-log.ts'

const OURS = 8453
const OTHER = 10

describe('the monitor of a process’s nodes', () => {
  const verdict = (key: string, servedChainId: number) => ({
    ...{ url: `https://rpc.example/${key}`, chainId: OURS, servedChainId },
  })

  it('logs one line per change, and shows only the host', () => {
    const { log, lines } = recordingLog()
    const note = createNodeMonitor({ log, registry: createMetrics({ service: 'test' }) })
    for (const served of [OURS, OTHER, OTHER, OURS, OURS]) note(verdict('hunter2', served))
    expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
      ['error', 'Node is on the wrong chain and excluded'],
      ['info', 'Node is on its chain again'],
    ])
    expect(lines[0]).to.include({ chain_id: OURS, node: 'rpc.example', served_chain_id: OTHER })
    expect(JSON.stringify(lines)).not.to.include('hunter2')
  })

  it('counts the excluded nodes by chain and host', async () => {
    const registry = createMetrics({ service: 'test' })
    const note = createNodeMonitor({ log: recordingLog().log, registry })
    const count = async () => {
      const metric = await registry.getSingleMetric('nodes_on_wrong_chain')?.get()
      return metric?.values.map(({ value, labels }) => ({ value, ...labels }))
    }
    const labels = { chain_id: OURS, node: 'rpc.example' }
    note(verdict('one', OTHER))
    note(verdict('two', OTHER))
    expect(await count()).to.deep.equal([{ value: 2, ...labels }])
    note(verdict('one', OURS))
    expect(await count()).to.deep.equal([{ value: 1, ...labels }])
  })
})

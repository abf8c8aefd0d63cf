import { expect } from 'chai'
import { createReaders } from '../../../api/readers.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'

describe('the readers of a process', () => {
  it('are cut off, the largest first, until they hold no more than all may together', async () => {
    const metrics = createMetrics({ service: 'test' })
    const readers = createReaders({ maxBytes: 100, metrics })
    const cut: string[] = []
    const open = (name: string) => readers.open(() => cut.push(name))
    const [small, large, middle] = [open('small'), open('large'), open('middle')]
    small.hold(10)
    large.hold(60)
    middle.hold(30)
    expect(cut, 'with as much as there may be').to.deep.equal([])
    small.hold(11)
    expect(cut, 'with one byte more').to.deep.equal(['large'])
    large.hold(1000)
    expect(cut, 'what has been cut off counts no more').to.deep.equal(['large'])
    middle.close()
    open('another').hold(89)
    expect(cut).to.deep.equal(['large'])
    expect(await metrics.metrics()).to.match(/^http_unread_bytes\{.*\} 100$/m)
    expect(await metrics.metrics()).to.match(/^http_readers_shed_total\{.*\} 1$/m)
  })
})

import { expect } from 'chai'
import { createReaders, type ReaderHolder } from '../../../api/http/response-buffers.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'

describe('the unread bytes of a process with a maximum of 1,000', () => {
  function setUp() {
    const metrics = createMetrics({ service: 'test' })
    const readers = createReaders({ maxBytes: 1000, metrics })
    const cut: string[] = []
    const open = (name: string, holder: ReaderHolder) => readers.open(holder, () => cut.push(name))
    const ofKey = (name: string, id = name) => open(name, { kind: 'key', id })
    const ofAddress = (name: string, id = name) => open(name, { kind: 'address', id })
    return { metrics, cut, ofKey, ofAddress }
  }

  it('are reduced by cutting off the largest response of the key with the most bytes', async () => {
    const { metrics, cut, ofKey } = setUp()
    ofKey('single').hold(400)
    const first = ofKey('first of many', 'many')
    first.hold(250)
    ofKey('second of many', 'many').hold(350)
    expect(cut, 'at the maximum').to.deep.equal([])
    first.hold(251)
    expect(cut, 'one byte above it').to.deep.equal(['second of many'])
    expect(await metrics.metrics()).to.match(/^http_buffered_response_bytes\{.*\} 651$/m)
    expect(await metrics.metrics()).to.match(/^http_slow_clients_disconnected_total\{.*\} 1$/m)
  })

  it('exclude a response that was cut off or closed', async () => {
    const { metrics, cut, ofKey } = setUp()
    const large = ofKey('large')
    large.hold(1001)
    large.hold(2000)
    const closed = ofKey('closed')
    closed.hold(900)
    closed.close()
    closed.hold(900)
    ofKey('another').hold(1000)
    expect(cut).to.deep.equal(['large'])
    expect(await metrics.metrics()).to.match(/^http_buffered_response_bytes\{.*\} 1000$/m)
  })

  it('include at most an eighth of the maximum for one address', () => {
    const { cut, ofAddress } = setUp()
    ofAddress('small', 'one').hold(60)
    ofAddress('large', 'one').hold(65)
    ofAddress('other').hold(125)
    expect(cut, 'at the bound').to.deep.equal([])
    ofAddress('third', 'one').hold(1)
    expect(cut, 'one byte above it').to.deep.equal(['large'])
  })

  it('include at most half of the maximum for all addresses together, so that clients with a key keep their responses', () => {
    const { cut, ofKey, ofAddress } = setUp()
    ofKey('merchant').hold(500)
    for (const name of ['a', 'b', 'c', 'd', 'e']) ofAddress(name).hold(name === 'c' ? 104 : 99)
    expect(cut, 'at the bound').to.deep.equal([])
    ofAddress('f').hold(1)
    expect(cut, 'one byte above it').to.deep.equal(['c'])
  })
})

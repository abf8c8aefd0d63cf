import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { servePacing } from '../../../indexer/chain-feed/serve-pacing.ts'
import { createDaemonPacers } from '../../../indexer/transport/daemon-pacers.ts'
import { createNodePacers } from '../../../shared/chain/pacing/node-pacers.ts'
import { isUnsent } from '../../../shared/chain/pacing/throttle.ts'
import { createVirtualTimers } from '../../support/virtual-timers.ts'

const URL = 'https://limited.example'
const NEED = { priority: 'payment', maxWaitMs: 5_000 } as const

/** Messages between processes are JSON. */
const copy = (message: unknown): unknown => JSON.parse(JSON.stringify(message))

describe("the pacing of Ponder's requests by the daemon", () => {
  /** Connects a Ponder process to its daemon. */
  function connect(requestsPerSecond: number | null = 1) {
    const timers = createVirtualTimers()
    const limits = { requestsPerSecond, requestsPerDay: null }
    const nodes = [{ name: 'limited.example', url: URL, ...limits }]
    const pacers = createNodePacers([{ chainId: 1, nodes }], { share: 1, timers })
    const child = new EventEmitter()
    const sent: unknown[] = []
    const serving = servePacing({
      pacerOf: pacers.pacerOf,
      reply: (reply) => child.emit('message', copy(reply)),
    })
    const self = {
      on: child.on.bind(child),
      send: (message: unknown) => {
        sent.push(message)
        return serving.receive(copy(message))
      },
    }
    const pacerOf = createDaemonPacers(self as never, [URL])
    return { timers, serving, sent, inPonder: pacerOf(URL), inDaemon: pacers.pacerOf(URL), pacerOf, pacers }
  }

  it('makes Ponder and the daemon share one budget', async () => {
    const { timers, inPonder, inDaemon } = connect()
    const order: string[] = []
    const ask = async (name: string, pacer: typeof inPonder) => {
      const end = await pacer.acquire(NEED)
      order.push(`${name} at ${timers.nowMs()}`)
      end(null)
    }
    void ask('Ponder', inPonder)
    await timers.advance(0)
    void ask('the daemon', inDaemon)
    await timers.advance(0)
    void ask('Ponder', inPonder)
    await timers.advance(3_000)
    expect(order).to.deep.equal(['Ponder at 0', 'the daemon at 1000', 'Ponder at 2000'])
  })

  it("pauses the daemon's requests when a node throttles Ponder's", async () => {
    const { timers, inPonder, inDaemon } = connect(100)
    const asked = inPonder.acquire(NEED)
    await timers.advance(0)
    const end = await asked
    end({ retryAfterMs: 60_000 })
    await timers.advance(0)
    const failure: unknown = await inDaemon.acquire(NEED).catch((error: unknown) => error)
    expect(isUnsent(failure)).to.equal(true)
  })

  it('rejects Ponder’s request if it cannot be sent before its deadline', async () => {
    const { timers, inPonder } = connect(0.1)
    void inPonder.acquire(NEED)
    const late = inPonder.acquire(NEED).catch((error: unknown) => error)
    await timers.advance(5_000)
    expect(isUnsent(await late)).to.equal(true)
  })

  it('reports to Ponder the delay until a node has capacity', async () => {
    const { timers, inPonder } = connect(0.5)
    const asked = inPonder.acquire(NEED)
    await timers.advance(0)
    ;(await asked)(null)
    const delay = inPonder.getDelayMs()
    await timers.advance(0)
    expect(await delay).to.equal(2_000)
  })

  it('reports a delay of 60 s to Ponder while a response is outstanding', async () => {
    const { timers, inPonder } = connect()
    void inPonder.acquire(NEED)
    await timers.advance(0)
    const delay = inPonder.getDelayMs()
    await timers.advance(0)
    expect(await delay).to.equal(60_000)
  })

  it('frees the capacity of requests that were in flight when Ponder exited', async () => {
    const { timers, serving, inPonder, inDaemon } = connect()
    void inPonder.acquire(NEED)
    await timers.advance(0)
    serving.close()
    let isSent = false
    void inDaemon.acquire(NEED).then(() => {
      isSent = true
    })
    await timers.advance(1_000)
    expect(isSent).to.equal(true)
  })

  it('sends no message to the daemon for a node without a limit', async () => {
    const { sent, pacerOf } = connect()
    ;(await pacerOf('https://other.example').acquire(NEED))(null)
    expect(sent).to.deep.equal([])
  })

  it('ignores other messages, and pauses for the default time if the requested time is not a number', async () => {
    const { timers, serving, pacers } = connect(100)
    expect(serving.receive({ port: 42 })).to.equal(false)
    expect(serving.receive(null)).to.equal(false)
    serving.receive({ pacing: 'acquire', id: 1, url: URL, priority: 'payment', maxWaitMs: 1 })
    await timers.advance(0)
    serving.receive({ pacing: 'end', id: 1, throttle: { retryAfterMs: 'for ever' } })
    const [node] = pacers.nodes
    expect(node?.pacer.getUsage().pausedMs).to.equal(1_000)
  })
})

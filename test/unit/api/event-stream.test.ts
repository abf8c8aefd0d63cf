import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect as openSocket, type Socket } from 'node:net'
import { expect } from 'chai'
import Koa, { type Context } from 'koa'
import type { ReaderHolder, ResponseBuffers } from '../../../api/http/response-buffers.ts'
import { type EventStream, eventFrame, openEventStream } from '../../../api/streams/event-stream.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'

const FRAME = eventFrame({ name: 'charge', id: 'a', data: 'x'.repeat(2000) })

describe('an event stream', () => {
  let server: Server
  let client: Socket
  let received = ''
  let stream: EventStream
  let context: WeakRef<Context>
  let unread: number[]

  before(async () => {
    const readers: ResponseBuffers = {
      open: (_holder: ReaderHolder) => ({ hold: (bytes) => unread.push(bytes), close: () => undefined }),
    }
    const app = new Koa().use((ctx) => {
      ctx.state['key_id'] = 'key_test'
      stream = openEventStream(ctx, readers)
      context = new WeakRef(ctx)
    })
    const handle = app.callback()
    server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  beforeEach(async () => {
    received = ''
    unread = []
    client = openSocket((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('data', (data) => {
      received += String(data)
    })
    client.write('GET / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n')
    await waitFor(() => received.includes('\r\n\r\n'), { what: 'the headers', timeoutMs: 10_000 })
  })
  afterEach(() => client.destroy())
  after(() => server.close())

  it('counts a frame as unread only until it is sent, not until the next frame is sent', async () => {
    stream.send(FRAME)
    expect(unread.at(-1), 'before it is sent').to.be.at.least(FRAME.length)
    await waitFor(() => unread.at(-1) === 0, { what: 'no unread bytes', timeoutMs: 10_000 })
  })

  it('keeps no reference to the context of its request', async () => {
    const isForgotten = (): boolean => {
      collectGarbage()
      return context.deref() === undefined
    }
    await waitFor(isForgotten, { what: 'the end of the context', timeoutMs: 10_000 })
    stream.send(FRAME)
    await waitFor(() => received.includes('event: charge'), { what: 'the frame', timeoutMs: 10_000 })
  })

  it('notifies each listener once that the client has disconnected, even a listener that is added later', async () => {
    let closed = 0
    stream.onClose(() => {
      closed += 1
    })
    client.destroy()
    await waitFor(() => closed === 1, { what: 'the end of the stream', timeoutMs: 10_000 })
    stream.onClose(() => {
      closed += 1
    })
    stream.send(FRAME)
    expect(closed).to.equal(2)
  })
})

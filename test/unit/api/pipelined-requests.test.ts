import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { handleInTurn } from '../../../api/http/pipelined-requests.ts'
import { waitFor } from '../../devnet/wait-for.ts'

describe('the requests of one connection', () => {
  const started: { readonly url: string; readonly response: ServerResponse }[] = []
  const server = createServer(
    { requireHostHeader: false },
    handleInTurn(({ url = '' }, response) => started.push({ url, response })),
  )
  let socket: Socket
  let text = ''

  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  beforeEach(async () => {
    started.length = 0
    text = ''
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
  })
  afterEach(() => socket.destroy())
  after(() => new Promise((resolve) => server.close(resolve)))

  const send = (count: number) =>
    socket.write(Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\n\r\n`).join(''))
  const untilStarted = (count: number) =>
    waitFor(() => started.length === count, {
      what: `${count} started requests`,
      timeoutMs: 10_000,
      intervalMs: 5,
    })

  it('run one at a time, in order', async () => {
    send(17)
    for (let index = 0; index < 17; index += 1) {
      await untilStarted(index + 1)
      expect(started[index]?.url).to.equal(`/${index}`)
      started[index]?.response.end(`answer ${index};`)
    }
    await waitFor(() => text.includes('answer 16;'), { what: 'every response', timeoutMs: 10_000 })
  })

  it('are dropped with their connection if 17 are waiting, and no waiting request is started', async () => {
    send(18)
    await waitFor(() => socket.closed, { what: 'the end of the connection', timeoutMs: 10_000 })
    await waitFor(() => started[0]?.response.closed, {
      what: 'the end of the first request',
      timeoutMs: 10_000,
    })
    expect(started).to.have.length(1)
  })

  it('do not start after the client has disconnected', async () => {
    send(3)
    await untilStarted(1)
    socket.destroy()
    await waitFor(() => started[0]?.response.closed, {
      what: 'the end of the first request',
      timeoutMs: 10_000,
    })
    expect(started).to.have.length(1)
  })

  it('do not start after a response that ends the connection', async () => {
    send(3)
    await untilStarted(1)
    started[0]?.response.setHeader('Connection', 'close').end()
    await waitFor(() => socket.closed, { what: 'the end of the connection', timeoutMs: 10_000 })
    expect(started).to.have.length(1)
  })
})

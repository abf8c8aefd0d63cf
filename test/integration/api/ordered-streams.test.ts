import { connect as openSocket, type Socket } from 'node:net'
import { expect } from 'chai'
import { createStreamIds } from '../../../api/streams/stream-ids.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { appendManyEvents } from '../../support/daemon-rows.ts'
import { type EventReader, readEvents } from '../../support/read-events.ts'

const LISTEN = { path: '/v1/webhooks/listen', category: 'payments', type: 'charge.confirmed' }
const KEEPER_FEED = {
  path: '/v1/distributions/pending/events',
  category: 'distributions',
  type: 'distribution.claimed',
}

type Feed = typeof LISTEN

/** Stream ids made with the secret that all test APIs share. */
const IDS = createStreamIds(['a secret of thirty-two characters'])

describe('a stream of numbered events', () => {
  let api: TestApi
  let key: string
  const readers: EventReader[] = []
  const sockets: Socket[] = []

  before(async () => {
    // The default of 4 MiB is too small for the 12 MB that a test sends to a client that does not read.
    api = await startTestApi({ STREAM_BUFFER_MAX_KIB: '16384' })
    ;({ key } = await api.issueKey({ scopes: ['webhooks:read'] }))
  })
  afterEach(() => {
    readers.splice(0).forEach((reader) => reader.close())
    sockets.splice(0).forEach((socket) => socket.destroy())
  })
  after(() => api.stop())

  for (const feed of [LISTEN, KEEPER_FEED]) {
    it(`sends a client that reconnects to ${feed.path} all 400 events that it missed, in order`, async () => {
      const seen = (await append(feed, { count: 1 })).at(-1)
      const missed = await append(feed, { count: 400, bytes: 2000 })
      const reader = await follow(feed, { 'last-event-id': api.hub.ids.ofEvent(seen ?? 0) })
      await reader.until('all', () => idsOf(reader).length >= missed.length)
      expect(idsOf(reader)).to.deep.equal(missed)
      expect(reader.isEnded()).to.equal(false)
    })

    it(`sends a burst of 500 events through ${feed.path}, in order`, async () => {
      const reader = await follow(feed)
      const burst = await append(feed, { count: 500, bytes: 2000 })
      await reader.until('all', () => idsOf(reader).length >= burst.length)
      expect(idsOf(reader)).to.deep.equal(burst)
      expect(reader.isEnded()).to.equal(false)
    })
  }

  it('queues events for a client that stops reading', async () => {
    const socket = await followAndRest(api, { authorization: `Bearer ${key}` })
    const burst = await append(LISTEN, { count: 60, bytes: 200_000 })
    const witness = await follow(LISTEN, { 'last-event-id': api.hub.ids.ofEvent((burst[0] ?? 0) - 1) })
    await witness.until('all', () => idsOf(witness).length === burst.length)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.resume()
    const idsRead = (): readonly number[] =>
      [...text.matchAll(/^id: (\S+)$/gm)].map(([, id = '']) => api.hub.ids.findEvent(id) ?? -1)
    await waitFor(() => idsRead().at(-1) === burst.at(-1), { what: 'the last event', timeoutMs: 60_000 })
    expect(idsRead().slice(-burst.length)).to.deep.equal(burst)
  })

  it('can be resumed from an id that was sent before the first event', async () => {
    const empty = await startTestApi()
    const { key: theirs } = await empty.issueKey({ scopes: ['webhooks:read'] })
    const url = `${empty.baseUrl}${LISTEN.path}`
    const first = await readEvents(url, { key: theirs })
    await first.until('the first frame', ({ events }) => events.length === 1)
    expect(empty.hub.ids.findEvent(first.lastEventId())).to.equal(0)
    first.close()
    const missed = await append(LISTEN, { count: 3 }, empty)
    const again = await readEvents(url, { key: theirs, headers: { 'last-event-id': first.lastEventId() } })
    readers.push(again)
    await again.until('the missed events', () => idsOf(again).length >= missed.length)
    expect(idsOf(again)).to.deep.equal(missed)
    await empty.stop()
  })

  it('starts over for a client with the id of a future event', async () => {
    const reader = await follow(LISTEN, { 'last-event-id': api.hub.ids.ofEvent(999_999) })
    await reader.until('the first frame', ({ events }) => events.length === 1)
    expect(reader.lastEventId()).to.equal(api.hub.ids.ofEvent(api.hub.lastSeq()))
  })

  it('is closed if its client reads no data until the timeout, whether the stream is live or catching up', async () => {
    const strict = await startTestApi({ STREAM_BUFFER_MAX_KIB: '16384' }, (config) => ({
      ...config,
      streams: { ...config.streams, heartbeatMs: 50, maxPerKey: 2 },
      connections: { ...config.connections, unreadTimeoutMs: 300 },
    }))
    const { key: theirs } = await strict.issueKey({ scopes: ['webhooks:read'] })
    const seen = (await append(LISTEN, { count: 1 }, strict)).at(-1)
    await followAndRest(strict, { authorization: `Bearer ${theirs}` })
    await append(LISTEN, { count: 60, bytes: 200_000 }, strict)
    await followAndRest(strict, {
      authorization: `Bearer ${theirs}`,
      'last-event-id': api.hub.ids.ofEvent(seen ?? 0),
    })
    for (const place of ['the first place', 'the second']) {
      const next = async (): Promise<EventReader | false> => {
        const reader = await readEvents(`${strict.baseUrl}${LISTEN.path}`, { key: theirs })
        return reader.status === 200 && reader
      }
      readers.push(await waitFor(next, { what: place, timeoutMs: 60_000 }))
    }
    expect(readers.map(({ isEnded }) => isEnded())).to.deep.equal([false, false])
    await strict.stop()
  })

  /** Appends equal events to the feed, and returns their numbers. */
  function append(
    { type, category }: Feed,
    { count, bytes = 10 }: { count: number; bytes?: number },
    to = api,
  ): Promise<readonly number[]> {
    return appendManyEvents(to.owner, { type, category, organizationId: 'org_one', count, bytes })
  }

  async function follow({ path }: Feed, headers: Record<string, string> = {}): Promise<EventReader> {
    const reader = await readEvents(`${api.baseUrl}${path}`, { key, headers })
    readers.push(reader)
    return reader
  }

  /** Opens the stream `LISTEN` with a client that stops reading after the first bytes of the response. */
  async function followAndRest({ baseUrl }: TestApi, headers: Record<string, string>): Promise<Socket> {
    const { port } = new URL(baseUrl)
    const socket = openSocket(Number(port), '127.0.0.1')
    sockets.push(socket)
    const lines = Object.entries({ host: 'x', ...headers })
    socket.write(
      `GET ${LISTEN.path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    return socket
  }
})

function idsOf({ events }: EventReader): readonly number[] {
  return events.filter(({ event }) => event !== 'ready').map(({ id }) => IDS.findEvent(id) ?? -1)
}

import { expect } from 'chai'
import type { EventStream } from '../../../api/streams/event-stream.ts'
import { createSendQueue, MAX_QUEUED, type NumberedFrame } from '../../../api/streams/send-queue.ts'

/** Creates a stream whose client reads one frame each time the test calls `read`. */
function createSlowStream() {
  const sent: string[] = []
  let isCongested = false
  let isCut = false
  let heldBack = 0
  let drained = (): void => undefined
  let close = (): void => undefined
  const stream: EventStream = {
    openedAtMs: 0,
    send: (frame) => {
      sent.push(frame.toString())
      isCongested = true
    },
    isCongested: () => isCongested,
    onDrain: (listener) => {
      drained = listener
    },
    onClose: (listener) => {
      close = listener
    },
    holdBack: (bytes) => {
      heldBack = bytes
    },
    end: () => undefined,
    cut: () => {
      isCut = true
    },
  }
  const read = (): void => {
    isCongested = false
    drained()
  }
  return { stream, sent, read, close: () => close(), isCut: () => isCut, heldBack: () => heldBack }
}

const frame = (seq: number): NumberedFrame => ({ seq, bytes: Buffer.from(String(seq)) })
const LIMITS = { after: 3, maxBytes: 1_000_000 }

describe('the send queue of a stream', () => {
  it('sends past and new events, each once and only as fast as the client reads', async () => {
    const { stream, sent, read, heldBack } = createSlowStream()
    const outbox = createSendQueue(stream, LIMITS)
    await outbox.send(frame(3))
    expect(sent, 'frames sent at first').to.deep.equal([])
    const past = outbox.send(frame(4))
    expect(sent, 'frames of past events').to.deep.equal(['4'])
    read()
    await past
    for (const seq of [4, 5, 6]) outbox.push(frame(seq))
    expect(sent, 'before the client reads').to.deep.equal(['4', '5'])
    expect(heldBack(), 'bytes').to.equal(1)
    read()
    expect(sent, 'all').to.deep.equal(['4', '5', '6'])
    expect(heldBack(), 'bytes').to.equal(0)
  })

  it('does not count the events that it drops when the stream closes', () => {
    const { stream, close, heldBack } = createSlowStream()
    const outbox = createSendQueue(stream, LIMITS)
    for (const seq of [4, 5, 6]) outbox.push(frame(seq))
    expect(heldBack(), 'bytes').to.equal(2)
    close()
    outbox.push(frame(7))
    expect(heldBack(), 'bytes').to.equal(1)
  })

  it('cuts off a client with too many queued events', () => {
    const { stream, isCut } = createSlowStream()
    const outbox = createSendQueue(stream, LIMITS)
    outbox.push(frame(4))
    for (let seq = 5; seq < MAX_QUEUED + 5; seq += 1) outbox.push(frame(seq))
    expect(isCut(), `with ${MAX_QUEUED}`).to.equal(false)
    outbox.push(frame(MAX_QUEUED + 5))
    expect(isCut(), 'with one more').to.equal(true)
  })

  it('cuts off a client with too many queued bytes, even if it is still reading', () => {
    const { stream, sent, read, isCut } = createSlowStream()
    const outbox = createSendQueue(stream, { after: 0, maxBytes: 10_000 })
    for (let seq = 1; !isCut() && seq < 1000; seq += 1) {
      outbox.push({ seq, bytes: Buffer.alloc(1000, 'x') })
      if (seq % 2 === 0) read()
    }
    expect(isCut()).to.equal(true)
    expect(sent.length, 'frames sent until then').to.be.within(9, 12)
  })
})

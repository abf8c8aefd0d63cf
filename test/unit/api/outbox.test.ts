import { expect } from 'chai'
import type { EventStream } from '../../../api/streams/event-stream.ts'
import { createOutbox, MAX_KEPT, type NumberedFrame } from '../../../api/streams/outbox.ts'

/** A stream whose client reads when the test says so, one frame at a time. */
function createSlowStream() {
  const sent: string[] = []
  let isCongested = false
  let isCut = false
  let drained = (): void => undefined
  const stream: EventStream = {
    openedAtMs: 0,
    send: (frame) => {
      sent.push(frame)
      isCongested = true
    },
    isCongested: () => isCongested,
    onDrain: (listener) => {
      drained = listener
    },
    onClose: () => undefined,
    stalledSinceMs: () => null,
    end: () => undefined,
    cut: () => {
      isCut = true
    },
  }
  const read = (): void => {
    isCongested = false
    drained()
  }
  return { stream, sent, read, isCut: () => isCut }
}

const frame = (seq: number): NumberedFrame => ({ seq, text: String(seq) })

describe('an outbox', () => {
  it('sends the past, then what came meanwhile, each once and only as the client reads', async () => {
    const { stream, sent, read } = createSlowStream()
    const outbox = createOutbox(stream, 3)
    for (const seq of [3, 4, 5, 6]) outbox.push(frame(seq))
    const past = outbox.send(frame(4))
    expect(sent, 'the first of the past').to.deep.equal(['4'])
    read()
    await past
    const rest = outbox.send(frame(5))
    read()
    await rest
    expect(sent, 'the past').to.deep.equal(['4', '5'])
    outbox.goLive()
    outbox.push(frame(7))
    expect(sent, 'before the client reads').to.deep.equal(['4', '5', '6'])
    read()
    expect(sent, 'all').to.deep.equal(['4', '5', '6', '7'])
  })

  for (const isLive of [false, true]) {
    it(`cuts off a client for whom too many wait while it is ${isLive ? 'live' : 'catching up'}`, async () => {
      const { stream, isCut } = createSlowStream()
      const outbox = createOutbox(stream, 0)
      void outbox.send(frame(1))
      if (isLive) outbox.goLive()
      for (let seq = 2; seq < MAX_KEPT + 2; seq += 1) outbox.push(frame(seq))
      expect(isCut(), `with ${MAX_KEPT}`).to.equal(false)
      outbox.push(frame(MAX_KEPT + 2))
      expect(isCut(), 'with one more').to.equal(true)
    })
  }
})

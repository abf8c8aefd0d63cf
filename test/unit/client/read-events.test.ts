import { expect } from 'chai'
import { paginate } from '../../../api/client/paginate.ts'
import { readEvents } from '../../../api/client/read-events.ts'

async function read(chunks: readonly (string | Uint8Array)[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
      controller.close()
    },
  })
  const events = []
  for await (const event of readEvents(body)) events.push(event)
  return events
}

describe('readEvents', () => {
  it('yields the same events regardless of how the bytes are split', async () => {
    const bytes = Buffer.from(
      ': heartbeat\n\nevent: charge\nid: 7\ndata: {"a":"ä"}\n\nevent:x\ndata:1\ndata: 2\n\n',
    )
    const expected = [
      { event: 'charge', id: '7', data: '{"a":"ä"}' },
      { event: 'x', id: null, data: '1\n2' },
    ]
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      expect(await read(chunks), `chunks of ${size}`).to.deep.equal(expected)
    }
  })

  it('accepts every kind of line break, even one that arrives in two chunks', async () => {
    expect(await read(['data: 1\r', '\n\r\n', 'data: 2\r\r', 'data: 3\n\n'])).to.have.length(3)
  })

  it('ignores an event that is cut off before its end', async () => {
    expect(await read(['data: 1\n\ndata: 2\n'])).to.have.length(1)
  })
})

describe('paginate', () => {
  it('yields every entry of every page in order and requests no further page', async () => {
    const pages = {
      '': { data: [1, 2], nextCursor: 'b' },
      b: { data: [], nextCursor: 'c' },
      c: { data: [3], nextCursor: null },
    }
    const cursors: string[] = []
    const items = []
    const all = paginate(async (cursor = '') => {
      cursors.push(cursor)
      return pages[cursor as keyof typeof pages]
    })
    for await (const item of all) items.push(item)
    expect(items).to.deep.equal([1, 2, 3])
    expect(cursors).to.deep.equal(['', 'b', 'c'])
  })
})

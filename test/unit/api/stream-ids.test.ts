import { expect } from 'chai'
import { createStreamIds } from '../../../api/streams/stream-ids.ts'

describe('the ids of streams', () => {
  const ids = createStreamIds(['secret'])

  it('decode to the number they were created from, in any process', () => {
    for (const seq of [0, 1, 255, 256, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      expect(createStreamIds(['secret']).findEvent(ids.ofEvent(seq)), String(seq)).to.equal(seq)
    }
  })

  it('reveal neither the order of the numbers nor the distance between them', () => {
    const some = Array.from({ length: 200 }, (_, seq) => ids.ofEvent(seq))
    expect(new Set(some.map(({ length }) => length)).size, 'lengths').to.equal(1)
    expect(new Set(some).size, 'each its own').to.equal(200)
    // Between neighbors at least a quarter of the 160 bits must differ; half is expected.
    const bits = some.map((id) =>
      [...Buffer.from(id, 'base64url')].map((byte) => byte.toString(2).padStart(8, '0')).join(''),
    )
    for (const [index, bit] of bits.entries()) {
      const next = bits[index + 1] ?? bits[0] ?? ''
      const different = Array.from(bit).filter((one, at) => one !== next[at]).length
      expect(different, `ids ${index} and the next`).to.be.above(40)
    }
  })

  it('are created with the first secret, and decoded with any of the secrets', () => {
    const changing = createStreamIds(['new', 'secret'])
    expect(changing.findEvent(ids.ofEvent(7))).to.equal(7)
    expect(createStreamIds(['new']).findEvent(changing.ofEvent(7))).to.equal(7)
    expect(ids.findEvent(changing.ofEvent(7))).to.equal(null)
  })

  it('are rejected if they were changed or if the service has not created them', () => {
    const id = ids.ofEvent(7)
    const changed = Buffer.from(id, 'base64url')
    changed[19] = (changed[19] ?? 0) ^ 1
    for (const text of ['', '7', 'x', id.slice(1), `${id}=`, ` ${id}`, changed.toString('base64url')])
      expect(ids.findEvent(text), text).to.equal(null)
  })

  it('differ between states and between secrets', () => {
    expect(ids.ofState('{"a":1}')).to.equal(ids.ofState('{"a":1}'))
    expect(ids.ofState('{"a":1}')).not.to.equal(ids.ofState('{"a":2}'))
    expect(ids.ofState('{"a":1}')).not.to.equal(createStreamIds(['other']).ofState('{"a":1}'))
  })
})

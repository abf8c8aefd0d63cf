import { expect } from 'chai'
import { parseLogo } from '../../../shared/domain/logo.ts'
import { createJpeg, createPng } from '../../support/pictures.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const GIF = Buffer.from('474946383961010001000000002c00000000010001000002023b', 'hex')

describe('parseLogo', () => {
  it('accepts a PNG or a JPEG, and derives the type from the bytes', () => {
    for (const [bytes, type] of [
      [createPng(), 'image/png'],
      [createJpeg(), 'image/jpeg'],
      [createPng({ width: 1024, height: 1 }), 'image/png'],
    ] as const)
      expect(parseLogo(bytes)).to.deep.equal({ ok: true, logo: { type, bytes } })
  })

  const refused: readonly (readonly [title: string, bytes: Buffer, problem: RegExp])[] = [
    ['an SVG, which could run scripts', Buffer.from(SVG), /neither a PNG nor a JPEG by its bytes/],
    ['a GIF', GIF, /neither a PNG nor a JPEG/],
    ['an empty file', Buffer.alloc(0), /neither a PNG nor a JPEG/],
    [
      'a PNG of more than 64 KiB',
      Buffer.concat([createPng(), Buffer.alloc(65_536)]),
      /has \d+ bytes: must have at most 65536/,
    ],
    ['a PNG that is too wide', createPng({ width: 1025 }), /has 1025 × 40 pixels: must have 1 to 1024/],
    ['a PNG of width zero', createPng({ width: 0 }), /has 0 × 40 pixels/],
    ['a JPEG that is too tall', createJpeg({ height: 5000 }), /has 40 × 5000 pixels/],
    [
      'an animated PNG',
      createPng({ chunks: [['acTL', Buffer.alloc(8)]] }),
      /is animated: must be a still picture/,
    ],
    ['a PNG with trailing data', Buffer.concat([createPng(), Buffer.from(SVG)]), /data may be hidden/],
    ['a JPEG with trailing data', Buffer.concat([createJpeg(), Buffer.from(SVG)]), /data may be hidden/],
    ['half a PNG', createPng().subarray(0, 60), /is truncated or malformed/],
    ['only the signature of a PNG', createPng().subarray(0, 8), /is truncated or malformed/],
    ['half a JPEG', createJpeg().subarray(0, 20), /is truncated or malformed/],
    [
      'a JPEG without a frame',
      Buffer.from('ffd8ffda0008010100003f00ffd9', 'hex'),
      /is truncated or malformed/,
    ],
  ]
  for (const [title, bytes, problem] of refused) {
    it(`rejects ${title}`, () => {
      const reading = parseLogo(bytes)
      expect(reading.ok ? 'taken' : reading.problem).to.match(problem)
    })
  }

  it('does not throw if any byte is altered, and rejects a picture that is cut off anywhere', () => {
    for (const whole of [createPng(), createJpeg()]) {
      for (let at = 0; at < whole.length; at += 1) {
        const bytes = Buffer.from(whole)
        bytes[at] = 0xff ^ (bytes[at] ?? 0)
        expect(parseLogo(bytes).ok).to.be.a('boolean')
        expect(parseLogo(whole.subarray(0, at)).ok).to.equal(false)
      }
    }
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type BrandOptions, parseBrandOptions } from '../../../indexer/commands/parse-brand-options.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { createPng } from '../../support/pictures.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

describe('parseBrandOptions', () => {
  let directory: string

  before(async () => {
    directory = await temporaryDirectory('brand')
    const files = {
      'logo.txt': createPng(),
      'svg.png': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'large.png': Buffer.concat([createPng(), Buffer.alloc(70_000)]),
    }
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(directory, name), bytes)
  })

  it('returns only the properties that are given', async () => {
    expect(await parseBrandOptions({ name: '  Gru\u0308nes Café ' })).to.deep.equal({ name: 'Grünes Café' })
    expect(await parseBrandOptions({ accent: '#FFCC00' })).to.deep.equal({ accent: '#ffcc00' })
    expect(await parseBrandOptions({ accent: 'default', logo: 'none' })).to.deep.equal({
      accent: null,
      logo: null,
    })
    const { logo } = await parseBrandOptions({ logo: join(directory, 'logo.txt') })
    expect(logo?.type).to.equal('image/png')
    expect(createPng().equals(logo?.bytes ?? Buffer.alloc(0))).to.equal(true)
  })

  it('returns the contact and the origins of frames, or null to remove them', async () => {
    const support = 'mailto:help@shop.example'
    const frames = 'https://shop.example,https://b.example:8443'
    expect(await parseBrandOptions({ support, frames })).to.deep.equal({
      support,
      frameOrigins: frames.split(','),
    })
    const none = { support: null, frameOrigins: null }
    expect(await parseBrandOptions({ support: 'none', frames: 'default' })).to.deep.equal(none)
  })

  it('accepts a name in any script, including joiners', async () => {
    for (const name of ['क्‍ष', 'می‌خواهم', '茶', '👩‍🌾 Farm', 'n'.repeat(60)])
      expect((await parseBrandOptions({ name })).name).to.equal(name)
  })

  const refused: readonly (readonly [title: string, options: () => BrandOptions, message: RegExp])[] = [
    [
      'a call without options',
      () => ({}),
      /brand set requires --name, --accent, --logo, --support or --frames/,
    ],
    ['a blank name', () => ({ name: ' ' }), /--name is " ", with 0 characters: must have 1 to 60/],
    ['a long name', () => ({ name: 'n'.repeat(61) }), /with 61 characters: must have 1 to 60/],
    ['a name that reverses the text direction', () => ({ name: 'a\u202eb' }), /visible characters/],
    ['a name with two lines', () => ({ name: 'a\nb' }), /visible characters/],
    [
      'a colour name as the accent',
      () => ({ accent: 'red' }),
      /--accent is "red": must be default, or # and six/,
    ],
    ['a style as the accent', () => ({ accent: '#123456;}*{' }), /--accent is "#123456;}\*\{": must be/],
    [
      'a contact with plain http',
      () => ({ support: 'http://shop.example' }),
      /--support is "http:.*must be none, an https/,
    ],
    ['a contact that is a script', () => ({ support: 'javascript:alert(1)' }), /--support is/],
    ['two mail addresses', () => ({ support: 'mailto:a@b.example,c@d.example' }), /--support is/],
    [
      'a mail address with headers',
      () => ({ support: 'mailto:a@b.example?bcc=c@d.example' }),
      /--support is/,
    ],
    ['a long contact', () => ({ support: `https://a.example/${'x'.repeat(300)}` }), /at most 300 characters/],
    ['frames of any origin', () => ({ frames: '*' }), /--frames is "\*": must be default, or at most 10/],
    ['a frame with plain http', () => ({ frames: 'http://shop.example' }), /--frames is/],
    ['a frame with a path', () => ({ frames: 'https://shop.example/' }), /--frames is/],
    ['frames with a wildcard', () => ({ frames: 'https://*.example' }), /--frames is/],
    [
      'eleven frames',
      () => ({ frames: Array.from({ length: 11 }, (_, i) => `https://${i}.example`).join() }),
      /at most 10/,
    ],
    ['a missing logo', () => ({ logo: '/nowhere.png' }), /--logo \/nowhere\.png cannot be read: ENOENT/],
    ['a directory as the logo', () => ({ logo: directory }), /--logo .* cannot be read: EISDIR/],
    [
      'an SVG logo',
      () => ({ logo: join(directory, 'svg.png') }),
      /svg\.png is neither a PNG nor a JPEG by its/,
    ],
    [
      'a large logo',
      () => ({ logo: join(directory, 'large.png') }),
      /has 70\d+ bytes: must have at most 65536/,
    ],
  ]
  for (const [title, options, message] of refused) {
    it(`rejects ${title}`, async () => {
      const error = await parseBrandOptions(options()).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(CommandError)
      expect((error as Error).message).to.match(message)
    })
  }
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type BrandOptions, parseBrandOptions } from '../../../indexer/commands/parse-brand-options.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { createPng } from '../../support/pictures.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

describe('readBrandChange', () => {
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

  it('returns only the named properties', async () => {
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

  it('accepts a name in any script, with its joiners', async () => {
    for (const name of ['क्‍ष', 'می‌خواهم', '茶', '👩‍🌾 Farm', 'n'.repeat(60)])
      expect((await parseBrandOptions({ name })).name).to.equal(name)
  })

  const refused: readonly (readonly [title: string, options: () => BrandOptions, message: RegExp])[] = [
    ['nothing', () => ({}), /brand set requires --name, --accent or --logo/],
    ['no name', () => ({ name: ' ' }), /--name is " ", with 0 characters: must have 1 to 60/],
    ['a long name', () => ({ name: 'n'.repeat(61) }), /with 61 characters: must have 1 to 60/],
    ['a name that turns the text', () => ({ name: 'a\u202eb' }), /visible characters/],
    ['a name of two lines', () => ({ name: 'a\nb' }), /visible characters/],
    ['a colour by its name', () => ({ accent: 'red' }), /--accent is "red": must be default, or # and six/],
    ['a style', () => ({ accent: '#123456;}*{' }), /--accent is "#123456;}\*\{": must be/],
    ['no file', () => ({ logo: '/nowhere.png' }), /--logo \/nowhere\.png cannot be read: ENOENT/],
    ['a directory', () => ({ logo: directory }), /--logo .* cannot be read: EISDIR/],
    ['an SVG', () => ({ logo: join(directory, 'svg.png') }), /svg\.png is neither a PNG nor a JPEG by its/],
    [
      'a large file',
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

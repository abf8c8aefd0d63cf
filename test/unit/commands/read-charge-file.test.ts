import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCharge } from '../../../indexer/commands/read-charge-file.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const MAX_BYTES = 1_000_000
const CHARGE = { addressTerms: {}, metadata: '' }
/** Bytes of the charge without its metadata. */
const REST = JSON.stringify(CHARGE).length

describe('readCharge', () => {
  it('reads a file of at most a megabyte, counted in bytes', async () => {
    const letters = (MAX_BYTES - REST) / 2
    expect(await read('é'.repeat(Math.floor(letters)))).to.have.property('metadata')
    expect(await read('é'.repeat(Math.ceil(letters) + 1)).catch(String)).to.match(
      /larger than 1000000 bytes$/,
    )
  })
})

async function read(metadata: string) {
  const file = join(await temporaryDirectory('charge'), 'charge.json')
  await writeFile(file, JSON.stringify({ ...CHARGE, metadata }))
  return readCharge(file)
}

import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { CLIENT_TYPES_FILE, generateClientTypes } from '../../support/client-types.ts'

describe("the client's types", function () {
  this.timeout(240_000)

  it('match the current API document; otherwise run `npm run client-types`', async () => {
    const isFresh = (await readFile(CLIENT_TYPES_FILE, 'utf8')) === (await generateClientTypes())
    expect(isFresh).to.be.true
  })
})

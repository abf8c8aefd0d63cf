import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseRecord } from '../../history/checker/entry.ts'
import { createOrganization } from '../../history/clients/organization.ts'
import { createRecorder } from '../../history/record.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

describe('the client of an organization in a history', () => {
  it('records each request once: with its response if the body is empty or JSON, otherwise as lost', async () => {
    const bodies = ['<html>', '', '{"id":1}']
    const server = createServer((_, response) => response.end(bodies.shift()))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const file = join(await temporaryDirectory('history-client'), 'record')
    const recorder = createRecorder(file)
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { send } = createOrganization(recorder, { name: 'org_1', key: 'key', apiUrl })
    const responses = [await send('GET /'), await send('GET /'), await send('GET /')]
    recorder.close()
    server.close()
    expect(responses).to.deep.equal([null, { status: 200, json: null }, { status: 200, json: { id: 1 } }])
    const ends = parseRecord(readFileSync(file, 'utf8')).filter(({ type }) => type !== 'request')
    expect(ends.map((end) => [end.type, 'id' in end && end.id])).to.deep.equal([
      ['lost', 1],
      ['response', 2],
      ['response', 3],
    ])
  })
})

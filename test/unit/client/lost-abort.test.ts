import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApiClient } from '../../../api/client/client.ts'
import { SETTLED, waitForCharge } from '../../../api/client/wait-for-charge.ts'
import { combineSignals } from '../../../shared/runtime/combine-signals.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'

describe('a response that never ends, in a process that collects garbage', function () {
  this.timeout(20_000)

  let server: Server
  let url: string
  let collecting: NodeJS.Timeout

  before(async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': heartbeat\n\n')
    }).listen(0)
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    collecting = setInterval(collectGarbage, 50)
  })

  after(() => {
    clearInterval(collecting)
    server?.closeAllConnections()
    server?.close()
  })

  it('is aborted as soon as one of the combined signals aborts', async () => {
    const signal = combineSignals([new AbortController().signal, AbortSignal.timeout(500)])
    const reason = await fetch(url, { signal })
      .then((response) => response.text())
      .catch((error: unknown) => error)
    expect(reason).to.have.property('name', 'TimeoutError')
  })

  it('does not delay the timeout of a client that waits for a charge', async () => {
    const client = createApiClient({ apiUrl: url, apiKey: 'sk_test' })
    const reason = await waitForCharge(client, 'ch_1', { ...SETTLED, timeoutMs: 500 }).catch(String)
    expect(reason).to.include(
      'timed out after 500 ms waiting for charge ch_1 to be settled: its state is unknown',
    )
  })
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createPonderMetrics } from '../../../indexer/chain-feed/ponder-metrics.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'

describe('the metrics of our Ponder processes', () => {
  let servers: Server[] = []

  afterEach(() => {
    for (const server of servers) server.close().closeAllConnections()
    servers = []
  })

  it('follow the daemon’s metrics, grouped by family, labelled by chain and schema, without unused ones', async () => {
    const ponders = createPonderMetrics({ timeoutMs: 60_000 })
    ponders.note({ chainId: 8453, ponderSchema: 'p_base' }, await serve(ponderSays({ errors: 3 })))
    ponders.note({ chainId: 56, ponderSchema: 'p_bnb' }, await serve(ponderSays({ errors: 0 })))
    const text = await ponders.besides(createMetrics({ service: 'indexer' })).metrics()
    expect(text).to.contain('process_cpu_seconds_total{service="indexer"}')
    expect(text.match(/^# TYPE ponder_rpc_request_error_total counter$/gm)).to.have.length(1)
    expect(text).to.contain(
      'ponder_rpc_request_error_total{chain_id="8453",ponder_schema="p_base",chain="chain",method="eth_getLogs"} 3\n',
    )
    expect(text).to.contain(
      'ponder_rpc_request_duration_bucket{chain_id="56",ponder_schema="p_bnb",le="5",method="eth_getLogs"} 1\n',
    )
    expect(text).to.contain('ponder_process_resident_memory_bytes{chain_id="56",ponder_schema="p_bnb"} 250\n')
    expect(text).to.contain('ponder_is_up{chain_id="56",ponder_schema="p_bnb"} 1\n')
    expect(text).not.to.contain('ponder_http_server')
  })

  it('report a Ponder process that responds with an error as down, and omit an ended process', async () => {
    const ponders = createPonderMetrics({ timeoutMs: 60_000 })
    ponders.note({ chainId: 8453, ponderSchema: 'p_base' }, await serve(null))
    ponders.note({ chainId: 56, ponderSchema: 'p_bnb' }, await serve(ponderSays({ errors: 0 })))
    ponders.note({ chainId: 56, ponderSchema: 'p_bnb' }, null)
    const text = await ponders.besides(createMetrics({ service: 'indexer' })).metrics()
    expect(text).to.contain('ponder_is_up{chain_id="8453",ponder_schema="p_base"} 0\n')
    expect(text).not.to.contain('p_bnb')
  })

  /** With `null`, the server responds with an error. */
  async function serve(text: string | null): Promise<number> {
    const server = createServer((_request, response) => {
      if (text === null) response.writeHead(500).end()
      else response.end(text)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
})

/** Metrics in the form of Ponder 0.16.10. */
function ponderSays({ errors }: { errors: number }): string {
  return `# HELP ponder_rpc_request_duration Duration of successful RPC requests
# TYPE ponder_rpc_request_duration histogram
ponder_rpc_request_duration_bucket{le="5",method="eth_getLogs"} 1
ponder_rpc_request_duration_sum{method="eth_getLogs"} 4
ponder_rpc_request_duration_count{method="eth_getLogs"} 1

# HELP ponder_rpc_request_error_total Total count of failed RPC requests
# TYPE ponder_rpc_request_error_total counter
ponder_rpc_request_error_total{chain="chain",method="eth_getLogs"} ${errors}

# HELP ponder_http_server_active_requests Number of active HTTP server requests
# TYPE ponder_http_server_active_requests gauge
ponder_http_server_active_requests{method="GET",path="/metrics"} 1

# HELP process_resident_memory_bytes Resident memory size in bytes.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 250
`
}

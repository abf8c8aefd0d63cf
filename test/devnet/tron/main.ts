/** A local TRON for the devnet and for scripts: one node with one chain in memory, in its own process. */
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

import { toTronAddress } from './accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from './addresses.ts'
import { seedChain } from './seed-chain.ts'
import { serveTron } from './serve-tron.ts'
import { createTronChain } from './tron-chain.ts'
import { tronGenesis } from './tron-genesis.ts'

const USAGE = `Runs a local TRON until it is stopped: one node with one chain in memory.

  node --import tsx test/devnet/tron/main.ts [--port N] [--block-ms N] [--chain-id N]

  --port      port on 127.0.0.1 (default: any free port)
  --block-ms  time between two blocks (default: 3000, as on the real chain; 0: only on /control/mine)
  --chain-id  chain id (default: ${TRON_CHAIN_ID}, which is mainnet's; Nile's is 3448148188)

It prints the addresses of our factory and of USDT, and then its own address. At /jsonrpc, /wallet and /walletsolidity it
responds like java-tron 4.8, including its quirks (test/devnet/tron/tron-chain.ts lists the similarities and the limits).
USDT has its mainnet address. The devnet's accounts hold TRX, and its payers hold USDT.

Control methods that no real node has, each with a JSON body:

  POST /control/mine    {"blocks": 19}
  POST /control/fork    {"depth": 2, "later": true, "without": ["<transaction id>"]}
  POST /control/habits  {"refusedPercent": 10, "lagBlocks": 1, "drops": 1, "hasNullFields": true, "standsStill": true};
                        returns the current values
`

const NUMBER = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    ...{ port: NUMBER, 'block-ms': NUMBER, 'chain-id': NUMBER },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(USAGE)
else await serve()

async function serve(): Promise<void> {
  const chainId = numberOf('chain-id', TRON_CHAIN_ID)
  const intervalMs = numberOf('block-ms', 3_000)
  const chain = await createTronChain({ chainId, genesis: await tronGenesis(), blockMs: intervalMs })
  const { factory } = await seedChain(chain)
  if (intervalMs > 0) setInterval(() => chain.habits.standsStill || void chain.mine(), intervalMs)
  const server = serveTron(chain, { isControlled: true })
  server.listen(numberOf('port', 0), '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`Factory ${toTronAddress({ address: factory })}\n`)
    process.stdout.write(`USDT ${toTronAddress({ address: TRON_USDT })}\n`)
    process.stdout.write(`Listening on 127.0.0.1:${port}\n`)
  })
}

function numberOf(name: 'port' | 'block-ms' | 'chain-id', otherwise: number): number {
  const text = values[name]
  if (text === undefined) return otherwise
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new Error(`--${name} is ${JSON.stringify(text)}: must be a whole number; see --help`)
}

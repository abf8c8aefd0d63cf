/** A local TRON for the devnet and for scripts: one node with one chain in memory, in its own process. */
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

import { toTronAddress } from './accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from './addresses.ts'
import { seedChain } from './seed-chain.ts'
import { serveTron } from './serve-tron.ts'
import { createTronChain } from './tron-chain.ts'
import { tronGenesis } from './tron-genesis.ts'

const USAGE = `A local TRON: one node of one chain in memory, with nothing behind it, until it is ended.

  node --import tsx test/devnet/tron/main.ts [--port N] [--block-ms N] [--chain-id N]

  --port      where it listens on 127.0.0.1; any free one by default
  --block-ms  between two blocks, 3000 by default as on the real ones; 0: only when /control/mine asks
  --chain-id  ${TRON_CHAIN_ID} by default, which is mainnet's; Nile's is 3448148188

It prints our factory's address and then where it listens. At /jsonrpc, /wallet and /walletsolidity it answers as java-tron
4.8 does, bad habits included (test/devnet/tron/tron-chain.ts says what is true to it and what it cannot do). USDT is where
mainnet has it; the devnet's accounts hold TRX, its payers USDT.

What no real node has, with a JSON body each:

  POST /control/mine    {"blocks": 19}
  POST /control/fork    {"depth": 2, "later": true, "without": ["<transaction id>"]}
  POST /control/habits  {"refusedPercent": 10, "lagBlocks": 1, "drops": 1, "hasNullFields": true, "standsStill": true};
                        answers what holds
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

/**
 * A local Arc for tests and the devnet: one node with one chain in memory, in its own process.
 *
 * Usage: main.ts <chain id> <milliseconds between blocks, or 0 to mine only on `evm_mine`>. Prints its host and port.
 *
 * The node behaves like Arc in these respects (circlefin/arc-node, docs.arc.io, November 2026):
 * - The EVM is Osaka with EIP-7708: 0xffff…fffe logs every movement of the coin with 18 decimals, also mints and burns.
 * - The token at 0x3600…0000 shows the same balance with 6 decimals, and logs its own transfers in addition.
 * - The blocklist blocks transfers of the coin and of the token.
 * - Value to the zero address or to a precompile is rejected.
 * - The base fee is Arc's minimum. Blocks can have the same timestamp. Reorganizations do not occur.
 * - Pending transactions are hidden, a batch has at most 100 requests, and `eth_getLogs` over a wide range hangs.
 *
 * The node lacks consensus, peers, subscriptions, traces, filters, EIP-4844 and EIP-7702 transactions, proofs (only the
 * state root and the receipts root are real), Arc's other system contracts (CallFrom, Memo, validators, the memo and
 * denylist registries), a base fee that rises, and the token's `permit`. The gas of the precompiles is a guess. The
 * node processes only a few hundred transactions per second.
 */
import type { AddressInfo } from 'node:net'

import { createChain } from '../evm-node/chain.ts'
import { serveChain } from '../evm-node/serve.ts'
import { type ArcChainId, arcFamily } from './arc-family.ts'

const [chainId, intervalMs] = process.argv.slice(2).map(Number)
if (chainId !== 5042 && chainId !== 5042002)
  throw new Error(`chain id ${chainId} is not a chain id of Arc: must be 5042 or 5042002`)

const chain = await createChain(await arcFamily(chainId satisfies ArcChainId))
if (intervalMs !== undefined && intervalMs > 0) setInterval(() => void chain.mine(), intervalMs)
const server = serveChain(chain)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`Listening on 127.0.0.1:${port}\n`)
})

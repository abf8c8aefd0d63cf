/**
 * A local Arc for tests and the devnet: one node with one chain in memory, in its own process.
 *
 * Usage: main.ts <chain id> <milliseconds between blocks, or 0 to mine only on `evm_mine`>. Prints its host and port.
 *
 * It behaves like Arc in these respects (circlefin/arc-node, docs.arc.io, November 2026): the EVM of Osaka with
 * EIP-7708, so that 0xffff…fffe logs every movement of the coin once with 18 decimals, including mints and burns; the
 * token at 0x3600…0000, which shows the same balance with 6 decimals and logs its own transfers a second time; the
 * blocklist, which blocks transfers of the coin and of the token; rejection of value to the zero address and to
 * precompiles; the minimum base fee; several blocks with the same timestamp; no reorganizations; hidden pending
 * transactions; at most 100 requests per batch; no response to `eth_getLogs` over wide ranges.
 *
 * It lacks: consensus and peers, subscriptions, traces, filters, blobs and authorizations (EIP-4844 and EIP-7702
 * transactions are rejected), proofs (only the state root and the receipts root are real), Arc's other system contracts
 * (CallFrom, Memo, validators, the memo and denylist registries), a base fee that rises, and `permit` of the token. The
 * gas of the precompiles is a guess. It keeps all data in memory and is slow: a few hundred transactions per second.
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

/**
 * A local Arc: one node of one chain in memory, in a process of its own, for tests and the devnet.
 *
 * Usage: main.ts <chain id> <milliseconds between blocks; 0: only when `evm_mine` asks>. It prints where it listens.
 *
 * True to Arc are (circlefin/arc-node, docs.arc.io, November 2026): the EVM of Osaka with EIP-7708, so that every
 * movement of the coin is logged once by 0xffff…fffe with 18 decimals, mints and burns included; the token at
 * 0x3600…0000, which is the same balance with 6 decimals and logs its own transfers a second time; the blocklist, which
 * stops both; value to nobody and to precompiles refused; the base fee's floor; several blocks of one timestamp; no
 * reorganizations; hidden pending transactions; batches of 100; `eth_getLogs` over wide ranges that is never answered.
 *
 * What it cannot do: consensus and peers, subscriptions, traces, filters, blobs and authorizations (EIP-4844 and 7702
 * transactions are refused), proofs (only the state root is a real one), Arc's other system contracts (CallFrom, Memo,
 * validators, the memo and denylist registries), a base fee that rises, `permit` of the token. Gas of the precompiles is a
 * guess. It keeps everything in memory and is slow: some hundred transactions a second.
 */
import type { AddressInfo } from 'node:net'

import { createChain } from '../evm-node/chain.ts'
import { serveChain } from '../evm-node/serve.ts'
import { type ArcChainId, arcFamily } from './arc-family.ts'

const [chainId, intervalMs] = process.argv.slice(2).map(Number)
if (chainId !== 5042 && chainId !== 5042002)
  throw new Error(`chain id ${chainId} is not Arc's: 5042 or 5042002`)

const chain = await createChain(await arcFamily(chainId satisfies ArcChainId))
if (intervalMs !== undefined && intervalMs > 0) setInterval(() => void chain.mine(), intervalMs)
const server = serveChain(chain)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`Listening on 127.0.0.1:${port}\n`)
})

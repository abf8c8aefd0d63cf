import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TronWeb } from 'tronweb'
import { createPublicClient, http, type PublicClient } from 'viem'

import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { formatTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { ACCOUNTS, type DevnetAccount } from '../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../devnet/tron/addresses.ts'
import { serveTron } from '../devnet/tron/serve-tron.ts'
import { createTronChain, type TronChain } from '../devnet/tron/tron-chain.ts'
import { tronGenesis } from '../devnet/tron/tron-genesis.ts'

/** A local TRON in this process, which creates blocks on request, with independent clients. */
export type TronFixture = {
  readonly chain: TronChain
  readonly url: string
  /** viem's client, connected to `/jsonrpc`. */
  readonly client: PublicClient
  /** Creates a tronweb that signs as this account. */
  readonly walletOf: (account: DevnetAccount) => TronWeb
  readonly stop: () => Promise<void>
}

/** Fee limit of the tests' transactions, far above the cost of any of them. */
export const FEE_LIMIT_SUN = 1_000_000_000

/** Starts a local TRON on which every account of the devnet holds TRX. */
export async function createTronFixture({ chainId = TRON_CHAIN_ID } = {}): Promise<TronFixture> {
  const genesis = await tronGenesis()
  const chain = await createTronChain({ chainId, genesis, blockMs: 3_000 })
  const server = serveTron(chain)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ chain, url },
    client: createPublicClient({ transport: http(`${url}/jsonrpc`, { retryCount: 0 }), cacheTime: 0 }),
    walletOf: ({ privateKey }) => new TronWeb({ fullHost: url, privateKey: privateKey.slice(2) }),
    stop: () => stop(server),
  }
}

/** Signs a contract call with tronweb and sends it. The transaction is then pending until a block is created. */
export async function trigger(
  wallet: TronWeb,
  call: {
    to: string
    signature: string
    args: readonly { type: string; value: unknown }[]
    feeLimit?: number
  },
) {
  const { transaction } = await wallet.transactionBuilder.triggerSmartContract(
    toHex(call.to),
    call.signature,
    { feeLimit: call.feeLimit ?? FEE_LIMIT_SUN },
    [...call.args],
  )
  const signed = await wallet.trx.sign(transaction)
  return { signed, answer: await wallet.trx.sendRawTransaction(signed) }
}

/** Mints USDT to an account, in atomic units, and mines the transaction. */
export async function mintUsdt({ chain, walletOf }: TronFixture, to: Address, units: bigint): Promise<void> {
  await trigger(walletOf(ACCOUNTS.deployer), {
    ...{ to: TRON_USDT, signature: 'mint(address,uint256)' },
    args: [
      { type: 'address', value: formatTronAddress(to) },
      { type: 'uint256', value: String(units) },
    ],
  })
  await chain.mine()
}

/** Returns the address of a devnet account in the service's form. */
export function addressOf({ address }: DevnetAccount): Address {
  const parsed = parseEvmAddress(address)
  if (parsed === null) throw new Error(`${address} is not an address`)
  return parsed
}

/** Converts a `0x…` address to tronweb's form `41…`. Returns addresses in other forms unchanged. */
function toHex(address: string): string {
  return address.startsWith('0x') ? `41${address.slice(2)}` : address
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done) => server.close(() => done()))
}

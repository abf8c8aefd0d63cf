import type { Address } from '../../../shared/domain/address.ts'
import { parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import type { Anvil } from '../anvil.ts'
import { startNode } from '../start-node.ts'
import { TRON_CHAIN_ID } from './addresses.ts'

const MAIN = 'test/devnet/tron/main.ts'

/** A local TRON in its own process. Its `rpcUrl` is `/jsonrpc`. */
export type RunningTron = Anvil & {
  /** Base URL of the HTTP API, for `/wallet` and `/walletsolidity`. */
  readonly httpUrl: string
  readonly factory: Address
}

/**
 * Starts a local TRON with our factory, USDT and the accounts of the devnet.
 *
 * @param options - `blockMs` 0 mines only on `/control/mine`; `directory` contains the log, `<name>.log`
 */
export async function startTron(options: {
  readonly name: string
  readonly blockMs: number
  readonly directory: string
  readonly chainId?: number
}): Promise<RunningTron> {
  const { name, blockMs, directory, chainId = TRON_CHAIN_ID } = options
  const args = ['--block-ms', String(blockMs), '--chain-id', String(chainId)]
  const { url, pid, output, stop } = await startNode({ name, main: MAIN, args, directory })
  const factory = parseTronAddress(/^Factory (\S+)$/m.exec(output)?.[1] ?? '')
  if (factory !== null) return { chainId, rpcUrl: `${url}/jsonrpc`, httpUrl: url, pid, factory, stop }
  await stop()
  throw new Error(`${name} did not print the address of the factory`)
}

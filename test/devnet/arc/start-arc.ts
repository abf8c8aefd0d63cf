import type { Anvil } from '../anvil.ts'
import { startNode } from '../start-node.ts'
import type { ArcChainId } from './arc-family.ts'

const MAIN = 'test/devnet/arc/main.ts'

/**
 * Starts a local Arc that contains only the contracts of the real Arc's first block.
 *
 * @param options - with `blockMs` 0, the node mines only on `evm_mine`; `directory` contains the log, `<name>.log`
 */
export async function startArc(options: {
  readonly name: string
  readonly chainId: ArcChainId
  readonly blockMs: number
  readonly directory: string
}): Promise<Anvil> {
  const { name, chainId, blockMs, directory } = options
  const args = [String(chainId), String(blockMs)]
  const { url, pid, stop } = await startNode({ name, main: MAIN, args, directory })
  return { chainId, rpcUrl: url, pid, stop }
}

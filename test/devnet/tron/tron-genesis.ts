import { readFile } from 'node:fs/promises'
import type { Hex } from 'viem'

import { ACCOUNTS } from '../accounts.ts'
import type { GenesisAccount } from '../evm-node/chain-rules.ts'
import { TRON_ACCOUNTS } from './accounts.ts'
import { TRON_USDT } from './addresses.ts'

/** Balance of each account of the devnet: one million TRX. */
const SUN = 1_000_000n * 1_000_000n

/** Returns the content of a local TRON's first block: the devnet's accounts, and USDT at its mainnet address. */
export async function tronGenesis(): Promise<readonly GenesisAccount[]> {
  const artifact = new URL('../../../contracts/artifacts/TestTronUSDT.json', import.meta.url)
  const { deployedBytecode } = JSON.parse(await readFile(artifact, 'utf8')) as { deployedBytecode: Hex }
  return [
    ...[...Object.values(ACCOUNTS), ...Object.values(TRON_ACCOUNTS)].map(({ address }) => ({
      address,
      balanceWei: SUN,
    })),
    { address: TRON_USDT, code: deployedBytecode },
  ]
}
